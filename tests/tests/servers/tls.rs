//! Connections to the three servers over TLS, by an authority that nobody else trusts.

use anyhow::{Result, ensure};
use tests::app::{App, Backends};
use tests::authority::Authority;
use tests::import::records;
use tests::servers::{Endpoints, Postgres, Rabbit, Redis};
use tests::wait::{LATER, SOON, eventually};

/// The servers, which end with it, and their addresses.
struct Secured {
    authority: Authority,
    postgres: Postgres,
    _rabbit: Rabbit,
    _redis: Redis,
    endpoints: Endpoints,
}

impl Secured {
    async fn start() -> Result<Self> {
        let authority = Authority::new()?;
        let (postgres, rabbit, redis) = tokio::try_join!(
            Postgres::with_tls(&authority),
            Rabbit::with_tls(&authority),
            Redis::with_tls(&authority),
        )?;
        let database = postgres.url("postgres");
        let endpoints = Endpoints {
            database: format!(
                "{database}?sslmode=verify-full&sslrootcert={}",
                authority.file()
            ),
            nodes: Vec::new(),
            pooled: None,
            broker: rabbit.broker(),
            redis: redis.tls_url()?,
        };
        Ok(Self {
            authority,
            postgres,
            _rabbit: rabbit,
            _redis: redis,
            endpoints,
        })
    }

    /// A service for which this file has the authorities.
    async fn service(&self, authorities: &str) -> Result<App> {
        App::setup()
            .on(Backends::on(&self.endpoints).await?)
            .setting("SSL_CERT_FILE", authorities)
            .setting("FEEDBACK_REQUIRE_TLS", "on")
            .start()
            .await
    }

    /// The database's address, whose authority is that of `SSL_CERT_FILE`.
    fn verified(&self) -> String {
        format!("{}?sslmode=verify-full", self.postgres.url("postgres"))
    }
}

/// Waits until the first api says all of this of what it needs.
async fn says(app: &App, lines: &[&str]) -> Result<()> {
    let client = app.anonymous()?;
    eventually(SOON, async || {
        let answer = client.get("/health/ready").await?.expect(200)?;
        let text = answer.text()?;
        let is_told = lines.iter().all(|line| text.contains(line));
        ensure!(is_told, "{text}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_service_works_over_verified_tls() -> Result<()> {
    let secured = Secured::start().await?;
    let file = secured.authority.file();
    let app = secured.service(&file).await?;
    says(&app, &["database ok\n", "queue ok\n", "cache ok\n"]).await?;
    let client = app.client().await?;
    client
        .import_and_wait(&records("A", 300, "1"), LATER)
        .await?;
    let plain = "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
                 WHERE application_name LIKE 'feedback%' AND NOT ssl";
    ensure!(app.sql(plain).await? == "0", "connections without TLS");
    // Without `sslrootcert` it is that of all other connections.
    let variables = [("DATABASE_URL", secured.verified())];
    let variables = variables
        .each_ref()
        .map(|(name, url)| (*name, url.as_str()));
    let output = app.cli_with(&["key", "list"], &variables).await?;
    ensure!(output.status.success(), "{output:?}");
    Ok(())
}

#[tokio::test]
async fn servers_of_another_authority_are_refused() -> Result<()> {
    let secured = Secured::start().await?;
    let other = Authority::new()?;
    // The database's own parameter counts for it.
    let app = secured.service(&other.file()).await?;
    says(&app, &["database ok\n", "queue degraded", "cache degraded"]).await?;
    let url = secured.verified();
    let variables = [
        ("DATABASE_URL", url.as_str()),
        ("FEEDBACK_LISTEN", "127.0.0.1:0"),
    ];
    let output = app.cli_with(&["api"], &variables).await?;
    let said = String::from_utf8_lossy(&output.stderr);
    let line = said.lines().last().unwrap_or_default();
    let is_told = line.starts_with("DATABASE_URL: ") && line.contains("UnknownIssuer");
    ensure!(is_told && !output.status.success(), "{said}");
    Ok(())
}
