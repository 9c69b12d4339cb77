//! The audit log: what has a row, whom it names; it is sealed, verified by a command, and exported.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::App;
use tests::campaign::{campaign_path, on_import};
use tests::client::Client;
use tests::form::{form_path, link_path, short_form};
use tests::raw::Raw;
use tests::wait::{LATER, SOON, eventually};

const LOG: &str = "/api_v1/audit";
/// The command that verifies the log of one account.
const VERIFY: [&str; 4] = ["audit", "verify", "--account", "shop"];
/// Clients that hang up.
const HANG_UPS: usize = 100;

#[tokio::test]
async fn what_is_sealed_within_seconds_cannot_be_changed_unseen() -> Result<()> {
    let app = App::start().await?;
    app.create_key("shop", &[]).await?;
    eventually(SOON, async || {
        let output = app.cli(&VERIFY).await?;
        let told = String::from_utf8_lossy(&output.stderr);
        let is_sealed = told.contains("shop: 2 rows as they were sealed");
        ensure!(output.status.success() && is_sealed, "{output:?}");
        Ok(())
    })
    .await?;
    let found = app.succeeds(&[&VERIFY[..], &["--json"]].concat()).await?;
    let found: Value = serde_json::from_str(&found)?;
    let last = found["seals"][0]["last"].as_str().context("no seal")?;
    ensure!(found["seals"][0]["account"] == "shop", "{found}");
    let expect = |seal| [&VERIFY[..], &["--expect", seal]].concat();
    let printed = app.succeeds(&expect(last)).await?;
    ensure!(printed.contains(last), "{printed}");
    for (other, fault) in [("9:0a", "seal_removed"), ("1:0a", "seal_changed")] {
        let output = app.cli(&expect(other)).await?;
        let listed = String::from_utf8_lossy(&output.stdout);
        ensure!(output.status.code() == Some(1), "{output:?}");
        ensure!(listed.contains(fault), "{output:?}");
    }
    app.sql("UPDATE audit SET action = 'key.revoke' WHERE outcome_of IS NULL")
        .await?;
    let output = app.cli(&VERIFY).await?;
    let listed = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.code() == Some(1), "{output:?}");
    ensure!(listed.contains("row_changed"), "{output:?}");
    app.refuses(
        &["audit", "verify", "--account", "nobody"],
        "there is no account",
    )
    .await
}

#[tokio::test]
async fn the_log_is_a_list_and_lines_for_whoever_may_read_it() -> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &["--scopes", "audit"]).await?;
    let reader = app.anonymous()?.with_keys(&keys);
    let other = app.create_key("shop", &["--scopes", "report,form"]).await?;
    let other = app.anonymous()?.with_keys(&other);
    other.get(LOG).await?.problem(403, "forbidden")?;
    let list = reader.get(LOG).await?.expect(200)?.json()?;
    let actions = |items: &[Value]| -> Vec<_> {
        let items = items
            .iter()
            .map(|item| (item["action"].clone(), item["status"].clone()));
        items.collect()
    };
    let created = (json!("key.create"), json!(200));
    let items = list["items"].as_array().context("no items")?;
    ensure!(actions(items) == vec![created.clone(); 2], "{list}");
    let first = reader.get(&format!("{LOG}?limit=1")).await?.expect(200)?;
    ensure!(first.json()?["next_cursor"].is_string(), "{first:?}");
    let past = reader
        .get(&format!("{LOG}?to=2020-01-01"))
        .await?
        .expect(200)?;
    ensure!(past.json()?["items"] == json!([]), "{past:?}");
    for query in ["from=yesterday", "from=2026-01-02&to=2026-01-01"] {
        let refused = reader.get(&format!("{LOG}?{query}")).await?;
        refused.problem(400, "invalid_parameter")?;
    }
    let lines = async |query: &str| {
        let path = format!("{LOG}?{query}");
        let call = reader.call(Method::GET, &path);
        let answer = call.header("accept", "application/x-ndjson").send().await?;
        let answer = answer.expect(200)?;
        let lines = answer.text()?.lines().map(serde_json::from_str);
        anyhow::Ok(lines.collect::<Result<Vec<Value>, _>>()?)
    };
    // What is exported begins with the row of its export.
    let all = lines("from=2020-01-01").await?;
    let exporting = (json!("audit.export"), json!(null));
    let expected = [exporting, created.clone(), created];
    ensure!(actions(&all) == expected, "{all:?}");
    ensure!(
        all[0]["name"] == keys.api_key && all[0]["subject"] == "2020-01-01 – ",
        "{all:?}"
    );
    let printed = app
        .succeeds(&["audit", "export", "--account", "shop"])
        .await?;
    ensure!(printed.lines().count() == 4, "{printed}");
    let admin = app.person("ada", "shop", "admin").await?;
    let page = admin.get("/dashboard/audit").await?;
    ensure!(page.text()?.contains("/dashboard/audit.ndjson"), "{page:?}");
    let file = admin.get("/dashboard/audit.ndjson").await?.expect(200)?;
    ensure!(file.text()?.contains("\"person.add\""), "{file:?}");
    let editor = app.person("eve", "shop", "editor").await?;
    editor.get("/dashboard/audit.ndjson").await?.expect(403)?;
    Ok(())
}

