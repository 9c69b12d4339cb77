//! SMPP centres that others wrote.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use chrono::{SecondsFormat, TimeDelta, Utc};
use serde_json::{Value, json};
use tests::campaign::{campaign_path, count};
use tests::import::{record, records};
use tests::process::Process;
use tests::servers::free_port;
use tests::tools::{Tool, own};
use tests::wait::{LATER, SOON, eventually};

use super::replies::suppressed;
use super::{degrades, with_senders};

/// Fewer than make a sender pause where a cut leaves all of them unknown.
const WINDOW: usize = 3;
/// Texts of one part and of two, in both alphabets.
const STORES: [&str; 4] = ["S1", "^{}\\[~]|€ äÄ@", "Жуковский 😀", ""];

fn sender(scheme: &str, port: u16) -> String {
    format!(
        "centre={scheme}://feedback:hush@127.0.0.1:{port}?accounts=*&from=12345&rate=1000&window={WINDOW}"
    )
}

fn taken(log: &Path) -> Result<Vec<Value>> {
    let log = std::fs::read_to_string(log)?;
    let lines = log.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().with_context(|| log.clone())
}

fn open(campaign: &Value) -> u64 {
    let open = ["scheduled", "sending", "accepted"].iter();
    open.map(|name| count(campaign, "first", name)).sum()
}

/// The texts by number, put together from their parts, none of which came twice.
fn texts(taken: &[Value]) -> Result<HashMap<String, String>> {
    let mut parts: HashMap<(String, u64), &Value> = HashMap::new();
    for message in taken {
        let to = message["to"].as_str().context("no number")?;
        let part = message["part"][1].as_u64().context("no part")?;
        let twice = parts.insert((to.to_owned(), part), message);
        ensure!(twice.is_none(), "twice: {message}");
    }
    let mut numbers: Vec<_> = parts.keys().cloned().collect();
    numbers.sort();
    let mut texts: HashMap<String, String> = HashMap::new();
    for (to, part) in numbers {
        let text = parts[&(to.clone(), part)]["text"]
            .as_str()
            .context("no text")?;
        texts.entry(to).or_default().push_str(text);
    }
    Ok(texts)
}

#[tokio::test]
async fn a_centre_gets_each_message_once_whatever_it_does() -> Result<()> {
    let port = free_port()?;
    let number = |record: usize| (491_510_000_000 + record as u64).to_string();
    let oddities = [
        (3, "throttle"),
        (5, "early"),
        (8, "fail"),
        (12, "swallow"),
        (20, "echo"),
        (28, "refuse"),
        (36, "stop"),
        (44, "cut"),
    ];
    let by_number: HashMap<_, _> = oddities
        .map(|(record, oddity)| (number(record), oddity))
        .into();
    let tool =
        Tool::node(&own("npm/centre.js"))?.args([port.to_string(), json!(by_number).to_string()]);
    let folder = tempfile::tempdir()?;
    let log = folder.path().join("centre.log");
    let _centre = tool.listening(port, &log).await?;
    let app = with_senders(&sender("smpp", port)).start().await?;
    let client = app.client().await?;
    let mut rows = records("A", 60, "1");
    let in_parts = "ä".repeat(150);
    for (record, store) in rows.iter_mut().zip(STORES.iter().cycle()) {
        record["store_code"] = json!(if store.is_empty() { &in_parts } else { *store });
    }
    let campaign = client.running("centre", &rows).await?;
    let done = client
        .until(&campaign, |now| {
            count(now, "first", "recipients") == 60 && open(now) == 0
        })
        .await?;
    let [failed, undelivered, unknown, delivered] =
        ["failed", "undelivered", "unknown", "delivered"]
            .map(|status| count(&done, "first", status));
    ensure!((failed, undelivered) == (1, 1), "{done}");
    // The one without an answer, and those under way when the connection was cut.
    ensure!((2..=1 + WINDOW as u64).contains(&unknown), "{done}");
    ensure!(failed + undelivered + unknown + delivered == 60, "{done}");

    let path = format!("{}/message?status=unknown", campaign_path(&campaign));
    let list = client.get(&path).await?.expect(200)?.json()?;
    let list = list["items"].as_array().context("no list")?;
    let unknown: Vec<_> = list.iter().map(|message| &message["docid"]).collect();
    let texts = texts(&taken(&log)?)?;
    for (record, recipient) in rows.iter().enumerate() {
        if unknown.contains(&&recipient["docid"]) {
            continue;
        }
        let text = texts.get(&number(record)).context("it never came")?;
        let store = recipient["store_code"].as_str().unwrap_or_default();
        let start = format!("How was {store}? https://feedback.example/f/");
        let token = text.strip_prefix(&start);
        ensure!(
            token.is_some_and(|token| token.len() == 11),
            "{record}: {text}"
        );
    }
    ensure!(suppressed(&client).await? == 1, "nobody opted out");
    Ok(())
}

