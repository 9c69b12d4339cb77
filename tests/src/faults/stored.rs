//! Whether what is stored, and what is said of it, is what it must be.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::check;
use crate::client::Client;
use crate::form::form_path;
use crate::oracle::{self, Feedback, FormHistory, ReportScope};
use crate::report::Of;
use crate::wait::{SOON, eventually};
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use uuid::Uuid;

use super::account::{Account, Answered, Posted};
use super::slice::Pool;

/// Adds what is wrong. `ledger` holds the `seq` of each batch, `batches` its last status.
///
/// # Errors
/// When it cannot be found out.
pub async fn judge(
    account: &Account<'_>,
    posted: &[Posted],
    ledger: &HashMap<String, u64>,
    batches: &HashMap<String, Value>,
    found: &mut Vec<String>,
) -> Result<()> {
    let stored = stored(account).await?;
    for (docid, row) in &stored {
        if !ledger.contains_key(&row.batch_id) {
            found.push(format!(
                "{docid} is of batch {}, which is not there",
                row.batch_id
            ));
        }
    }
    for pool in [Pool::Shared, Pool::Sent] {
        let posted = posted.iter().filter(|one| one.slice.pool == pool);
        let posted: Vec<&Posted> = posted.collect();
        values_stand(account, pool, &posted, ledger, batches, &stored, found)?;
    }
    erasures_stand(account, &stored, found);
    counts_agree(account, posted, batches, &stored, found).await
}

/// A row of `recipient` that holds a person.
struct Row {
    phone: String,
    version: String,
    batch_id: String,
}

/// All of an account, by docid.
async fn stored(account: &Account<'_>) -> Result<HashMap<String, Row>> {
    let select = format!(
        "SELECT docid, phone, fields->>'version', batch_id FROM recipient \
         WHERE account_id = '{}' AND phone IS NOT NULL",
        account.id
    );
    let mut rows = HashMap::new();
    for line in account.stage.sql(&select).await?.lines() {
        let mut columns = line.split('|').map(str::to_owned);
        let mut column = || columns.next().context("no column");
        let (docid, phone, version, batch_id) = (column()?, column()?, column()?, column()?);
        rows.insert(
            docid,
            Row {
                phone,
                version,
                batch_id,
            },
        );
    }
    Ok(rows)
}

/// What stands at a docid of a pool is what the import accepted last said of it; or what one cancelled said later.
fn values_stand(
    account: &Account<'_>,
    pool: Pool,
    posted: &[&Posted],
    ledger: &HashMap<String, u64>,
    batches: &HashMap<String, Value>,
    stored: &HashMap<String, Row>,
    found: &mut Vec<String>,
) -> Result<()> {
    let mut in_order: Vec<(u64, &Posted)> = Vec::new();
    for one in posted {
        // Cancelled before any of it was stored, it cannot have stored any.
        let batch = batches.get(&one.batch_id).context("no batch")?;
        if batch["cancelled"] != batch["accepted"] {
            let seq = ledger.get(&one.batch_id).copied().unwrap_or_default();
            in_order.push((seq, one));
        }
    }
    in_order.sort_by_key(|(seq, _)| *seq);
    let size = usize::try_from(pool.size())?;
    // Newest last; of each docid the last completed import, and those cancelled after it.
    let mut may_stand: Vec<Vec<&Posted>> = vec![Vec::new(); size];
    for (_, one) in in_order {
        let completed = one.cancelled.is_none();
        for number in one.slice.numbers() {
            let may = may_stand
                .get_mut(usize::try_from(number)?)
                .context("no such docid")?;
            if completed {
                may.clear();
            }
            may.push(one);
        }
    }
    for (number, may) in may_stand.iter().enumerate() {
        let number = number as u64;
        let docid = pool.docid(number);
        let Some(row) = stored.get(&docid) else {
            if may.iter().any(|one| one.cancelled.is_none()) {
                found.push(format!("{docid} is not stored; it should be as in {may:?}"));
            }
            continue;
        };
        let fits = |one: &&Posted| {
            row.version == one.version.to_string()
                && row.phone == pool.phone(number, one.version, account.number)
        };
        if !may.iter().any(fits) {
            let Row {
                version, batch_id, ..
            } = row;
            found.push(format!(
                "{docid} is stored as version {version} of {batch_id}; it should be as in {may:?}"
            ));
        }
    }
    Ok(())
}

/// The erased pool is as its only task left it.
fn erasures_stand(account: &Account<'_>, stored: &HashMap<String, Row>, found: &mut Vec<String>) {
    let pool = Pool::Erased;
    for (number, stands) in (0..).zip(account.erased.borrow().iter()) {
        let docid = pool.docid(number);
        let is = stored.get(&docid).map(|row| (&row.version, &row.phone));
        let should = stands.last().and_then(|last| last.version);
        let should = should.map(|version| {
            let phone = pool.phone(number, version, account.number);
            (version.to_string(), phone)
        });
        if is != should.as_ref().map(|(version, phone)| (version, phone)) {
            found.push(format!("{docid} is {is:?} and should be {should:?}"));
        }
    }
}