/// The items of the log, of a query.
pub(super) async fn rows(client: &Client, query: &str) -> Result<Vec<Value>> {
    let list = client.get(&format!("{LOG}?{query}")).await?;
    let list = list.expect(200)?.json()?;
    let items = list["items"].as_array().cloned();
    items.context("no items")
}

#[tokio::test]
async fn a_recipient_stands_in_the_log_by_a_hash_that_leads_back_while_they_are_stored()
-> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &[]).await?;
    let client = app.anonymous()?.with_keys(&keys);
    let record = json!({"docid": "order-1", "phone": "+4915112345678"});
    client.import_and_wait(&[record], LATER).await?;
    let path = "/api_v1/sms/recipient/order-1";
    // Once an hour, however often.
    for _ in 0..3 {
        client.get(path).await?.expect(200)?;
    }
    client.get("/api_v1/sms/recipient").await?.expect(200)?;
    let of_person = "docid=order-1";
    let seen = rows(&client, of_person).await?;
    ensure!(seen.len() == 1, "{seen:?}");
    let (action, name) = (&seen[0]["action"], &seen[0]["name"]);
    ensure!(
        action == "recipient.view" && name == &json!(keys.api_key),
        "{seen:?}"
    );
    // Pages alone lead from the hash to the customer number.
    ensure!(!seen[0].to_string().contains("order-1"), "{seen:?}");
    let subject = seen[0]["subject"].as_str().context("no subject")?;
    ensure!(subject.starts_with('\u{1}'), "{seen:?}");
    let editor = app.person("eve", "shop", "editor").await?;
    let viewer = app.person("vic", "shop", "viewer").await?;
    let admin = app.person("ada", "shop", "admin").await?;
    let page = "/dashboard/recipients?docid=order-1";
    editor.get(page).await?.expect(200)?;
    // Who sees no phone has seen the person all the same.
    for _ in 0..2 {
        viewer.get(page).await?.expect(200)?;
    }
    let log = "/dashboard/audit?docid=order-1";
    let shown = admin.get(log).await?.expect(200)?;
    let shown = shown.text()?;
    ensure!(shown.matches("recipient.view").count() == 2, "{shown}");
    ensure!(shown.matches("recipient.read").count() == 1, "{shown}");
    ensure!(
        shown.contains("Recipient seen without the phone number"),
        "{shown}"
    );
    ensure!(
        shown.contains(">eve<") && shown.contains("This recipient is stored"),
        "{shown}"
    );
    let page = admin.get("/dashboard/audit").await?.expect(200)?;
    ensure!(page.text()?.contains(">order-1<"), "{page:?}");
    let file = admin.get("/dashboard/audit.ndjson").await?.expect(200)?;
    let printed = ["audit", "export", "--account", "shop"];
    for lines in [file.text()?, &app.succeeds(&printed).await?] {
        ensure!(lines.contains("recipient.view"), "{lines}");
        ensure!(!lines.contains("order-1"), "{lines}");
    }
    eventually(SOON, async || {
        let unsealed = app.sql("SELECT count(*) FROM audit WHERE seal IS NULL");
        ensure!(unsealed.await? == "0", "not sealed yet");
        Ok(())
    })
    .await?;
    client.delete(path).await?.expect(204)?;
    let gone = rows(&client, of_person).await?;
    ensure!(gone.len() == 4, "{gone:?}");
    ensure!(
        gone[0]["action"] == "recipient.erase" && gone[0]["status"] == 204,
        "{gone:?}"
    );
    for row in &gone {
        ensure!(row["subject"].as_str() == Some(subject), "{row}");
    }
    let shown = admin.get(log).await?.expect(200)?;
    let shown = shown.text()?;
    ensure!(
        shown.contains("Nobody with this customer number is stored"),
        "{shown}"
    );
    ensure!(!shown.contains(">order-1<"), "{shown}");
    for table in ["audit WHERE subject", "audit_recipient WHERE docid"] {
        let left = format!("SELECT count(*) FROM {table} LIKE '%order-1%'");
        ensure!(app.sql(&left).await? == "0", "left in {table}");
    }
    app.succeeds(&VERIFY).await.map(drop)
}

