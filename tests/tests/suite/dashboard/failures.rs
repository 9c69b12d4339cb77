//! Why messages of a campaign did not arrive, and the lists behind the numbers.

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tests::app::App;

use super::editors::editor;
use super::spreadsheets::rows;

#[tokio::test]
async fn a_campaign_s_page_says_why_messages_did_not_arrive_and_leads_to_them() -> Result<()> {
    let senders = "demo=demo:?delay=10ms&failures=100&rate=100000&window=200";
    let app = App::setup()
        .setting("FEEDBACK_SENDERS", senders)
        .start()
        .await?;
    let (owner, person) = editor(&app).await?;
    let people = [
        ("G-1", "+4915112345671"),
        ("G-2", "+4915112345672"),
        ("F-1", "+33612345678"),
        ("E-1", "+4915112345673"),
    ];
    let people = people.map(|(docid, phone)| json!({"docid": docid, "phone": phone}));
    let campaign = owner.running("demo", &people).await?;
    owner.until_first(&campaign, "undelivered", 4).await?;
    owner
        .delete("/api_v1/sms/recipient/E-1")
        .await?
        .expect(204)?;
    let id = campaign["campaign_id"].as_str().context("no id")?;
    let page = format!("/dashboard/campaigns/{id}");
    let page = person.get(&page).await?.expect(200)?;
    let page = page.text()?;
    for part in [
        "Why messages did not arrive",
        "<td data-label=\"Reason\">(simulated)</td>",
    ] {
        ensure!(page.contains(part), "no {part}: {page}");
    }
    let list = |code: &str, country: &str| {
        format!("campaign={id}&set=undelivered&code={code}&country={country}")
    };
    for (country, shown, length) in [
        ("DE", "<span data-country>DE</span>", 2),
        ("FR", "<span data-country>FR</span>", 1),
        ("-", "unknown", 1),
    ] {
        let list = list("simulated", country);
        let link = format!(
            "{shown}</td><td class=\"n\" data-label=\"Messages\"><a href=\"/dashboard/messages?{}\">{length}</a>",
            list.replace('&', "&#38;")
        );
        ensure!(page.contains(&link), "no {link}: {page}");
        let listed = person.get(&format!("/dashboard/messages?{list}")).await?;
        let listed = listed.expect(200)?;
        let s = if length == 1 { "" } else { "s" };
        let total = format!("<p>{length} message{s}</p>");
        let country = format!("<p>Country: {shown}</p>");
        for part in [&*total, "<p>Reason: (simulated)</p>", &*country] {
            ensure!(listed.text()?.contains(part), "no {part}: {listed:?}");
        }
        let messages = listed.text()?.matches("<th scope=\"row\" class=\"docid\">");
        ensure!(messages.count() == length, "{listed:?}");
        let sheet = format!("/dashboard/messages.xlsx?{list}");
        let (exported, _) = rows(person.get(&sheet).await?)?;
        ensure!(exported.len() == length, "{exported:?}");
    }
    // Without a code is not the same as with any.
    for (code, country, total) in [
        ("-", "", "0 messages"),
        ("", "FR", "1 message"),
        ("", "", "4 messages"),
    ] {
        let list = format!("/dashboard/messages?{}", list(code, country));
        let listed = person.get(&list).await?.expect(200)?;
        let total = format!("<p>{total}</p>");
        ensure!(listed.text()?.contains(&total), "no {total}: {listed:?}");
    }
    Ok(())
}
