//! The tables of a database on several nodes of Citus, each account on one of them.
//!
//! What belongs to an account is distributed by `account_id`. On the coordinator stays what is shared (accounts, keys, people,
//! leases, what senders are), and what leads to an account: tokens of links, ids of providers. So a node that is lost takes nothing
//! from accounts on others. A step is recorded as those of migrations are, so that a distribution that was killed goes on.
//!
//! No other process may use the database meanwhile: one that started before takes it for that of one node.

use sea_orm::{ConnectionTrait, DatabaseConnection, DatabaseExecutor, DbBackend, DbErr, Statement};

use crate::error::{Error, Refusal};
use crate::lock::wait_for_lock;
use crate::numbers::Misfit;
use crate::run::{has_steps, numbers};
use crate::step::{Action, Record, Step};
use crate::watch::Watch;

/// What the steps are recorded under.
const DISTRIBUTION: &str = "distribution";
/// The steps that are no table of several nodes.
const BEGUN: &str = "begin";
const TOKENS: &str = "tokens of links";
const WORK: &str = "accounts with work";
const LOCAL_ROWS: &str = "what is left on the coordinator";

/// Distributes a table by the accounts that its rows belong to, beside those of another table.
macro_rules! by_account {
    ($table:literal) => {
        by_account!($table, "")
    };
    ($table:literal, $before:literal) => {
        by_account!($table, $before, beside "import_batch")
    };
    ($table:literal, $before:literal, beside $other:literal) => {
        Step {
            name: $table,
            action: Action::Sql {
                postgres: concat!(
                    $before,
                    "SELECT create_distributed_table('", $table, "', 'account_id', colocate_with => '", $other, "')"
                ),
                sqlite: "",
            },
        }
    };
}

/// All of them, those first that others refer to. From the first on no process starts.
const STEPS: &[Step] = &[
    Step {
        name: BEGUN,
        action: Action::Sql {
            postgres: "SELECT 1",
            sqlite: "",
        },
    },
    by_account!("import_batch", "", beside "none"),
    by_account!("import_chunk"),
    by_account!("import_payload"),
    by_account!("import_error"),
    by_account!(
        "import_counter",
        "ALTER TABLE import_counter DROP CONSTRAINT import_counter_account_id_fkey; "
    ),
    by_account!("idempotency"),
    by_account!("recipient"),
    by_account!("recipient_rollup"),
    by_account!("recipient_version"),
    by_account!("erasure"),
    by_account!("form"),
    by_account!("form_version"),
    // What is unique on several nodes has the account in it.
    by_account!(
        "link",
        "ALTER TABLE link DROP CONSTRAINT link_token_key; CREATE INDEX link_by_token ON link (account_id, token); "
    ),
    by_account!("link_track_field"),
    by_account!("link_rollup"),
    by_account!("visit_view"),
    by_account!("visit"),
    by_account!("feedback"),
    by_account!("pending_delta"),
    by_account!("rollup"),
    by_account!("rollup_month"),
    by_account!("campaign"),
    by_account!("campaign_tally"),
    by_account!("campaign_delta"),
    by_account!("campaign_quota"),
    by_account!("send_usage"),
    by_account!("message"),
    by_account!("message_due"),
    by_account!("contact"),
    by_account!("receipt"),
    by_account!("send_setting"),
    by_account!("reply"),
    by_account!(
        "audit",
        "ALTER TABLE audit DROP CONSTRAINT audit_account_id_fkey; "
    ),
    by_account!("audit_seal"),
    by_account!("audit_recipient"),
    by_account!("audit_erased"),
    // What was unique among all accounts: whose link a token opens.
    Step {
        name: TOKENS,
        action: Action::Sql {
            postgres: "CREATE TABLE link_token (token text COLLATE \"C\" PRIMARY KEY, account_id uuid NOT NULL);
                 INSERT INTO link_token (token, account_id) SELECT token, account_id FROM link",
            sqlite: "",
        },
    },
    // Where workers look before they ask nodes; what there is to do of before is found once.
    Step {
        name: WORK,
        action: Action::Sql {
            postgres: "CREATE TABLE account_work (account_id uuid PRIMARY KEY, since timestamptz NOT NULL);
                 INSERT INTO account_work (account_id, since) SELECT account_id, now() FROM account",
            sqlite: "",
        },
    },
    // What was copied to the nodes still lies where it was: nobody finds it there, not even an erasure.
    Step {
        name: LOCAL_ROWS,
        action: Action::Sql {
            postgres: "SELECT truncate_local_data_after_distributing_table(logicalrelid)
                 FROM pg_dist_partition JOIN migration_step ON step = CAST(logicalrelid AS text) AND migration = 'distribution'",
            sqlite: "",
        },
    },
];

