//! Who had access on a day, who made keys and who signed in, and that the log leads to the import with which somebody was erased.

use anyhow::{Context, Result, ensure};
use chrono::{Days, TimeDelta, Utc};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::App;
use tests::form::short_form;
use tests::wait::{LATER, eventually};

const ACCESS: &str = "/api_v1/audit/access";

#[tokio::test]
async fn the_log_tells_who_had_access_on_a_day() -> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &["--name", "Till"]).await?;
    let client = app.anonymous()?.with_keys(&keys);
    let ada = app.person("ada", "shop", "admin").await?;
    let editor = app.person("eve", "shop", "editor").await?;
    editor.get("/dashboard/audit/access").await?.expect(403)?;
    let role = [("name", "eve"), ("value", "viewer")];
    ada.post("/dashboard/people/role", &role)
        .await?
        .expect(303)?;
    let remove = [("name", "eve")];
    ada.post("/dashboard/people/remove", &remove)
        .await?
        .expect(303)?;
    let end = (Utc::now() + TimeDelta::days(2))
        .format("%FT%TZ")
        .to_string();
    let share = json!({"path": "/dashboard?days=30", "expires_at": end});
    let share = client.send_json(Method::POST, "/api_v1/report/share", &share);
    let share = share.await?.expect(201)?.json()?;
    let share_id = share["share_id"].as_str().context("no share")?;
    client
        .delete(&format!("/api_v1/report/share/{share_id}"))
        .await?
        .expect(204)?;
    let today = Utc::now().date_naive();
    let access = client.get(&format!("{ACCESS}?day={today}")).await?;
    let access = access.expect(200)?.json()?;
    let people = access["people"].as_array().context("no people")?;
    let told: Vec<_> = people
        .iter()
        .map(|one| json!([one["name"], one["role"], one["given_by"], one["ended_by"]]))
        .collect();
    let expected = [
        json!(["ada", "admin", "", null]),
        json!(["eve", "editor", "", "ada"]),
        json!(["eve", "viewer", "ada", "ada"]),
    ];
    ensure!(told == expected, "{access}");
    let key = &access["keys"][0];
    ensure!(
        key["name"] == "Till" && key["given_by"] == "" && key["until"].is_null(),
        "{access}"
    );
    let share = &access["shares"][0];
    ensure!(share["path"] == "/dashboard?days=30", "{access}");
    ensure!(
        share["given_by"] == json!(keys.api_key) && share["until"].is_string(),
        "{access}"
    );
    // The log begins today, and says so of the day before.
    ensure!(access["is_complete"] == false, "{access}");
    let before = today.checked_sub_days(Days::new(2)).context("no day")?;
    let access = client.get(&format!("{ACCESS}?day={before}")).await?;
    let access = access.expect(200)?.json()?;
    for kind in ["people", "keys", "shares"] {
        ensure!(access[kind] == json!([]), "{access}");
    }
    let refused = client.get(&format!("{ACCESS}?day=yesterday")).await?;
    refused.problem(400, "invalid_parameter")?;
    // Of a day to come it tells who will have access as things are.
    let later = today.checked_add_days(Days::new(2)).context("no day")?;
    let access = client.get(&format!("{ACCESS}?day={later}")).await?;
    let access = access.expect(200)?.json()?;
    let people = access["people"].as_array().context("no people")?;
    ensure!(people.len() == 1 && people[0]["name"] == "ada", "{access}");
    let page = ada.get("/dashboard/audit/access").await?.expect(200)?;
    let page = page.text()?;
    for part in [
        "Who had access on",
        ">eve<",
        "by ada",
        "by Command line",
        "The log begins later",
        "Till",
    ] {
        ensure!(page.contains(part), "no {part}: {page}");
    }
    // Who made a key, and when somebody signed in, is told where they are managed.
    let page = ada.get("/dashboard/keys").await?.expect(200)?;
    ensure!(page.text()?.contains("by Command line"), "{page:?}");
    let page = ada.get("/dashboard/people").await?.expect(200)?;
    ensure!(page.text()?.contains("last signed in"), "{page:?}");
    Ok(())
}

#[tokio::test]
async fn a_customer_number_leads_to_the_import_with_which_it_was_erased() -> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &[]).await?;
    let client = app.anonymous()?.with_keys(&keys);
    let records =
        ["order-1", "order-2"].map(|docid| json!({"docid": docid, "phone": "+4915112345678"}));
    let batch = client.import_and_wait(&records, LATER).await?;
    let batch_id = batch["batch_id"].as_str().context("no batch")?;
    let erase = format!("/api_v1/sms/import/{batch_id}/erase");
    client.post(&erase).await?.expect(202)?;
    let of = async |docid: &str| -> Result<Vec<Value>> {
        let list = client.get(&format!("/api_v1/audit?docid={docid}")).await?;
        let list = list.expect(200)?.json()?;
        list["items"].as_array().cloned().context("no items")
    };
    eventually(LATER, async || {
        let found = of("order-2").await?;
        ensure!(found.len() == 1 && found[0]["status"] == 200, "{found:?}");
        Ok(())
    })
    .await?;
    let row = &of("order-1").await?[0];
    ensure!(
        row["action"] == "import.erase" && row["subject"] == batch_id,
        "{row}"
    );
    let erased = json!([{"member": "/erased", "before": null, "after": 2}]);
    ensure!(row["changes"] == erased, "{row}");
    ensure!(of("order-3").await?.is_empty(), "a row of nobody");
    let admin = app.person("ada", "shop", "admin").await?;
    let page = admin
        .get("/dashboard/audit?docid=order-1")
        .await?
        .expect(200)?;
    let page = page.text()?;
    for part in [
        "Nobody with this customer number is stored",
        "erased together with the recipients of an import",
        "import.erase",
    ] {
        ensure!(page.contains(part), "no {part}: {page}");
    }
    let left = app
        .sql("SELECT count(*) FROM audit_erased WHERE subject LIKE '%order%'")
        .await?;
    ensure!(left == "0", "a docid is left");
    Ok(())
}

#[tokio::test]
async fn who_reads_a_list_has_a_row_a_day() -> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &[]).await?;
    let client = app.anonymous()?.with_keys(&keys);
    let form = client.published(&short_form("After the visit")).await?;
    let viewer = app.person("vic", "shop", "viewer").await?;
    let form_id = form["form_id"].as_str().context("no form")?;
    for _ in 0..2 {
        for page in [
            "answers",
            "recipients",
            "messages",
            "recipients?column=&q=x",
        ] {
            viewer
                .get(&format!("/dashboard/{page}"))
                .await?
                .expect(200)?;
        }
    }
    // No form is called so.
    viewer
        .get("/dashboard/answers?form=%2B4915112345678")
        .await?;
    let list = client.get("/api_v1/audit?kind=export&name=vic").await?;
    let list = list.expect(200)?.json()?;
    let rows = list["items"].as_array().context("no items")?;
    let rows = rows
        .iter()
        .map(|row| json!([row["action"], row["subject"]]));
    let mut rows: Vec<_> = rows.map(|row| row.to_string()).collect();
    rows.sort();
    let expected = [
        json!(["answers.read", form_id]),
        json!(["messages.read", ""]),
        json!(["recipients.read", ""]),
    ];
    ensure!(rows == expected.map(|row| row.to_string()), "{list}");
    Ok(())
}
