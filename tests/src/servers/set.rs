//! The three servers together: those the environment names, and private ones for the rest.

use std::path::Path;

use anyhow::{Context, Result};

use super::{Broker, Citus, Durability, PgBouncer, Postgres, Rabbit, Redis};

/// Where the three servers are.
#[derive(Clone, Debug)]
pub struct Endpoints {
    /// `postgres://…`, a database from which others can be made.
    pub database: String,
    /// The same of the other nodes, where the database is on several.
    pub nodes: Vec<String>,
    /// The first through a pooler, where one stands before it.
    pub pooled: Option<String>,
    /// The broker, without a virtual host.
    pub broker: Broker,
    /// `redis://…`
    pub redis: String,
}

/// The other nodes of a cluster whose coordinator is at `DATABASE_URL`, apart by spaces.
const NODES: &str = "FEEDBACK_TEST_NODES";
/// The database at `DATABASE_URL` through a pooler.
const POOLED: &str = "FEEDBACK_TEST_POOLED_URL";
/// The management API of the broker at `AMQP_URL`.
const MANAGEMENT: &str = "AMQP_MANAGEMENT_URL";

impl Endpoints {
    /// The servers named by `DATABASE_URL`, `AMQP_URL` (with `AMQP_MANAGEMENT_URL`) and `REDIS_URL`.
    ///
    /// # Errors
    /// When one is missing.
    pub fn from_environment() -> Result<Self> {
        let hint = "not set: run the tests with `tests/run`, or through `with-servers -- COMMAND`";
        Ok(Self {
            database: given("DATABASE_URL").with_context(|| format!("DATABASE_URL is {hint}"))?,
            nodes: given_nodes(),
            pooled: given(POOLED),
            broker: given_broker()?.with_context(|| format!("AMQP_URL is {hint}"))?,
            redis: given("REDIS_URL").with_context(|| format!("REDIS_URL is {hint}"))?,
        })
    }

    /// The same with a PostgreSQL of one's own.
    #[must_use]
    pub fn on(self, postgres: &Postgres) -> Self {
        Self {
            database: postgres.url("postgres"),
            nodes: Vec::new(),
            pooled: None,
            ..self
        }
    }

    /// The variables of [`Self::from_environment`] that say the same.
    pub fn variables(&self) -> [(&'static str, String); 6] {
        [
            ("DATABASE_URL", self.database.clone()),
            (NODES, self.nodes.join(" ")),
            (POOLED, self.pooled.clone().unwrap_or_default()),
            ("AMQP_URL", self.broker.amqp.clone()),
            (MANAGEMENT, self.broker.management.clone()),
            ("REDIS_URL", self.redis.clone()),
        ]
    }
}

/// Three servers, of which some are ours.
#[derive(Debug)]
pub struct Servers {
    /// Where they are.
    pub endpoints: Endpoints,
    postgres: Option<Postgres>,
    /// Ends when dropped.
    _pgbouncer: Option<PgBouncer>,
    citus: Option<Citus>,
    rabbit: Option<Rabbit>,
    redis: Option<Redis>,
}

impl Servers {
    /// Starts whatever the environment does not name, and pgbouncer before a PostgreSQL of its own, where [`PgBouncer::MODE`] is set.
    ///
    /// # Errors
    /// When a server is not installed or does not answer.
    pub async fn start(durability: Durability) -> Result<Self> {
        Box::pin(Self::start_with(durability, None)).await
    }

    /// The same with a cluster of Citus for PostgreSQL, whose tables the program `feedback` makes.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub async fn with_citus(durability: Durability, feedback: &Path) -> Result<Self> {
        Box::pin(Self::start_with(durability, Some(feedback))).await
    }

    async fn start_with(durability: Durability, citus: Option<&Path>) -> Result<Self> {
        let (database, broker, redis_url) =
            (given("DATABASE_URL"), given_broker()?, given("REDIS_URL"));
        let has_database = database.is_some();
        let start_citus = async {
            match citus.filter(|_| !has_database) {
                Some(feedback) => Citus::start(durability, feedback).await.map(Some),
                None => Ok(None),
            }
        };
        let (postgres, citus, rabbit, redis) = tokio::try_join!(
            start_unless(has_database || citus.is_some(), Postgres::start(durability)),
            start_citus,
            start_unless(broker.is_some(), Rabbit::start()),
            start_unless(redis_url.is_some(), Redis::start()),
        )?;
        let pgbouncer = match &postgres {
            Some(postgres) if given(PgBouncer::MODE).is_some() => {
                Some(PgBouncer::before(postgres).await?)
            }
            _ => None,
        };
        let pooled = pgbouncer.as_ref().map(|before| before.url("postgres"));
        let mut nodes = citus
            .as_ref()
            .map_or(vec![], |citus| citus.urls("postgres"));
        let coordinator = nodes.drain(..nodes.len().min(1)).next();
        let endpoints = Endpoints {
            database: database
                .or(coordinator)
                .or_else(|| Some(postgres.as_ref()?.url("postgres")))
                .context("no database")?,
            nodes: if has_database { given_nodes() } else { nodes },
            pooled,
            broker: broker
                .or_else(|| Some(rabbit.as_ref()?.broker()))
                .context("no broker")?,
            redis: redis_url
                .or_else(|| Some(redis.as_ref()?.url()))
                .context("no cache")?,
        };
        Ok(Self {
            endpoints,
            postgres,
            _pgbouncer: pgbouncer,
            citus,
            rabbit,
            redis,
        })
    }

    /// Stops those that are ours.
    ///
    /// # Errors
    /// When one does not end.
    pub async fn stop(self) -> Result<()> {
        if let Some(mut redis) = self.redis {
            redis.stop().await?;
        }
        if let Some(mut rabbit) = self.rabbit {
            // Its data goes with it: nothing to end in order.
            rabbit.kill()?;
        }
        if let Some(mut postgres) = self.postgres {
            postgres.stop().await?;
        }
        if let Some(citus) = self.citus {
            citus.stop().await?;
        }
        Ok(())
    }
}

async fn start_unless<T>(given: bool, start: impl Future<Output = Result<T>>) -> Result<Option<T>> {
    if given {
        return Ok(None);
    }
    start.await.map(Some)
}

pub(super) fn given(variable: &str) -> Option<String> {
    std::env::var(variable)
        .ok()
        .filter(|value| !value.is_empty())
}

fn given_nodes() -> Vec<String> {
    let nodes = given(NODES).unwrap_or_default();
    nodes.split_whitespace().map(str::to_owned).collect()
}

/// The broker of the environment. Without a management address, RabbitMQ's own port on the same host is meant.
fn given_broker() -> Result<Option<Broker>> {
    let Some(amqp) = given("AMQP_URL") else {
        return Ok(None);
    };
    let amqp = amqp.trim_end_matches('/').to_owned();
    let management = if let Some(url) = given(MANAGEMENT) {
        url
    } else {
        let parsed = reqwest::Url::parse(&amqp).context("AMQP_URL")?;
        format!(
            "http://{}:{}@{}:15672",
            parsed.username(),
            parsed.password().unwrap_or_default(),
            parsed.host_str().unwrap_or("127.0.0.1")
        )
    };
    Ok(Some(Broker { amqp, management }))
}
