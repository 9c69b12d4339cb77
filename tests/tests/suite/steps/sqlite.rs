//! What SQLite does with statements: how it finds rows, and what becomes of one that nobody waits for.

mod embedded_only {
    #![expect(
        clippy::disallowed_methods,
        reason = "what is registered is explained, and one statement never ends"
    )]

    use std::time::Duration;

    use anyhow::{Context, Result, ensure};
    use futures::future::join_all;
    use sea_orm::{ConnectionTrait, DbBackend, Statement};
    use store::{Dialect, Store, Workload};
    use tests::app::Backends;
    use tests::wait::{SOON, eventually};
    use tokio::time::timeout;

    use crate::steps::fixture::{Ledger, database_url};

    /// Files of statements about one person, phone or message. They run in the one transaction that writes, while others wait.
    const OF_ONE: [&str; 4] = [
        "src/erasure/messages.rs:",
        "src/send/contact.rs:",
        "src/send/lapse.rs:",
        "src/send/receipt.rs:",
    ];
    /// A page of the audit log.
    const PAGE_OF_LOG: &str = "SELECT a.audit_id, a.at, a.name, a.address";
    /// Looks at all that waits of a campaign, where the statement before it has not found the message.
    const LAST_RESORT: &str = "DELETE FROM message_due WHERE account_id = $1 AND campaign_id = $2 AND message_id = $3 AND fence = 0";
    /// Indexes of what there are few of: the last is that of tests which wait.
    const OF_FEW: [&str; 4] = [
        "INDEX sqlite_autoindex_account_1",
        "INDEX sqlite_autoindex_campaign_1",
        "INDEX sqlite_autoindex_form_1",
        "INDEX message_due_test",
    ];
    /// What a statement brings with it.
    const OF_STATEMENT: [&str; 3] = ["CONSTANT ROW", "batch", "moment"];
    fn statement(text: String) -> Statement {
        Statement::from_string(DbBackend::Sqlite, text)
    }

    /// A statement that counts row by row.
    fn counting_to(most: i64) -> Statement {
        statement(format!(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {most}) SELECT max(i) AS most FROM n"
        ))
    }

    /// The steps of a statement's plan.
    async fn plan(store: &Store, text: &str) -> Result<Vec<String>> {
        let explained = statement(format!("EXPLAIN QUERY PLAN {text}"));
        let steps = store.query_all_raw(explained).await?;
        let steps = steps.iter().map(|step| step.try_get("", "detail"));
        Ok(steps.collect::<Result<_, _>>()?)
    }

    /// Whether a step looks at all of a table, or at all that an account or a campaign has there.
    fn walks(step: &str) -> bool {
        if OF_FEW.iter().any(|index| step.contains(index)) {
            return false;
        }
        if let Some(scanned) = step.strip_prefix("SCAN ") {
            return !OF_STATEMENT.contains(&scanned);
        }
        let found = step.strip_prefix("SEARCH ");
        let Some((index, columns)) = found.and_then(|found| found.split_once('(')) else {
            return false;
        };
        let columns = columns
            .rsplit_once(')')
            .map_or(columns, |(columns, _)| columns);
        let mut columns = columns.split(" AND ");
        // An automatic index is made of all of the table.
        index.contains("AUTOMATIC")
            || columns.all(|column| matches!(column, "account_id=?" | "campaign_id=?"))
    }

    #[tokio::test]
    async fn what_is_about_one_person_or_message_looks_at_no_others() -> Result<()> {
        let ledger = Ledger::open().await?;
        let (mut looked_at, mut wrong) = (0, Vec::new());
        for registered in store::STATEMENTS {
            let Some(text) = (registered.text)(Dialect::Sqlite) else {
                continue;
            };
            let place = registered.place;
            let is_of_one = OF_ONE.iter().any(|file| place.contains(file));
            if text == LAST_RESORT || !is_of_one && !text.starts_with(PAGE_OF_LOG) {
                continue;
            }
            looked_at += 1;
            let steps = plan(&ledger.store, &text).await?;
            let steps = steps.iter().filter(|step| walks(step));
            wrong.extend(steps.map(|step| format!("{place}: {step}")));
        }
        ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
        ensure!(looked_at > 25, "only {looked_at} were looked at");
        Ok(())
    }

    #[tokio::test]
    async fn a_statement_ends_once_nobody_waits_for_it() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let url = database_url(&Backends::Embedded, &folder);
        let store = Store::connect(&url, Workload::Migration)?;
        let mut pools = store.connections().into_iter();
        let readers = pools.find(|pool| pool.pool == "readers");
        let readers = readers.context("no readers")?.most;
        let all = async || {
            let mut all = Vec::new();
            for _ in 0..readers {
                all.push(store.snapshot().await?);
            }
            anyhow::Ok(all)
        };
        let begun = all().await?;
        for reader in &begun {
            // It would count for days.
            let mut running = reader.query_all_raw(counting_to(1_000_000_000_000));
            ensure!(futures::poll!(&mut running).is_pending(), "it has ended");
        }
        drop(begun);
        // Each reader is there for somebody else.
        let again = eventually(SOON, all).await?;
        drop(again);
        let given_up = (0..readers).map(|_| {
            let counting = store.query_all_raw(counting_to(1_000_000_000_000));
            timeout(Duration::from_millis(200), counting)
        });
        for ended in join_all(given_up).await {
            ensure!(ended.is_err(), "it has ended");
        }
        drop(eventually(SOON, all).await?);
        // What ended the statement before ends none that comes after.
        let rows = store.query_all_raw(counting_to(100_000)).await?;
        let most: i64 = rows.first().context("no row")?.try_get("", "most")?;
        ensure!(most == 100_000, "{most}");
        Ok(())
    }
}
