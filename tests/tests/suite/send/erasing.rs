//! Nothing leads to a person who was erased: canaries in every member of a record are looked for in everything that is kept.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use chrono::{TimeDelta, Utc};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::{App, Backends};
use tests::campaign::{CAMPAIGN, campaign_path, count, on_import};
use tests::client::Client;
use tests::form::short_form;
use tests::import::{IMPORT, JSON, array};
use tests::report::Of;
use tests::visitor::Visitor;
use tests::wait::{LATER, SOON, eventually};
use tests::webhook::SECRET;

use super::peer::{Peer, sender_to};
use super::people::visitor;
use super::replies::inbound_path;
use super::{skipped, with_senders};

const DOCID: &str = "canary-docid";
const PHONE: &str = "+4915112340987";
const FIRST_NAME: &str = "canary-name";
const EMAIL: &str = "canary@example.com";
const CITY: &str = "canary-city";
/// Of a link that is no campaign's.
const NOTE: &str = "canary-note";
const CANARIES: [&str; 6] = [DOCID, "15112340987", FIRST_NAME, EMAIL, CITY, NOTE];
/// What exports a person.
const PERSON: &str = "/api_v1/sms/person";
const OTHER_PHONE: &str = "+4915112340988";

/// Names of the keys of Redis under which one of the texts stands, or what is no text at all.
const IN_REDIS: &str = "local found = {} for _, key in ipairs(redis.call('KEYS', '*')) do \
     local value = redis.pcall('GET', key) \
     if type(value) == 'table' then table.insert(found, key) else for _, canary in ipairs(ARGV) do \
     if key:find(canary, 1, true) or (value or ''):find(canary, 1, true) then table.insert(found, key) end end end end \
     return found";

/// A day from today on.
fn day(days: i64) -> String {
    let at = Utc::now() + TimeDelta::days(days);
    at.date_naive().to_string()
}

