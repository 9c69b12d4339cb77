//! How long an account keeps what it collected: set with a key or on a page, by whoever may, and the audit log goes by whole seals.

use anyhow::{Result, ensure};
use reqwest::Method;
use serde_json::json;
use tests::app::App;
use tests::wait::{LATER, SOON, eventually};

const RETENTION: &str = "/api_v1/account/retention";
const PREVIEW: &str = "/api_v1/account/retention/preview";
const PAGE: &str = "/dashboard/retention";
/// As if a day had passed since it was set.
const HOLDS: &str = "UPDATE retention SET holds_from = NULL";

#[tokio::test]
async fn a_retention_is_set_as_a_whole_by_whoever_may() -> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &["--scopes", "retention"]).await?;
    let client = app.anonymous()?.with_keys(&keys);
    let none = json!({"answers_days": null, "visits_days": null, "messages_days": null, "audit_days": null,
        "holds_from": null, "sealed": {"answers": null, "visits": null, "messages": null}});
    let read = client.get(RETENTION).await?.expect(200)?.json()?;
    ensure!(read == none, "{read}");
    let given = json!({"answers_days": 30, "audit_days": 90});
    let preview = client.send_json(Method::POST, PREVIEW, &given).await?;
    let nothing = json!({"answers": 0, "visits": 0, "messages": 0, "audit": 0});
    ensure!(preview.expect(200)?.json()? == nothing);
    let read = client.get(RETENTION).await?.expect(200)?.json()?;
    ensure!(read == none, "a preview changed it: {read}");
    let set = client.send_json(Method::PUT, RETENTION, &given).await?;
    let set = set.expect(200)?.json()?;
    ensure!(set["answers_days"] == 30 && set["holds_from"].is_string());
    let longer = json!({"answers_days": 31, "audit_days": 90});
    let set = client.send_json(Method::PUT, RETENTION, &longer).await?;
    ensure!(set.expect(200)?.json()?["holds_from"].is_string());
    let read = client.get(RETENTION).await?.expect(200)?.json()?;
    ensure!(read["sealed"] == none["sealed"], "{read}");
    app.sql(HOLDS).await?;
    eventually(SOON, async || {
        let read = client.get(RETENTION).await?.expect(200)?.json()?;
        ensure!(read["sealed"]["answers"].is_string(), "{read}");
        ensure!(read["sealed"]["visits"].is_null(), "{read}");
        Ok(())
    })
    .await?;
    for wrong in [
        json!({"audit_days": 89}),
        json!({"answers_days": 0}),
        json!({"days": 1}),
    ] {
        let refused = client.send_json(Method::PUT, RETENTION, &wrong).await?;
        refused.problem(422, "validation_failed")?;
    }
    let others = "import,report,form,link,send,audit";
    let other = app.create_key("shop", &["--scopes", others]).await?;
    let other = app.anonymous()?.with_keys(&other);
    let refused = other.send_json(Method::PUT, RETENTION, &given).await?;
    refused.problem(403, "forbidden")?;
    Ok(())
}

#[tokio::test]
async fn an_admin_is_asked_before_something_goes() -> Result<()> {
    let app = App::start().await?;
    app.create_key("shop", &[]).await?;
    let admin = app.person("ada", "shop", "admin").await?;
    let editor = app.person("eve", "shop", "editor").await?;
    editor.get(PAGE).await?.expect(403)?;
    let page = admin.get(PAGE).await?.expect(200)?;
    let sure = "Delete what is older";
    ensure!(!page.text()?.contains(sure), "{page:?}");
    let wrong = admin.get(&format!("{PAGE}?answers_days=0")).await?;
    ensure!(wrong.text()?.contains("whole numbers of days"), "{wrong:?}");
    let asked = "answers_days=365&visits_days=&messages_days=&audit_days=";
    let asked = admin.get(&format!("{PAGE}?{asked}")).await?.expect(200)?;
    ensure!(asked.text()?.contains(sure), "{asked:?}");
    let days = [
        ("answers_days", "365"),
        ("visits_days", ""),
        ("messages_days", ""),
        ("audit_days", ""),
    ];
    editor.post(PAGE, &days).await?.expect(403)?;
    admin.post(PAGE, &days).await?.expect(303)?;
    let page = admin.get(PAGE).await?.expect(200)?;
    ensure!(page.text()?.contains("value=\"365\""), "{page:?}");
    ensure!(page.text()?.contains("Nothing more is deleted before"));
    let log = admin.get("/dashboard/audit").await?.expect(200)?;
    ensure!(log.text()?.contains("Retention of data set"), "{log:?}");
    app.sql(HOLDS).await?;
    eventually(SOON, async || {
        let report = admin.get("/dashboard?from=2020-01-01&to=2020-01-31");
        let report = report.await?;
        ensure!(report.text()?.contains("are deleted. The figures count"));
        let report = admin.get("/dashboard?days=7").await?;
        ensure!(!report.text()?.contains("are deleted. The figures count"));
        Ok(())
    })
    .await
}

#[tokio::test]
async fn the_audit_log_goes_by_whole_seals_and_its_chain_holds() -> Result<()> {
    let app = App::start().await?;
    let scopes = ["--scopes", "audit,retention"];
    let keys = app.create_key("shop", &scopes).await?;
    let client = app.anonymous()?.with_keys(&keys);
    let verify = ["audit", "verify", "--account", "shop"];
    let verified = async |part: &str| {
        eventually(LATER, async || {
            let output = app.cli(&verify).await?;
            let told = String::from_utf8_lossy(&output.stderr);
            ensure!(output.status.success() && told.contains(part), "{output:?}");
            Ok(())
        })
        .await
    };
    verified("2 rows as they were sealed").await?;
    app.sql("UPDATE audit_seal SET sealed_at = '2020-01-01 00:00:00+00:00'")
        .await?;
    app.create_key("shop", &[]).await?;
    verified("4 rows as they were sealed").await?;
    let kept = json!({"audit_days": 90});
    let preview = client.send_json(Method::POST, PREVIEW, &kept).await?;
    ensure!(preview.expect(200)?.json()?["audit"] == 2);
    let set = client.send_json(Method::PUT, RETENTION, &kept).await?;
    set.expect(200)?;
    app.sql(HOLDS).await?;
    verified("are kept no longer").await?;
    let items = client.get("/api_v1/audit").await?.expect(200)?.json()?;
    let created = items["items"].as_array().map_or(0, Vec::len);
    ensure!((1..4).contains(&created), "{items}");
    // What was dropped does not come back unseen.
    app.sql("UPDATE audit SET seal = 1 WHERE outcome_of IS NULL")
        .await?;
    let output = app.cli(&verify).await?;
    ensure!(output.status.code() == Some(1), "{output:?}");
    Ok(())
}
