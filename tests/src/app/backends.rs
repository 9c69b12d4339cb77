//! Which set of backends a service under test runs on, and what it is given of shared servers.

use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use reqwest::Url;
use uuid::Uuid;

use crate::servers::{Broker, Endpoints, TEMPLATE, psql, psql_within};
use crate::wait::LATER;

/// One of the two sets of backends.
#[derive(Debug)]
pub enum Backends {
    /// SQLite, queue and cache in one process.
    Embedded,
    /// PostgreSQL, RabbitMQ and Redis.
    Servers(ServerLease),
}

/// What a service under test has of the servers: a database and a virtual host of its own, given back in the end.
#[derive(Debug)]
pub struct ServerLease {
    /// The database's own address.
    pub database: String,
    /// Its address through a pooler.
    pooled: Option<String>,
    /// The Redis that it shares.
    pub redis: String,
    /// The virtual host's own address.
    pub amqp: String,
    /// A database of each node, from which it is made and dropped.
    admin: Vec<String>,
    vhost: Option<(Broker, String)>,
}

impl Backends {
    /// The set that `FEEDBACK_TEST_BACKENDS` names: `embedded` (the default) or `servers`.
    ///
    /// # Errors
    /// When it names neither, or the servers are not there.
    pub async fn from_environment() -> Result<Self> {
        match std::env::var("FEEDBACK_TEST_BACKENDS").as_deref() {
            Err(_) | Ok("" | "embedded") => Ok(Self::Embedded),
            Ok("servers") => Self::on(&Endpoints::from_environment()?).await,
            Ok(other) => bail!("FEEDBACK_TEST_BACKENDS is {other}: neither embedded nor servers"),
        }
    }

    /// A database and a virtual host of its own on these servers.
    ///
    /// # Errors
    /// When a server is away.
    pub async fn on(endpoints: &Endpoints) -> Result<Self> {
        let vhost = format!("test-{}", Uuid::new_v4().simple());
        endpoints.broker.create_vhost(&vhost).await?;
        let mut lease = ServerLease::without_vhost(endpoints).await?;
        lease.amqp = endpoints.broker.url(&vhost);
        lease.vhost = Some((endpoints.broker.clone(), vhost));
        Ok(Self::Servers(lease))
    }

    /// The same on the broker's first virtual host: for a broker that is private, and comes back empty.
    ///
    /// # Errors
    /// When a server is away.
    pub async fn on_private_broker(endpoints: &Endpoints) -> Result<Self> {
        ServerLease::without_vhost(endpoints)
            .await
            .map(Self::Servers)
    }

    /// What a test of servers only asks the database itself.
    ///
    /// # Errors
    /// When the service is embedded, or what `psql` says.
    pub async fn sql(&self, statement: &str) -> Result<String> {
        self.sql_within(LATER, statement).await
    }

    /// The same with a deadline of its own.
    ///
    /// # Errors
    /// As [`Self::sql`].
    pub async fn sql_within(&self, deadline: Duration, statement: &str) -> Result<String> {
        match self {
            Self::Embedded => bail!("no PostgreSQL behind an embedded service"),
            Self::Servers(lease) => psql_within(deadline, &lease.database, statement).await,
        }
    }

    /// The service's settings that choose this set.
    pub(super) fn variables(&self, folder: &Path) -> Vec<(String, String)> {
        let data = folder.join("data").display().to_string();
        let mut variables = vec![("FEEDBACK_DATA_DIR".to_owned(), data)];
        if let Self::Servers(lease) = self {
            for (variable, url) in [
                (
                    "DATABASE_URL",
                    lease.pooled.as_ref().unwrap_or(&lease.database),
                ),
                ("AMQP_URL", &lease.amqp),
                ("REDIS_URL", &lease.redis),
            ] {
                variables.push((variable.to_owned(), url.clone()));
            }
            if lease.pooled.is_some() {
                variables.push(("FEEDBACK_MIGRATE_URL".to_owned(), lease.database.clone()));
            }
        }
        variables
    }
}

impl ServerLease {
    async fn without_vhost(endpoints: &Endpoints) -> Result<Self> {
        let name = format!("test_{}", Uuid::new_v4().simple());
        let admin: Vec<_> = [&endpoints.database]
            .into_iter()
            .chain(&endpoints.nodes)
            .cloned()
            .collect();
        let template = if admin.len() > 1 {
            TEMPLATE
        } else {
            "template0"
        };
        for node in &admin {
            psql(node, &format!("CREATE DATABASE {name} TEMPLATE {template}")).await?;
        }
        let named = |url: &String| {
            let mut url = Url::parse(url)?;
            url.set_path(&name);
            anyhow::Ok(url.into())
        };
        Ok(Self {
            database: named(&endpoints.database).context("DATABASE_URL")?,
            pooled: endpoints.pooled.as_ref().map(named).transpose()?,
            amqp: endpoints.broker.url("%2f"),
            redis: endpoints.redis.clone(),
            admin,
            vhost: None,
        })
    }

    async fn give_back(
        admin: Vec<String>,
        name: String,
        vhost: Option<(Broker, String)>,
    ) -> Result<()> {
        if let Some((broker, vhost)) = vhost {
            broker.delete_vhost(&vhost).await?;
        }
        for node in admin {
            psql(&node, &format!("DROP DATABASE {name} WITH (FORCE)")).await?;
        }
        Ok(())
    }
}

impl Drop for ServerLease {
    fn drop(&mut self) {
        let admin = std::mem::take(&mut self.admin);
        let Ok(database) = Url::parse(&self.database) else {
            return;
        };
        let name = database.path().trim_start_matches('/').to_owned();
        let vhost = self.vhost.take();
        // A destructor cannot wait inside the test's own runtime, and a private server may be gone by now.
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?;
            runtime.block_on(Self::give_back(admin, name, vhost))
        });
        if let Ok(Err(error)) = thread.join() {
            eprintln!("not given back: {error:#}");
        }
    }
}