#[tokio::test]
async fn a_centre_that_reports_by_parameters_alone_is_understood() -> Result<()> {
    let port = free_port()?;
    let script = own("python/centre.py").into_os_string();
    let tool = Tool::python("python")?.args([script, port.to_string().into()]);
    let folder = tempfile::tempdir()?;
    let log = folder.path().join("centre.log");
    let _centre = tool.listening(port, &log).await?;
    let app = with_senders(&sender("smpp", port)).start().await?;
    let client = app.client().await?;
    let campaign = client.running("centre", &records("A", 50, "1")).await?;
    client.until_first(&campaign, "delivered", 50).await?;
    let mut came: Vec<_> = taken(&log)?
        .iter()
        .map(|message| message["to"].to_string())
        .collect();
    came.sort();
    came.dedup();
    if came.len() != 50 || taken(&log)?.len() != 50 {
        bail!("{came:?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_centre_over_tls_gets_messages_if_its_certificate_is_trusted() -> Result<()> {
    let port = free_port()?;
    let folder = tempfile::tempdir()?;
    let [key, certificate, log] =
        ["key.pem", "certificate.pem", "centre.log"].map(|name| folder.path().join(name));
    let certified = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()])?;
    std::fs::write(&key, certified.signing_key.serialize_pem())?;
    std::fs::write(&certificate, certified.cert.pem())?;
    let tool = Tool::node(&own("npm/centre.js"))?
        .args([port.to_string(), json!({}).to_string()])
        .args([&key, &certificate]);
    let _centre = tool.listening(port, &log).await?;

    let trusted = certificate.to_str().context("a path")?;
    for (certificates, status) in [("/dev/null", "scheduled"), (trusted, "delivered")] {
        let mut app = with_senders(&sender("smpps", port))
            .setting("SSL_CERT_FILE", certificates)
            .start()
            .await?;
        let client = app.client().await?;
        let campaign = client.running("centre", &records("A", 3, "1")).await?;
        client.until_first(&campaign, status, 3).await?;
        if status == "scheduled" {
            degrades(&mut app, "centre smpp-unbound").await?;
            ensure!(taken(&log)?.is_empty(), "a message came");
        }
    }
    ensure!(taken(&log)?.len() == 3, "not three messages");
    Ok(())
}

/// A centre that does the same to all numbers.
async fn centre(oddity: &str, log: &Path) -> Result<(Process, u16)> {
    let port = free_port()?;
    let tool = Tool::node(&own("npm/centre.js"))?
        .args([port.to_string(), json!({"*": oddity}).to_string()]);
    Ok((tool.listening(port, log).await?, port))
}

#[tokio::test]
async fn receipts_that_come_after_a_kill_find_their_messages() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let log = folder.path().join("centre.log");
    // It answers after 4 s, and echoes our numbers in receipts after 12 s.
    let (_centre, port) = centre("late", &log).await?;
    let sender = sender("smpp", port).replace(&format!("window={WINDOW}"), "window=20");
    let mut app = with_senders(&sender).start().await?;
    let client = app.client().await?;
    let campaign = client.running("centre", &records("A", 20, "1")).await?;
    eventually(SOON, async || {
        let taken = taken(&log)?.len();
        ensure!(taken == 20, "{taken} messages came");
        Ok(())
    })
    .await?;
    app.worker()?.kill()?;
    app.worker()?.start_again().await?;
    client.until_first(&campaign, "delivered", 20).await?;
    ensure!(taken(&log)?.len() == 20, "more than twenty messages came");
    Ok(())
}

#[tokio::test]
async fn a_centre_that_unbinds_makes_nothing_unknown() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let log = folder.path().join("centre.log");
    // With each message, which it answers later.
    let (_centre, port) = centre("unbind", &log).await?;
    let app = with_senders(&sender("smpp", port)).start().await?;
    let client = app.client().await?;
    let campaign = client.running("centre", &records("A", 9, "1")).await?;
    client.until_first(&campaign, "delivered", 9).await?;
    ensure!(taken(&log)?.len() == 9, "not nine messages came");
    Ok(())
}

#[tokio::test]
async fn receipts_whose_ids_are_decimal_and_padded_find_their_messages() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let log = folder.path().join("centre.log");
    let (_centre, port) = centre("decimal", &log).await?;
    let app = with_senders(&sender("smpp", port)).start().await?;
    let client = app.client().await?;
    let campaign = client.running("centre", &records("A", 50, "1")).await?;
    client.until_first(&campaign, "delivered", 50).await?;
    Ok(())
}

#[tokio::test]
async fn receipts_of_no_message_are_not_counted_as_delivered() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let log = folder.path().join("centre.log");
    let (_centre, port) = centre("stranger", &log).await?;
    let mut app = with_senders(&sender("smpp", port)).start().await?;
    let client = app.client().await?;
    let campaign = client.running("centre", &records("A", 5, "1")).await?;
    client.until_first(&campaign, "delivered", 5).await?;
    let earlier = Utc::now() - TimeDelta::minutes(10);
    let earlier = earlier.to_rfc3339_opts(SecondsFormat::Secs, false);
    app.sql(&format!(
        "UPDATE stray_receipt SET received_at = '{earlier}'"
    ))
    .await?;
    let (anonymous, worker) = (app.anonymous()?, app.worker()?);
    let worker = anonymous.at(worker.base());
    eventually(LATER, async || {
        let answer = worker.get("/metrics").await?.expect(200)?;
        let metrics = answer.text()?;
        for line in [
            "feedback_receipts_total{sender=\"centre\",status=\"delivered\"} 5\n",
            // They are of one id.
            "feedback_unmatched_receipts{sender=\"centre\"} 1\n",
        ] {
            ensure!(metrics.contains(line), "no {line} in {metrics}");
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_stop_in_national_form_counts() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let log = folder.path().join("centre.log");
    let (_centre, port) = centre("national stop", &log).await?;
    let app = with_senders(&sender("smpp", port)).start().await?;
    let client = app.client().await?;
    client.running("centre", &[record("A1")]).await?;
    eventually(LATER, async || {
        ensure!(suppressed(&client).await? == 1, "nobody opted out");
        Ok(())
    })
    .await
}