#[tokio::test]
async fn what_tells_of_itself_has_no_row() -> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &[]).await?;
    let client = app.anonymous()?.with_keys(&keys);
    let form = client.published(&short_form("After the visit")).await?;
    let before = rows(&client, "").await?.len();
    let record = json!({"docid": "order-1", "phone": "+4915112345678"});
    client.import_and_wait(&[record], LATER).await?;
    client.post(&link_path(&form, "")).await?.expect(201)?;
    let after = rows(&client, "").await?;
    ensure!(after.len() == before, "{after:?}");
    let made = rows(&client, "kind=form").await?;
    let actions: Vec<_> = made.iter().map(|row| &row["action"]).collect();
    ensure!(actions == ["form.publish", "form.create"], "{made:?}");
    let by_command = rows(&client, "name=&kind=key").await?;
    ensure!(by_command.len() == 1, "{by_command:?}");
    for query in ["kind=keys", "docid=", "subject=%00", "name=%00"] {
        let refused = client.get(&format!("{LOG}?{query}")).await?;
        refused.problem(400, "invalid_parameter")?;
    }
    Ok(())
}

/// A change in the log, as `member: before -> after` each.
fn changes(row: &Value) -> Vec<String> {
    let changes = row["changes"].as_array().into_iter().flatten();
    let told = changes.map(|one| {
        let member = one["member"].as_str().unwrap_or_default();
        format!("{member}: {} -> {}", one["before"], one["after"])
    });
    told.collect()
}

