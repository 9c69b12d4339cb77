//! The audit log has no phone, whatever somebody sends for something else.

use anyhow::{Context, Result, ensure};
use chrono::{TimeDelta, Utc};
use reqwest::Method;
use serde_json::json;
use tests::app::App;
use tests::check::names_nobody;
use tests::form::short_form;

/// Without the `+`, which is written in several ways.
const PHONE: &str = "491766666602";

#[tokio::test]
async fn a_phone_in_what_is_refused_is_not_in_the_log() -> Result<()> {
    let app = App::start().await?;
    let client = app.client_of("shop").await?;
    let admin = app.person("ada", "shop", "admin").await?;
    let form = client.published(&short_form("After the visit")).await?;
    let form_id = form["form_id"].as_str().context("no form_id")?;
    let end = Utc::now() + TimeDelta::days(7);
    let end = end.format("%FT%TZ").to_string();
    for (path, status) in [
        ("/dashboard?days=30", 201),
        (&*format!("/dashboard?bus_prop=%2B{PHONE}"), 422),
        (
            &*format!("/dashboard/form/{form_id}?bus_prop=%2B{PHONE}"),
            422,
        ),
        (&*format!("/dashboard/recipients?phone=%2B{PHONE}"), 422),
    ] {
        let body = json!({"path": path, "expires_at": end});
        let share = client.send_json(Method::POST, "/api_v1/report/share", &body);
        share.await?.expect(status)?;
    }
    for action in ["pause", "resume"] {
        let path = format!("/dashboard/senders/+{PHONE}/{action}");
        admin.post(&path, &[]).await?.expect(422)?;
    }
    let log = client.get("/api_v1/audit").await?.expect(200)?.json()?;
    let rows = log["items"].as_array().context("no items")?;
    let subjects = |action: &str, status: u16| -> Vec<_> {
        let rows = rows.iter();
        let rows = rows.filter(|row| row["action"] == action && row["status"] == status);
        rows.filter_map(|row| row["subject"].as_str()).collect()
    };
    let shared = subjects("share.create", 201);
    ensure!(
        shared.len() == 1 && shared[0].ends_with("/dashboard?days=30"),
        "{log}"
    );
    for (action, count) in [
        ("share.create", 3),
        ("sender.pause", 1),
        ("sender.resume", 1),
    ] {
        ensure!(subjects(action, 422).len() == count, "{action}: {log}");
    }
    let export = ["audit", "export", "--account", "shop"];
    names_nobody(&app.succeeds(&export).await?, &[PHONE])
}