/// Where a canary still stands.
async fn leftovers(app: &App) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for file in files(app.folder())? {
        // SQLite removes its log meanwhile.
        let Ok(bytes) = std::fs::read(&file) else {
            continue;
        };
        found.extend(canaries_in(&bytes, &file.display().to_string()));
    }
    if let Backends::Servers(lease) = app.backends() {
        let dump = Command::new("pg_dump").arg(&lease.database).output()?;
        ensure!(dump.status.success(), "{dump:?}");
        found.extend(canaries_in(&dump.stdout, "the dump"));
        let in_redis = Command::new("redis-cli")
            .args(["-u", &lease.redis, "EVAL", IN_REDIS, "0"])
            .args(CANARIES)
            .output()?;
        ensure!(in_redis.status.success(), "{in_redis:?}");
        let keys = String::from_utf8(in_redis.stdout)?;
        let keys = keys.lines().filter(|line| !line.is_empty());
        found.extend(keys.map(|key| format!("{key} in Redis")));
    }
    for service in app.apis.iter().chain(&app.workers) {
        let metrics = app.anonymous()?.at(service.base()).get("/metrics").await?;
        found.extend(canaries_in(metrics.text()?.as_bytes(), "the metrics"));
    }
    Ok(found)
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(self::files(&path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}

/// Also as a dump of PostgreSQL writes bytes.
fn canaries_in(bytes: &[u8], place: &str) -> Vec<String> {
    let holds = |text: &[u8]| bytes.windows(text.len()).any(|window| window == text);
    let found = CANARIES.iter().filter(|canary| {
        let digits: Vec<String> = canary.bytes().map(|byte| format!("{byte:02x}")).collect();
        let digits = digits.concat();
        holds(canary.as_bytes()) || holds(digits.as_bytes())
    });
    found.map(|canary| format!("{canary} in {place}")).collect()
}

/// A campaign over what is imported for it, whose links have fields of the recipient.
async fn campaign(client: &Client, form: &Value) -> Result<Value> {
    let mut body = on_import(form, "peer");
    body["text"] = json!("Hello {first_name}: {link}");
    body["track_fields"] = json!(["first_name", "email", "city"]);
    body["bus_props_from"] = json!({"store": "store_code"});
    let made = client
        .call(Method::POST, CAMPAIGN)
        .body(JSON, body.to_string());
    let campaign: Value = made.send().await?.expect(201)?.json()?;
    client.act(&campaign, "start").await?.expect(200)?.json()
}

/// The person's record, one of the same docid that is refused for it, and somebody else's.
fn people() -> [Value; 3] {
    [
        json!({"docid": DOCID, "phone": PHONE, "first_name": FIRST_NAME, "email": EMAIL, "city": CITY, "store_code": "S1"}),
        json!({"docid": DOCID, "phone": PHONE}),
        json!({"docid": "other", "phone": OTHER_PHONE, "first_name": "Other", "store_code": "S1"}),
    ]
}

/// Reads a report unless it is still that with this tag, until it is as it should be. Its tag.
async fn report_of(
    client: &Client,
    path: &str,
    tag: &str,
    is_right: impl Fn(&str) -> bool,
) -> Result<String> {
    eventually(SOON, async || {
        let read = client.call(Method::GET, path).header("if-none-match", tag);
        let read = read.send().await?.expect(200)?;
        ensure!(is_right(read.text()?), "{read:?}");
        Ok(read.header("etag").context("no ETag")?.to_owned())
    })
    .await
}

/// All that leads to the person is in what is exported of them, by docid and by phone, and in nobody else's.
async fn is_exported(client: &Client) -> Result<()> {
    let phone = PHONE.replace('+', "%2B");
    for whom in [format!("/{DOCID}"), format!("?phone={phone}")] {
        let all = client.get(&format!("{PERSON}{whom}")).await?.expect(200)?;
        for part in CANARIES.iter().chain(&["cold soup"]) {
            ensure!(all.text()?.contains(part), "no {part}: {all:?}");
        }
        ensure!(!all.text()?.contains("Other"), "{all:?}");
    }
    let other = client.get(&format!("{PERSON}/other")).await?;
    let found = canaries_in(other.expect(200)?.text()?.as_bytes(), "another's");
    ensure!(found.is_empty(), "{found:?}");
    for wrong in ["", "?phone=1"] {
        let refused = client.get(&format!("{PERSON}{wrong}")).await?;
        refused.problem(400, "invalid_parameter")?;
    }
    let nobody = client.get(&format!("{PERSON}/nobody")).await?;
    nobody.problem(404, "not_found")?;
    Ok(())
}

#[tokio::test]
async fn more_than_is_stored_of_any_person_is_not_exported() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let form = client.published(&short_form("After the visit")).await?;
    let values = ["a", "b", "c", "d", "e"].map(|name| format!("{name}={}", "x".repeat(1_024)));
    let mut fields = vec![("track_field", "docid=many")];
    fields.extend(values.iter().map(|value| ("track_field", value.as_str())));
    client.link(&form, "", &fields).await?;
    let path = format!("{PERSON}/many");
    client.get(&path).await?.expect(200)?;
    for _ in 0..900 {
        client.link(&form, "", &fields).await?;
    }
    client.get(&path).await?.problem(413, "too_many_records")?;
    client.erase("many").await?.expect(204)?;
    client.get(&path).await?.problem(404, "not_found")?;
    Ok(())
}

