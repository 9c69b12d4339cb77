//! What a PostgreSQL server says of itself, for those who operate it.

use chrono::{DateTime, Utc};
use sea_orm::FromQueryResult;

use crate::tx::{Sql, Statement, statement};
use crate::{Result, Store};

/// A server as it is configured, and the rights of the role that asks.
#[derive(Clone, Debug, FromQueryResult)]
pub struct ServerFacts {
    /// Such as `15.14 (Debian 15.14-0+deb12u1)`.
    pub version: String,
    /// `version` as a number, such as 150014.
    pub version_number: i32,
    /// Where it answers, such as `10.0.0.7:5432`, or `a socket`.
    pub address: String,
    pub is_read_only: bool,
    /// Its clock.
    pub now: DateTime<Utc>,
    /// The connections that it takes.
    pub max_connections: i32,
    /// The connections that are open, of everybody.
    pub connections: i64,
    /// Whether what was committed survives a power cut.
    pub is_durable: bool,
    /// Commits wait for a standby, and none is connected.
    pub lacks_standby: bool,
    /// Tables of the schema that belong to a role which this one is no member of.
    pub foreign_tables: i64,
}

const FACTS: &Statement = statement!(postgres:
    "SELECT current_setting('server_version') AS version, CAST(current_setting('server_version_num') AS integer) AS version_number,
            coalesce(host(inet_server_addr()) || ':' || inet_server_port(), 'a socket') AS address,
            current_setting('transaction_read_only') = 'on' AS is_read_only, clock_timestamp() AS now,
            CAST(current_setting('max_connections') AS integer) AS max_connections,
            (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
            current_setting('fsync') = 'on' AND current_setting('synchronous_commit') <> 'off' AS is_durable,
            current_setting('synchronous_standby_names') <> '' AND NOT EXISTS (SELECT 1 FROM pg_stat_replication) AS lacks_standby,
            (SELECT count(*) FROM pg_class WHERE relkind = 'r' AND relnamespace = CAST(current_schema() AS regnamespace)
                AND NOT pg_has_role(relowner, 'USAGE')) AS foreign_tables"
);

impl Store {
    /// The nodes that give the coordinator no answer, each as `host:port`. Accounts on them are away.
    pub async fn nodes_away(&self) -> Result<Vec<String>> {
        let away = statement!(citus:
            "SELECT concat(nodename, ':', nodeport) FROM pg_dist_node
              WHERE isactive AND shouldhaveshards AND noderole = 'primary' AND NOT citus_check_connection_to_node(nodename, nodeport)
              ORDER BY nodename, nodeport"
        );
        self.fetch_values(away, vec![]).await
    }

    /// What the server says; none of an embedded database.
    pub async fn server_facts(&self) -> Result<Option<ServerFacts>> {
        if self.is_sqlite() {
            return Ok(None);
        }
        self.fetch_one(FACTS, vec![]).await
    }
}
