//! Part `answers`: one hot form through HTTP, against the same INSERTs by `pgbench`, a transaction each.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use tests::app::{App, Backends};
use tests::bench::frame::settle;
use tests::bench::hot::{Hot, script};
use tests::bench::load::{self, CONNECTIONS, Load};
use tests::bench::report::{Row, Target, Unit};
use tests::bench::settings::Settings;
use tests::servers::{Account, Endpoints};

use super::TIME;

pub(super) async fn measure(settings: &Settings, endpoints: &Endpoints) -> Result<Vec<Row>> {
    let app = unlimited(endpoints).await?;
    let hot = Hot::make(&app).await?;
    let folder = Account::folder(None, "answers")?;
    let lua = script(folder.path())?;
    let sql = inserts(&app, &hot, folder.path()).await?;
    let mut rate = Row::new(
        "answers, one hot form",
        Unit::AnswersPerSecond,
        "pgbench",
        Target::RatioAtLeast(1.2),
    );
    // The first of each warms up.
    ours(&app, &hot, &lua).await?;
    theirs(&app, &sql).await?;
    for round in 1..=settings.rounds {
        let (load, reference) = if round % 2 == 1 {
            let load = ours(&app, &hot, &lua).await?;
            (load, theirs(&app, &sql).await?)
        } else {
            let reference = theirs(&app, &sql).await?;
            (ours(&app, &hot, &lua).await?, reference)
        };
        rate.round(load.rate, reference);
        eprintln!(
            "round {round}: {:.0} answers/s, p50 {:.1} ms, p99 {:.1} ms; pgbench {reference:.0}/s",
            load.rate, load.p50, load.p99
        );
    }
    let drift = "SELECT (SELECT count(*) FROM feedback) - (SELECT count(*) FROM visit)";
    let drift = app.backends().sql(drift).await?;
    ensure!(drift == "0", "feedbacks and visits differ by {drift}");
    Ok(vec![rate])
}

/// As in production, without the limit of one link's requests.
pub(super) async fn unlimited(endpoints: &Endpoints) -> Result<App> {
    let backends = Backends::on(endpoints).await?;
    let setup = App::setup().workers(2).on(backends);
    tests::bench::frame::quiet(setup.setting("FEEDBACK_LINK_RATE", "0")).await
}

async fn ours(app: &App, hot: &Hot, lua: &Path) -> Result<Load> {
    settle(app).await?;
    load::wrk(&hot.url, CONNECTIONS, TIME, Some(lua)).await
}

async fn theirs(app: &App, sql: &Path) -> Result<f64> {
    settle(app).await?;
    let Backends::Servers(lease) = app.backends() else {
        anyhow::bail!("no servers");
    };
    load::pgbench(&lease.database, sql, TIME).await
}

/// The INSERTs of one answer, as plain statements in a transaction, into empty copies of the tables: same columns, same
/// indexes. A feedback's id begins with the time, as ours do.
async fn inserts(app: &App, hot: &Hot, folder: &Path) -> Result<PathBuf> {
    for table in ["visit", "visit_view", "feedback", "pending_delta"] {
        let copy = format!("CREATE TABLE {table}_reference (LIKE {table} INCLUDING ALL)");
        app.backends().sql(&copy).await?;
    }
    let token = hot.link["token"].as_str().context("no token")?;
    let form = hot.form["form_id"].as_str().context("no form_id")?;
    let key = format!("SELECT account_id || ' ' || link_id FROM link WHERE token = '{token}'");
    let key = app.backends().sql(&key).await?;
    let (account, link) = key.split_once(' ').context("no link")?;
    let visit = "('a0000000000040008000' || lpad(:n::text, 12, '0'))::uuid";
    let feedback = "(lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0') || '70008000' || lpad(:n::text, 12, '0'))::uuid";
    let answers = r#"{"recommend":9,"mood":5,"clean":4,"reason":"buy","seen":["a","b"],"more":"It was a pleasure, thank you."}"#;
    // As long as the delta of such an answer.
    let delta = "00".repeat(73);
    let file = folder.join("answer.sql");
    let statements = [
        r"\set n random(1, 999999999999)".to_owned(),
        "BEGIN;".to_owned(),
        format!(
            "INSERT INTO visit_reference (account_id, link_id, visit, feedback_id) VALUES ('{account}', '{link}', {visit}, {feedback}) ON CONFLICT DO NOTHING;"
        ),
        format!(
            "INSERT INTO visit_view_reference (account_id, link_id, visit, day, form_id, seen_at) VALUES ('{account}', '{link}', {visit}, current_date, '{form}', now()) ON CONFLICT DO NOTHING;"
        ),
        format!(
            "INSERT INTO feedback_reference (account_id, form_id, feedback_id, link_id, day, submitted_at, bus_prop_ids, track_fields, answers, nps, happiness, has_comment) VALUES ('{account}', '{form}', {feedback}, '{link}', current_date, now(), '1', '{{\"order\":\"4711\"}}', '{answers}', 9, 5, true);"
        ),
        format!(
            "INSERT INTO pending_delta_reference (account_id, form_id, day, bus_prop_ids, delta, link_counts) VALUES ('{account}', '{form}', current_date, '1', '\\x{delta}', '{{\"{link}\":[1,1]}}');"
        ),
        "COMMIT;\n".to_owned(),
    ];
    std::fs::write(&file, statements.join("\n"))?;
    Ok(file)
}
