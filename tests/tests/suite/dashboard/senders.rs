//! Which senders a campaign's editor names, what its page says of them, and tests from the page of senders.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::App;
use tests::campaign::on_import;

use super::editors::{editor, hidden};

#[tokio::test]
async fn a_campaign_s_editor_names_a_second_sender_and_others_by_country() -> Result<()> {
    let senders = "main=demo: second=demo: third=demo:";
    let app = App::setup()
        .setting("FEEDBACK_SENDERS", senders)
        .start()
        .await?;
    let (owner, person) = editor(&app).await?;
    let form = owner.published(&tests::form::short_form("T")).await?;
    let form_id = form["form_id"].as_str().context("no form_id")?;
    let fields = [
        ("name", "After the visit"),
        ("form_id", form_id),
        ("text", "How was it? {link}"),
        ("audience", ""),
    ];
    let with = |more: &[(&'static str, &'static str)]| [&fields[..], more].concat();
    let twice = with(&[("sender", "main"), ("next_sender", "main")]);
    let new = "/dashboard/campaigns/new";
    person.post(new, &twice).await?.expect(422)?;
    let second = with(&[("sender", "main"), ("next_sender", "second")]);
    let made = person.post(new, &second).await?.expect(303)?;
    let made = made.header("location").context("no location")?;
    let edit = made.split('?').next().unwrap_or_default().to_owned();
    let id = edit.split('/').nth(3).context("no id")?;
    let path = format!("/api_v1/sms/campaign/{id}");
    let stored = async || {
        let campaign: Value = owner.get(&path).await?.expect(200)?.json()?;
        anyhow::Ok(campaign["sender"].clone())
    };
    ensure!(stored().await? == json!(["main", "second"]));
    let shows = async |part: &str| {
        let page = person.get(edit.trim_end_matches("/edit")).await?;
        let page = page.expect(200)?;
        ensure!(page.text()?.contains(part), "no {part}: {page:?}");
        anyhow::Ok(())
    };
    shows("<td>main, then second</td>").await?;
    let by_country = with(&[
        ("sender", "main"),
        ("country", "FR"),
        ("country_sender", "second"),
        ("country_next", "main"),
        ("country", ""),
        ("country_sender", ""),
        ("country_next", ""),
    ]);
    person.post(&edit, &by_country).await?.expect(303)?;
    let expected = json!({"FR": ["second", "main"], "*": "main"});
    ensure!(stored().await? == expected);
    shows("<td>FR: second, then main; all other countries: main</td>").await?;
    // What the page has no fields for stays as it is.
    let mut campaign: Value = owner.get(&path).await?.expect(200)?.json()?;
    let long = json!({"DE": ["main", "second", "third"], "*": "main"});
    campaign["sender"] = long.clone();
    let changed = owner.send_json(Method::PUT, &path, &campaign).await?;
    changed.expect(200)?;
    let page = person.get(&edit).await?.expect(200)?;
    let kept =
        "<option value=\"*\" selected>DE: main, then second, then third; all other countries: main";
    ensure!(page.text()?.contains(kept), "{page:?}");
    let before = hidden(page.text()?, "before").swap_remove(0);
    let version = hidden(page.text()?, "version").swap_remove(0);
    let again = [
        ("before", &*before),
        ("version", &*version),
        ("sender", "*"),
    ];
    let again = [&fields[..], &again].concat();
    person.post(&edit, &again).await?.expect(303)?;
    ensure!(stored().await? == long);
    Ok(())
}

#[tokio::test]
async fn the_page_of_senders_sends_a_test_of_a_campaign_that_begins_with_one() -> Result<()> {
    let app = App::setup()
        .setting("FEEDBACK_SENDERS", "main=demo: second=demo:")
        .start()
        .await?;
    let (owner, person) = editor(&app).await?;
    let senders = "/dashboard/senders";
    let page = person.get(senders).await?.expect(200)?;
    let none = "make a campaign that begins with it. <a href=\"/dashboard/campaigns/new\">";
    ensure!(page.text()?.matches(none).count() == 2, "{page:?}");
    let several = json!(["main", "second"]);
    let campaign = owner.campaign(|form| {
        let mut campaign = on_import(form, "main");
        campaign["sender"] = several;
        campaign
    });
    let campaign = campaign.await?;
    let id = campaign["campaign_id"].as_str().context("no id")?;
    let page = person.get(senders).await?.expect(200)?;
    let (of_main, of_second) = page
        .text()?
        .split_once("id=\"sender-2\"")
        .context("no second sender")?;
    let choice = format!("<option value=\"{id}\">After the visit</option>");
    let form = "action=\"/dashboard/senders/test\"";
    ensure!(
        of_main.contains(&choice) && of_main.contains(form),
        "{page:?}"
    );
    ensure!(
        of_second.contains(none) && !of_second.contains(form),
        "{page:?}"
    );
    let test = "/dashboard/senders/test";
    let sent = [("campaign", id), ("phone", "+49 151 12345678")];
    let sent = person.post(test, &sent).await?.expect(303)?;
    let followed = sent.header("location").context("no location")?;
    let start = format!("/dashboard/campaigns/{id}/edit?test=");
    ensure!(followed.starts_with(&start), "{followed}");
    let followed = person.get(followed).await?.expect(200)?;
    ensure!(followed.text()?.contains("Your test:"), "{followed:?}");
    // What is wrong is said where tests are, and what was typed stays.
    let wrong = [("campaign", id), ("phone", "12")];
    let wrong = person.post(test, &wrong).await?.expect(422)?;
    for part in ["Write the number with country code", "value=\"12\""] {
        ensure!(wrong.text()?.contains(part), "no {part}: {wrong:?}");
    }
    let viewer = app.person("vic", "shop", "viewer").await?;
    let page = viewer.get(senders).await?.expect(200)?;
    ensure!(!page.text()?.contains(form), "{page:?}");
    let refused = [("campaign", id), ("phone", "+4915112345678")];
    viewer.post(test, &refused).await?.expect(403)?;
    Ok(())
}
