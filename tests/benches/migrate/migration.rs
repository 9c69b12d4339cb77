//! The migration that only the bench has.

#![expect(
    clippy::disallowed_methods,
    reason = "its statements are of a schema that only the bench has"
)]

use sea_orm_migration::async_trait::async_trait;
use sea_orm_migration::sea_orm::{
    ConnectionTrait, DatabaseExecutor, DatabaseTransaction, DbBackend, DbErr, Statement,
};
use store::migration::MIGRATIONS;
use store::migration::migration::Migration;
use store::migration::step::{Action, Backfill, Batch, Step};

/// Those of the program, and after them that of the bench.
pub(super) fn migrations() -> &'static [Migration] {
    let all: Vec<_> = MIGRATIONS.iter().copied().chain([AFTER_ALL]).collect();
    all.leak()
}

const AFTER_ALL: Migration = Migration {
    number: 9999,
    name: "m9999_bench",
    up: &[
        Step {
            name: "column of recipient",
            action: Action::Sql {
                postgres: "ALTER TABLE recipient ADD COLUMN source text NOT NULL DEFAULT 'import'",
                sqlite: "",
            },
        },
        Step {
            name: "column of feedback",
            action: Action::Sql {
                postgres: "ALTER TABLE feedback ADD COLUMN size bigint NOT NULL DEFAULT 0",
                sqlite: "",
            },
        },
        Step {
            name: "index of feedback",
            action: Action::Index {
                name: "feedback_submitted",
                on: "feedback (account_id, submitted_at)",
            },
        },
        Step {
            name: "backfill of feedback",
            action: Action::Backfill(&Sizes),
        },
    ],
    finish: &[],
};

const ABOUT: &str =
    "SELECT greatest(reltuples, 0)::bigint FROM pg_class WHERE oid = 'feedback'::regclass";

/// A position is a feedback's key.
const BATCH: &str = "
WITH slice AS (
    SELECT account_id, form_id, feedback_id FROM feedback
     WHERE (account_id, form_id, feedback_id)
         > (split_part($1, '/', 1)::uuid, split_part($1, '/', 2)::uuid, split_part($1, '/', 3)::uuid)
     ORDER BY account_id, form_id, feedback_id LIMIT 1000
), filled AS (
    UPDATE feedback f SET size = length(f.answers) FROM slice s
     WHERE (f.account_id, f.form_id, f.feedback_id) = (s.account_id, s.form_id, s.feedback_id) AND f.size = 0
)
SELECT concat_ws('/', account_id, form_id, feedback_id) AS position, count(*) OVER () AS rows
  FROM slice ORDER BY account_id DESC, form_id DESC, feedback_id DESC LIMIT 1";

const FIRST: &str = "00000000-0000-0000-0000-000000000000/00000000-0000-0000-0000-000000000000/00000000-0000-0000-0000-000000000000";

/// The length of what was answered.
struct Sizes;

#[async_trait]
impl Backfill for Sizes {
    async fn rows(&self, db: &DatabaseExecutor<'_>) -> Result<u64, DbErr> {
        let about = Statement::from_string(DbBackend::Postgres, ABOUT);
        let about: Option<i64> = match db.query_one_raw(about).await? {
            Some(row) => row.try_get_by_index(0)?,
            None => None,
        };
        Ok(about.unwrap_or_default().cast_unsigned())
    }

    async fn batch(
        &self,
        tx: &DatabaseTransaction,
        after: Option<String>,
    ) -> Result<Option<Batch>, DbErr> {
        let after = after.unwrap_or_else(|| FIRST.to_owned());
        let batch = Statement::from_sql_and_values(DbBackend::Postgres, BATCH, [after.into()]);
        let Some(last) = tx.query_one_raw(batch).await? else {
            return Ok(None);
        };
        let rows: i64 = last.try_get("", "rows")?;
        Ok(Some(Batch {
            position: last.try_get("", "position")?,
            rows: rows.cast_unsigned(),
        }))
    }
}