/// Each docid was created once; the days' counts and every api's report are those of the rows.
async fn counts_agree(
    account: &Account<'_>,
    posted: &[Posted],
    batches: &HashMap<String, Value>,
    stored: &HashMap<String, Row>,
    found: &mut Vec<String>,
) -> Result<()> {
    let mut created = 0;
    for one in posted.iter().filter(|one| one.slice.pool != Pool::Erased) {
        let batch = batches.get(&one.batch_id).context("no batch")?;
        created += check::outcome(batch, "created")?;
    }
    let never_erased = stored.keys().filter(|docid| !docid.starts_with("E-"));
    let never_erased = never_erased.count() as u64;
    if created != never_erased {
        found.push(format!(
            "{created} were counted as created, {never_erased} are stored"
        ));
    }
    let id = &account.id;
    let by_day = |sql: String| async move {
        let rows = account.stage.sql(&sql).await?;
        let days = rows.lines().filter_map(|row| row.split_once('|'));
        let days = days.map(|(day, count)| (day.to_owned(), count.to_owned()));
        anyhow::Ok(days.collect::<BTreeMap<String, String>>())
    };
    let rollup = by_day(format!(
        "SELECT day, recipients FROM recipient_rollup WHERE account_id = '{id}' AND recipients <> 0"
    ));
    let rows = by_day(format!(
        "SELECT created_day, count(*) FROM recipient WHERE account_id = '{id}' AND phone IS NOT NULL GROUP BY 1"
    ));
    let (rollup, rows) = (rollup.await?, rows.await?);
    if rollup != rows {
        found.push(format!("the days count {rollup:?}, the rows are {rows:?}"));
    }
    let around = "SELECT current_date - 1 || '/' || current_date + 1";
    let around = account.stage.sql(around).await?;
    let path = format!("/api_v1/report/overview/{around}");
    for client in &account.clients {
        let reported = eventually(SOON, async || {
            let report = client.get(&path).await?.expect(200)?.json()?;
            let reported = check::count(&report["metrics"], "recipients")?;
            if reported != stored.len() as u64 {
                bail!("{} are stored, the report says {reported}", stored.len());
            }
            Ok(())
        });
        if let Err(wrong) = reported.await {
            found.push(format!("{wrong:#}"));
        }
        if let Err(wrong) = answers_agree(account, client, &around).await {
            found.push(format!("{wrong:#}"));
        }
    }
    Ok(())
}

/// Each visit is one view and each that was answered one response, and every answer is in the list.
async fn answers_agree(account: &Account<'_>, client: &Client, around: &str) -> Result<()> {
    let (from, to) = around.split_once('/').context("no days")?;
    let (views, responses) = (account.seen.borrow().len(), account.answered.borrow().len());
    eventually(SOON, async || {
        let report = client
            .report(Of::Form, &account.form, (from, to), "")
            .await?;
        let metrics = &report["metrics"];
        ensure!(
            metrics["views"] == views && metrics["responses"] == responses,
            "not {views} views and {responses} responses: {metrics}"
        );
        Ok(())
    })
    .await?;
    let mut listed = BTreeSet::new();
    let path = Of::Feedbacks.path(&account.form, (from, to), "");
    for item in client.pages(&path).await?.0 {
        let id = item["feedback_id"].as_str().context("no feedback_id")?;
        listed.insert(id.to_owned());
    }
    let answered = account.answered.borrow().clone();
    let ids = answered.iter().map(|one| one.feedback_id.clone());
    ensure!(
        listed == ids.collect(),
        "the feedbacks are not those that were answered 201: {listed:?}"
    );
    let form = client.get(&form_path(&account.form)).await?.expect(200)?;
    let history = history(account, form.json()?, &answered)?;
    let wanted = history.form_report(ReportScope {
        start: from.parse()?,
        end: to.parse()?,
        bus_prop: "",
    });
    let report = client.report(Of::Form, &account.form, (from, to), "");
    oracle::agrees(&report.await?, &wanted)
}

/// What an account's people did, as they were answered.
fn history(account: &Account<'_>, form: Value, answered: &[Answered]) -> Result<FormHistory> {
    let day = account.stage.today();
    let views = account.seen.borrow();
    let views = views.keys().map(|visit| {
        let visit = Uuid::try_parse(visit)?.as_u128();
        anyhow::Ok((0, visit, day))
    });
    let feedbacks = answered.iter().map(|one| Feedback {
        id: one.feedback_id.clone(),
        link: 0,
        day,
        answers: one.answers.clone(),
    });
    Ok(FormHistory {
        form,
        views: views.collect::<Result<_>>()?,
        links: vec![BTreeSet::new()],
        feedbacks: feedbacks.collect(),
    })
}
