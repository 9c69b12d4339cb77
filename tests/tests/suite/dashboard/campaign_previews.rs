//! What the preview of a campaign tells beside the messages: that answers count for no store, what its form inserts, and that all is sent.

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tests::app::App;
use tests::import::record;
use tests::wait::{SOON, eventually};

use super::editors::editor;

/// What the editor of a campaign sends.
fn campaign<'f>(form_id: &'f str, audience: &'f str) -> Vec<(&'static str, &'f str)> {
    vec![
        ("name", "After the visit"),
        ("form_id", form_id),
        ("sender", "demo"),
        ("text", "How was it? {link}"),
        ("audience", audience),
    ]
}

#[tokio::test]
async fn a_column_of_stores_that_is_not_chosen_is_told_before_the_start() -> Result<()> {
    let app = App::start().await?;
    let (owner, person) = editor(&app).await?;
    let mut form = tests::form::short_form("Your visit, {vorname|dear guest}");
    form["piping"] = json!(true);
    form["bus_props"] = json!(["store:Altona"]);
    let form = owner.published(&form).await?;
    let form_id = form["form_id"].as_str().context("no form_id")?;
    let plain = owner.published(&tests::form::short_form("Plain")).await?;
    let plain = plain["form_id"].as_str().context("no form_id")?;
    let known =
        json!({"docid": "order-1", "phone": "+4915112345678", "Ort": "altona", "Vorname": "Ada"});
    let named = json!({"docid": "order-2", "phone": "+4915112345679", "Filiale": "Ulm"});
    let mut batches = Vec::new();
    for one in [known, named] {
        let batch = owner.import_and_wait(&[one], SOON).await?;
        batches.push(batch["batch_id"].as_str().context("no id")?.to_owned());
    }
    let drawn = async |fields: &[(&str, &str)]| {
        let drawn = person.post("/dashboard/campaigns/preview", fields).await?;
        anyhow::Ok(drawn.expect(200)?.text()?.to_owned())
    };
    // Its values are those of the form.
    let told =
        "No answer will count for a store or group: choose the column “Ort” under “Columns”.";
    let text = drawn(&campaign(form_id, &batches[0])).await?;
    for words in [
        told,
        "href=\"#groups\"",
        "The form inserts “vorname”, but none of these people have this column. Did you mean “Vorname”?",
    ] {
        ensure!(text.contains(words), "no {words}: {text}");
    }
    ensure!(!text.contains("The form lists no stores"), "{text}");
    // It is called as one of stores, and the form has none.
    let text = drawn(&campaign(plain, &batches[1])).await?;
    for words in [
        "choose the column “Filiale”",
        "The form lists no stores yet",
    ] {
        ensure!(text.contains(words), "no {words}: {text}");
    }
    // The section is open, and the question before the start says it.
    let mut sent = campaign(form_id, &batches[0]);
    let new = "/dashboard/campaigns/new";
    let page = person.get(new).await?.expect(200)?;
    let open = "<details class=\"group\" open><summary>Columns";
    ensure!(page.text()?.contains(open), "{page:?}");
    let made = person.post(new, &sent).await?.expect(303)?;
    let edit = made.header("location").context("no location")?;
    let edit = edit.split('?').next().unwrap_or_default();
    let page = person.get(edit).await?.expect(200)?;
    ensure!(page.text()?.matches(told).count() == 2, "{page:?}");
    ensure!(page.text()?.contains(open), "{page:?}");
    sent.extend([("group_column", "Ort"), ("group_name", "store")]);
    person.post(edit, &sent).await?.expect(303)?;
    let page = person.get(edit).await?.expect(200)?;
    ensure!(!page.text()?.contains("No answer will count"), "{page:?}");
    // A value that the form does not list would count for none.
    let mut other = campaign(form_id, &batches[1]);
    other.extend([("group_column", "Filiale"), ("group_name", "store")]);
    let made = person.post(new, &other).await?.expect(303)?;
    let edit = made.header("location").context("no location")?;
    let edit = edit.split('?').next().unwrap_or_default();
    let page = person.get(edit).await?.expect(200)?;
    let unlisted = "1 person has a store or group that the form does not list";
    ensure!(page.text()?.contains(unlisted), "{page:?}");
    Ok(())
}

#[tokio::test]
async fn the_preview_of_a_campaign_that_is_sent_counts_nothing_again() -> Result<()> {
    let app = App::start().await?;
    let (owner, person) = editor(&app).await?;
    let form = owner.published(&tests::form::short_form("T")).await?;
    let form_id = form["form_id"].as_str().context("no form_id")?;
    let batch = owner.import_and_wait(&[record("order-1")], SOON).await?;
    let batch_id = batch["batch_id"].as_str().context("no batch_id")?;
    let mut fields = campaign(form_id, batch_id);
    let new = "/dashboard/campaigns/new";
    let made = person.post(new, &fields).await?.expect(303)?;
    let edit = made.header("location").context("no location")?;
    let edit = edit.split('?').next().unwrap_or_default();
    let page = person.get(edit).await?.expect(200)?;
    ensure!(page.text()?.contains("1 SMS (billed)"), "{page:?}");
    let start = edit.replace("/edit", "/start");
    let nothing: [(&str, &str); 0] = [];
    person.post(&start, &nothing).await?.expect(303)?;
    let told = "No message with this text waits to be sent now.";
    eventually(SOON, async || {
        let page = person.get(edit).await?.expect(200)?;
        let text = page.text()?;
        ensure!(
            text.contains(told) && !text.contains("to 1 recipient"),
            "{text}"
        );
        Ok(())
    })
    .await?;
    // So it is while somebody types.
    fields.extend([("started", "yes"), ("waiting", "0")]);
    let drawn = person.post("/dashboard/campaigns/preview", &fields).await?;
    let drawn = drawn.expect(200)?;
    let text = drawn.text()?;
    ensure!(
        text.contains(told) && !text.contains("to 1 recipient"),
        "{text}"
    );
    Ok(())
}