#[tokio::test]
async fn what_a_text_said_before_and_who_changed_it_to_what_is_in_the_log() -> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &[]).await?;
    let client = app.anonymous()?.with_keys(&keys);
    let form = client.published(&short_form("After the visit")).await?;
    let mut content = on_import(&form, "demo");
    content["text"] = json!("How was <it>? {link}");
    content["audience"] =
        json!({"created_from": null, "created_to": null, "fields": {"mail": "ada@example.com"}});
    let made = client
        .send_json(Method::POST, "/api_v1/sms/campaign", &content)
        .await?;
    let campaign = made.expect(201)?.json()?;
    let path = campaign_path(&campaign);
    client.act(&campaign, "start").await?.expect(200)?;
    content["text"] = json!("Was it good? {link}");
    content["reminder"] = json!({"after_days": 3, "text": "Again: {link}"});
    let change = client.send_json(Method::PUT, &path, &content).await?;
    change.expect(200)?;
    // Refused, so nothing was changed.
    content["text"] = json!("No link");
    let refused = client.send_json(Method::PUT, &path, &content).await?;
    refused.expect(422)?;
    let id = campaign["campaign_id"].as_str().context("no id")?;
    let of_campaign = rows(&client, &format!("subject={id}")).await?;
    let [refused, changed, started, created] = &of_campaign[..] else {
        anyhow::bail!("{of_campaign:?}");
    };
    ensure!(created["action"] == "campaign.create", "{created}");
    ensure!(refused["changes"] == json!([]), "{refused}");
    let expected = [
        "/reminder/after_days: null -> 3",
        r#"/reminder/text: null -> "Again: {link}""#,
        r#"/text: "How was <it>? {link}" -> "Was it good? {link}""#,
    ];
    ensure!(changes(changed) == expected, "{changed}");
    ensure!(changed["name"] == json!(keys.api_key), "{changed}");
    let with = changes(started);
    let text = r#"/text: null -> "How was <it>? {link}""#.to_owned();
    ensure!(with.contains(&text), "{started}");
    // A value of a recipient's is not in the log.
    ensure!(
        !started.to_string().contains("ada@example.com"),
        "{started}"
    );
    // A form, by the key of its question.
    let mut other = short_form("After the visit");
    other["fields"][0]["label"] = json!("Would you come again?");
    let key = other["fields"][0]["key"].as_str().context("no key")?;
    let saved = client
        .send_json(Method::PUT, &form_path(&form), &other)
        .await?;
    saved.expect(200)?;
    let saved = &rows(&client, "kind=form").await?[0];
    let told = changes(saved);
    ensure!(
        told.len() == 1 && told[0].starts_with(&format!("/fields/{key}/label: ")),
        "{saved}"
    );
    let logo = "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=";
    let branding = json!({"name": "Shop", "color": "#102030", "logo": logo});
    let set = client
        .send_json(Method::PUT, "/api_v1/account", &branding)
        .await?;
    set.expect(200)?;
    let set = &rows(&client, "kind=setting").await?[0];
    let told = changes(set).join("\n");
    ensure!(told.contains(r##"/color: null -> "#102030""##), "{told}");
    ensure!(
        told.contains("SHA-256") && !told.contains("base64"),
        "{told}"
    );
    let admin = app.person("ada", "shop", "admin").await?;
    let page = admin.get(&format!("/dashboard/audit?subject={id}")).await?;
    let page = page.expect(200)?;
    let page = page.text()?;
    for shown in [
        "3 changes",
        "Reminder › Text",
        "How was &#60;it&#62;? {link}",
        "Was it good? {link}",
    ] {
        ensure!(page.contains(shown), "no {shown}: {page}");
    }
    eventually(SOON, async || {
        let unsealed = app.sql("SELECT count(*) FROM audit WHERE seal IS NULL");
        ensure!(unsealed.await? == "0", "not sealed yet");
        Ok(())
    })
    .await?;
    app.succeeds(&VERIFY).await?;
    app.sql("UPDATE audit SET changes = replace(changes, 'Was it good', 'Is it good') WHERE changes IS NOT NULL")
        .await?;
    let output = app.cli(&VERIFY).await?;
    let listed = String::from_utf8_lossy(&output.stdout);
    ensure!(listed.matches("row_changed").count() == 1, "{output:?}");
    Ok(())
}

#[tokio::test]
async fn a_key_is_looked_for_by_its_id_and_by_no_pattern() -> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &[]).await?;
    let client = app.anonymous()?.with_keys(&keys);
    let made = rows(&client, &format!("subject={}", keys.api_key)).await?;
    ensure!(made.len() == 1, "{made:?}");
    ensure!(made[0]["action"] == "key.create", "{made:?}");
    let any = "_".repeat(keys.api_key.len() - "fk_".len());
    for pattern in ["%25", &any] {
        let found = rows(&client, &format!("subject=fk_{pattern}")).await?;
        ensure!(found.is_empty(), "{pattern} finds {found:?}");
    }
    Ok(())
}

#[tokio::test]
async fn whoever_hangs_up_leaves_no_change_without_what_it_came_to() -> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &[]).await?;
    let client = app.anonymous()?.with_keys(&keys);
    let setting = "/api_v1/sms/setting";
    for round in 0..HANG_UPS {
        let body = json!({"stop_words": [format!("word {round}")]}).to_string();
        let length = format!("content-length: {}", body.len());
        let lines = ["content-type: application/json", &length];
        let head = Raw::head(&client, setting, &lines)?.replacen("POST", "PUT", 1);
        let mut connection = Raw::connect(&client).await?;
        connection.write(format!("{head}{body}").as_bytes()).await?;
        // Each at another moment of the change, as other requests take time too.
        for _ in 0..round % 10 {
            client.get("/health/live").await?;
        }
        connection.reset()?;
    }
    eventually(SOON, async || {
        let tried = rows(&client, "kind=setting&limit=1000").await?;
        let stored = client.get(setting).await?.expect(200)?.json()?;
        let is_told = format!("-> {}", stored["stop_words"]);
        let mut told = Vec::new();
        for row in &tried {
            ensure!(!row["status"].is_null(), "not known: {row}");
            ensure!(row["status"] != 200 || !changes(row).is_empty(), "{row}");
            told.extend(changes(row));
        }
        ensure!(
            told.iter().any(|change| change.ends_with(&is_told)),
            "nobody set {stored}: {told:?}"
        );
        Ok(())
    })
    .await
}