/// The tables whose rows lie on several nodes, in the order in which they are distributed.
pub fn distributed_tables() -> impl Iterator<Item = &'static str> {
    let names = STEPS.iter().map(|step| step.name);
    names.filter(|name| ![BEGUN, TOKENS, WORK, LOCAL_ROWS].contains(name))
}

/// Whether the tables lie on several nodes.
///
/// # Errors
/// [`Misfit::HalfDistributed`]; or the database gave no answer.
pub async fn is_distributed(db: &impl ConnectionTrait) -> Result<bool, Error> {
    if db.get_database_backend() == DbBackend::Sqlite || !has_steps(db).await? {
        return Ok(false);
    }
    let done = "SELECT count(*) FROM migration_step WHERE migration = 'distribution' AND done";
    match count(db, done).await? {
        0 => Ok(false),
        done if usize::try_from(done) == Ok(STEPS.len()) => Ok(true),
        _ => Err(Misfit::HalfDistributed.into()),
    }
}

/// The steps that are left, of a database that can be distributed. It changes nothing.
///
/// # Errors
/// It cannot be, or gave no answer.
pub async fn plan_distribution(db: &DatabaseConnection) -> Result<Vec<&'static str>, Error> {
    numbers(&DatabaseExecutor::from(db)).await?.admit()?;
    check(db).await?;
    Ok(left(db).await?.into_iter().map(|step| step.name).collect())
}

/// Distributes the tables of a database that no other process uses. Repeated after a kill it goes on.
///
/// # Errors
/// The database cannot be distributed, or a statement failed.
pub async fn distribute(db: &DatabaseConnection, watch: &dyn Watch) -> Result<(), Error> {
    wait_for_lock(db, watch).await?;
    plan_distribution(db).await?;
    if let Some(begin) = STEPS.first() {
        begin
            .run(&DatabaseExecutor::from(db), DISTRIBUTION, watch)
            .await?;
    }
    // Whoever started since then found one node.
    check(db).await?;
    let steps = STEPS.len() as u64;
    for (done, step) in (1..).zip(STEPS) {
        step.run(&DatabaseExecutor::from(db), DISTRIBUTION, watch)
            .await?;
        watch.rows(done, steps);
    }
    Ok(())
}

async fn left(db: &impl ConnectionTrait) -> Result<Vec<&'static Step>, DbErr> {
    let mut left = Vec::new();
    for step in STEPS {
        let record = Record {
            migration: DISTRIBUTION,
            step: step.name,
        };
        if !record.read(db).await?.0 {
            left.push(step);
        }
    }
    Ok(left)
}

async fn check(db: &DatabaseConnection) -> Result<(), Error> {
    if db.get_database_backend() == DbBackend::Sqlite {
        return Err(Refusal::Sqlite.into());
    }
    if count(
        db,
        "SELECT count(*) FROM pg_extension WHERE extname = 'citus'",
    )
    .await?
        == 0
    {
        return Err(Refusal::NoCitus.into());
    }
    if count(db, "SELECT count(*) FROM citus_get_active_worker_nodes()").await? == 0 {
        return Err(Refusal::NoNodes.into());
    }
    let others = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'feedback'
                     AND datname = current_database() AND pid <> pg_backend_pid()";
    match count(db, others).await? {
        0 => Ok(()),
        others => Err(Refusal::InUse(others).into()),
    }
}

async fn count(db: &impl ConnectionTrait, sql: &str) -> Result<i64, DbErr> {
    let row = Statement::from_string(DbBackend::Postgres, sql);
    match db.query_one_raw(row).await? {
        Some(row) => row.try_get("", "count"),
        None => Ok(0),
    }
}
