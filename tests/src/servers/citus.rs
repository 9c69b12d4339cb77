//! PostgreSQL with Citus on several nodes, of which one is the coordinator.
//!
//! Whoever asks for a database gets a copy of a template in which the schema is distributed, made on each node by itself.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use futures::future::try_join_all;

use super::postgres::run;
use super::{Durability, Postgres, psql};

/// The database that others are copies of.
pub(crate) const TEMPLATE: &str = "feedback_template";

/// Each database has a daemon of Citus, and each session of the service one on each node.
const SETTINGS: &[&str] = &[
    "shared_preload_libraries=citus",
    "max_prepared_transactions=400",
    "max_worker_processes=100",
    "max_connections=600",
    "citus.node_conninfo=sslmode=disable",
    // As few shards as show what lies on several nodes.
    "citus.shard_count=4",
];

/// A coordinator and two more nodes.
#[derive(Debug)]
pub struct Citus {
    nodes: Vec<Postgres>,
}

impl Citus {
    /// Starts the nodes and makes the template with the program `feedback`.
    ///
    /// # Errors
    /// When Citus is not installed, or the schema cannot be distributed.
    pub async fn start(durability: Durability, feedback: &Path) -> Result<Self> {
        let nodes = (0..3).map(|_| Postgres::with_settings(durability, SETTINGS));
        let nodes = try_join_all(nodes).await?;
        let citus = Self { nodes };
        citus
            .make_template(feedback)
            .await
            .context("the template")?;
        Ok(citus)
    }

    /// `postgres://…` of a database on each node, that of the coordinator first.
    pub fn urls(&self, database: &str) -> Vec<String> {
        let nodes = self.nodes.iter();
        nodes.map(|node| node.url(database)).collect()
    }

    /// One of the nodes; the first is the coordinator.
    pub fn node(&mut self, n: usize) -> Option<&mut Postgres> {
        self.nodes.get_mut(n)
    }

    /// Stops the nodes.
    ///
    /// # Errors
    /// When one does not end.
    pub async fn stop(self) -> Result<()> {
        for mut node in self.nodes {
            node.stop().await?;
        }
        Ok(())
    }

    async fn make_template(&self, feedback: &Path) -> Result<()> {
        for (admin, url) in self.urls("postgres").iter().zip(self.urls(TEMPLATE)) {
            psql(
                admin,
                &format!("CREATE DATABASE {TEMPLATE} TEMPLATE template0"),
            )
            .await?;
            psql(&url, "CREATE EXTENSION citus").await?;
        }
        let [coordinator, others @ ..] = &self.nodes[..] else {
            return Ok(());
        };
        let url = coordinator.url(TEMPLATE);
        let (host, port) = coordinator.address();
        psql(
            &url,
            &format!("SELECT citus_set_coordinator_host('{host}', {port})"),
        )
        .await?;
        for node in others {
            let (host, port) = node.address();
            psql(&url, &format!("SELECT citus_add_node('{host}', {port})")).await?;
        }
        for arguments in [&["migrate"][..], &["migrate", "distribute"]] {
            let mut command = Command::new(feedback);
            command.args(arguments).env("DATABASE_URL", &url);
            run(command).await?;
        }
        // A database with sessions is no template, and Citus has one of its own in each.
        for admin in self.urls("postgres") {
            psql(
                &admin,
                &format!("ALTER DATABASE {TEMPLATE} ALLOW_CONNECTIONS false"),
            )
            .await?;
            let end = format!(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = '{TEMPLATE}'"
            );
            psql(&admin, &end).await?;
        }
        Ok(())
    }
}