#[tokio::test]
async fn that_a_former_phone_opted_out_is_exported() -> Result<()> {
    let (_peer, address) = Peer::start().await?;
    let app = with_senders(&sender_to(&address, "")).start().await?;
    let client = app.client().await?;
    let with_phone = |phone: &str| [json!({"docid": DOCID, "phone": phone})];
    let campaign = client.running("peer", &with_phone(PHONE)).await?;
    client.until_first(&campaign, "accepted", 1).await?;
    let stop = json!({"id": "1", "from": PHONE, "to": "12345", "text": "STOP"});
    let hook = inbound_path(&app, "peer").await?;
    let stopped = app.anonymous()?.webhook(&hook, SECRET, &stop).await?;
    stopped.expect(200)?;
    client.import(&with_phone(OTHER_PHONE)).await?;
    eventually(LATER, async || {
        let all = client.get(&format!("{PERSON}/{DOCID}")).await?;
        let all: Value = all.expect(200)?.json()?;
        ensure!(all["recipient"]["phone"] == OTHER_PHONE, "{all}");
        let contact = &all["contact"];
        ensure!(contact["opted_out_at"].is_string(), "{all}");
        ensure!(contact["source"] == "inbound", "{all}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn nothing_leads_to_a_person_who_was_erased() -> Result<()> {
    let (peer, address) = Peer::start().await?;
    let app = with_senders(&sender_to(&address, "")).start().await?;
    let client = app.client().await?;
    let mut form = short_form("After the visit");
    form["bus_props"] = json!(["store:S1"]);
    form["piping"] = json!(true);
    form["fields"][0]["label"] = json!("How was it, {first_name|you}?");
    let form = client.published(&form).await?;
    let first = campaign(&client, &form).await?;
    let id = first["campaign_id"].as_str().context("no id")?;
    let import = async || {
        let import = client.call(Method::POST, &format!("{IMPORT}?campaign={id}"));
        let import = import.header("idempotency-key", "canaries");
        import
            .body(JSON, array(&people()))
            .send()
            .await?
            .expect(202)
    };
    let accepted: Value = import().await?.json()?;
    let batch = accepted["batch_id"].as_str().context("no batch")?;
    let errors = format!("{IMPORT}/{batch}/errors");
    peer.until(2).await?;
    let person = visitor(&app, &peer.message_to(PHONE)?)?;
    let page = person.page().await?.expect(200)?;
    ensure!(page.text()?.contains(FIRST_NAME), "{page:?}");
    person.view().await?.expect(204)?;
    person
        .stored(&json!({"mood": 2, "more": "cold soup"}))
        .await?;
    let docid = format!("docid={DOCID}");
    let note = format!("note={NOTE}");
    let fields = [("track_field", &*docid), ("track_field", &*note)];
    let link = client.link(&form, "", &fields).await?;
    let visitor_of_link = Visitor::new(&app.anonymous()?, &link)?;
    visitor_of_link.stored(&json!({"mood": 4})).await?;
    let test = json!({"phone": OTHER_PHONE, "docid": DOCID});
    let path = format!("{}/test", campaign_path(&first));
    client
        .send_json(Method::POST, &path, &test)
        .await?
        .expect(200)?;
    peer.until(3).await?;
    client.until_first(&first, "accepted", 2).await?;
    ensure!(!leftovers(&app).await?.is_empty(), "they were never there");
    let report = Of::Form.path(&form, (&day(-1), &day(1)), "");
    let seen = report_of(&client, &report, "", |text| text.contains(FIRST_NAME)).await?;

    is_exported(&client).await?;
    client.erase(DOCID).await?.expect(204)?;
    let is_clean = |text: &str| canaries_in(text.as_bytes(), "").is_empty();
    report_of(&client, &report, &seen, is_clean).await?;
    let stop = client.call(Method::POST, &format!("{}/stop", person.path()));
    let stop = stop
        .header("accept-language", "en")
        .send()
        .await?
        .expect(200)?;
    ensure!(stop.text()?.contains("reply STOP"), "{stop:?}");
    eventually(SOON, async || {
        let page = person.page().await?;
        ensure!(!page.text()?.contains(FIRST_NAME), "{page:?}");
        Ok(())
    })
    .await?;
    client.recipient(DOCID).await?.expect(404)?;
    let messages = format!("/api_v1/sms/recipient/{DOCID}/message");
    client.get(&messages).await?.expect(404)?;
    // What imports say of the person goes a moment later.
    eventually(LATER, async || {
        let refused: Value = client.get(&errors).await?.expect(200)?.json()?;
        ensure!(refused["items"][0]["docid"].is_null(), "{refused}");
        let answer: Value = import().await?.json()?;
        ensure!(answer["errors"][0]["docid"].is_null(), "{answer}");
        let found = leftovers(&app).await?;
        ensure!(found.is_empty(), "{found:?}");
        Ok(())
    })
    .await?;
    let answer: Value = import().await?.json()?;
    ensure!(answer["errors"][0]["code"] == "docid_duplicate", "{answer}");
    app.succeeds(&["verify"]).await?;

    // The same person comes back, for the same campaign and another one.
    let second = campaign(&client, &form).await?;
    for campaign in [&first, &second] {
        client.imported_for(campaign, &people()).await?;
    }
    let done = client.until_first(&second, "accepted", 2).await?;
    ensure!(skipped(&done, "first", "duplicate_phone") == 0, "{done}");
    let after = client.read_campaign(&first).await?;
    ensure!(count(&after, "first", "recipients") == 2, "{after}");
    ensure!(peer.messages().len() == 5, "{:?}", peer.messages());
    app.succeeds(&["verify"]).await?;
    Ok(())
}
