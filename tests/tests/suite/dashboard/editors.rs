//! What is made and changed by the pages' forms is what the API then says. The editor of forms has its own file.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::App;
use tests::campaign::{campaign_path, on_import};
use tests::client::Client;
use tests::form::form_path;
use tests::import::record;
use tests::person::Person;
use tests::wait::{SOON, eventually};

/// The client of an account, and an editor who is signed in to it.
pub(super) async fn editor(app: &App) -> Result<(Client, Person)> {
    let owner = app.client_of("shop").await?;
    Ok((owner, app.person("ada", "shop", "editor").await?))
}

/// The hidden values of a page's form, each under a name.
pub(super) fn hidden(page: &str, name: &str) -> Vec<String> {
    let start = format!("type=\"hidden\" name=\"{name}\" value=\"");
    let values = page.split(&start).skip(1);
    let values = values.filter_map(|rest| rest.split('"').next());
    values.map(|value| value.replace("&#34;", "\"")).collect()
}

/// Two people change what a page was drawn from: the second one is told, loses nothing, and may then replace it.
async fn second_of_two(
    app: &App,
    (owner, one): (&Client, &Person),
    (edit, stored): (&str, &str),
    (name, others): (&str, &[(&str, &str)]),
) -> Result<()> {
    let two = app.person("bob", "shop", "editor").await?;
    let version = |page: &str| hidden(page, "version").pop().context("no version");
    let drawn = version(one.get(edit).await?.expect(200)?.text()?)?;
    let save = async |person: &Person, version: &str, text: &str| {
        let fields = [&[("version", version), (name, text)], others].concat();
        person.post(edit, &fields).await
    };
    let named = async || {
        let read = owner.get(stored).await?.expect(200)?.json()?;
        anyhow::Ok(read[name].clone())
    };
    save(one, &drawn, "By the first").await?.expect(303)?;
    let refused = save(&two, &drawn, "By the second").await?.expect(412)?;
    let page = refused.text()?;
    for part in [
        "Somebody else changed this",
        "value=\"By the second\"",
        "<a href=\"\"",
    ] {
        ensure!(page.contains(part), "no {part}: {page}");
    }
    ensure!(named().await? == "By the first");
    save(&two, &version(page)?, "By the second")
        .await?
        .expect(303)?;
    ensure!(named().await? == "By the second");
    // Nor does the first one overwrite it now.
    save(one, &drawn, "By the first").await?.expect(412)?;
    Ok(())
}

#[tokio::test]
async fn of_two_who_change_a_form_the_second_is_told() -> Result<()> {
    let app = App::start().await?;
    let (owner, person) = editor(&app).await?;
    let form = owner.published(&tests::form::short_form("T")).await?;
    let id = form["form_id"].as_str().context("no form_id")?;
    let edit = format!("/dashboard/forms/{id}/edit");
    let page = person.get(&edit).await?.expect(200)?;
    let row = hidden(page.text()?, "before").swap_remove(0);
    let field: Value = serde_json::from_str(&row)?;
    let text = |name: &str| field[name].as_str().unwrap_or_default().to_owned();
    let (kind, label) = (text("type"), text("label"));
    let key = text("key");
    let others = [
        ("row", &*key),
        ("before", &*row),
        ("type", &*kind),
        ("label", &*label),
    ];
    let pages = (&*edit, &*form_path(&form));
    second_of_two(&app, (&owner, &person), pages, ("title", &others)).await
}

#[tokio::test]
async fn of_two_who_change_a_campaign_the_second_is_told() -> Result<()> {
    let app = App::start().await?;
    let (owner, person) = editor(&app).await?;
    let campaign = owner.campaign(|form| on_import(form, "demo")).await?;
    let id = campaign["campaign_id"].as_str().context("no id")?;
    let edit = format!("/dashboard/campaigns/{id}/edit");
    let page = person.get(&edit).await?.expect(200)?;
    let before = hidden(page.text()?, "before").swap_remove(0);
    let text = |name: &str| campaign[name].as_str().unwrap_or_default();
    let others = [
        ("before", &*before),
        ("form_id", text("form_id")),
        ("sender", text("sender")),
        ("text", text("text")),
    ];
    let pages = (&*edit, &*campaign_path(&campaign));
    second_of_two(&app, (&owner, &person), pages, ("name", &others)).await
}

#[tokio::test]
async fn a_campaign_is_made_tested_and_started() -> Result<()> {
    let app = App::start().await?;
    let (owner, person) = editor(&app).await?;
    let form = owner.published(&tests::form::short_form("T")).await?;
    let form_id = form["form_id"].as_str().context("no form_id")?;
    let mut fields = vec![
        ("name", "After the visit"),
        ("form_id", form_id),
        ("sender", "demo"),
        ("text", "How was it?"),
        ("audience", ""),
        ("track_fields", "store_code, first_name"),
    ];
    let refused = person
        .post("/dashboard/campaigns/new", &fields)
        .await?
        .expect(422)?;
    ensure!(
        refused.text()?.contains("Text: Must contain"),
        "not said: {refused:?}"
    );
    fields[3].1 = "How was it? {link}";
    let made = person
        .post("/dashboard/campaigns/new", &fields)
        .await?
        .expect(303)?;
    let edit = made.header("location").context("no location")?.to_owned();
    let id = edit.split('/').nth(3).context("no id")?;
    let path = format!("/api_v1/sms/campaign/{id}");
    let read = async || owner.get(&path).await?.expect(200)?.json();
    let campaign: Value = read().await?;
    ensure!(
        campaign["status"] == "DRAFT"
            && campaign["track_fields"] == json!(["store_code", "first_name"]),
        "{campaign}"
    );

    fields.push(("contact_gap_days", "7"));
    person.post(&edit, &fields).await?.expect(303)?;
    // What starting it comes to.
    let question = "Starting sends nothing yet: whoever you import into this campaign afterwards";
    let asked = person.get(&edit).await?.expect(200)?;
    ensure!(asked.text()?.contains(question), "{asked:?}");
    let saved = person.get(&edit).await?.expect(200)?;
    // Who comes with an import is not counted before.
    let preview = "Everyone in a file you import into this campaign gets this message.</p>";
    ensure!(saved.text()?.contains(preview), "{saved:?}");
    ensure!(!saved.text()?.contains("0 recipients"), "{saved:?}");
    let drawn = person.post("/dashboard/campaigns/preview", &fields).await?;
    let drawn = drawn.expect(200)?;
    ensure!(
        drawn.text()?.contains(preview) && !drawn.text()?.contains("<html"),
        "{drawn:?}"
    );
    // What is started is what somebody saw.
    let start = format!("/dashboard/campaigns/{id}/start");
    let seen = hidden(saved.text()?, "version");
    let mut changed = read().await?;
    changed["name"] = json!("After the second visit");
    owner
        .send_json(Method::PUT, &path, &changed)
        .await?
        .expect(200)?;
    let outdated = person.post(&start, &[("version", &seen[1])]).await?;
    let outdated = hidden(outdated.expect(412)?.text()?, "version");
    ensure!(read().await?["status"] == "DRAFT", "started");
    person
        .post(&start, &[("version", &outdated[0])])
        .await?
        .expect(303)?;
    let campaign = read().await?;
    ensure!(
        campaign["status"] == "RUNNING" && campaign["contact_gap_days"] == 7,
        "{campaign}"
    );
    Ok(())
}

#[tokio::test]
async fn a_campaign_reaches_the_people_of_several_imports() -> Result<()> {
    let app = App::start().await?;
    let (owner, person) = editor(&app).await?;
    let form = owner.published(&tests::form::short_form("T")).await?;
    let form_id = form["form_id"].as_str().context("no form_id")?;
    let mut batches = Vec::new();
    for number in 1..=2 {
        let mut one = record(&format!("order-{number}"));
        one["phone"] = json!(format!("+491511234567{number}"));
        let batch = owner.import_and_wait(&[one], SOON).await?;
        batches.push(batch["batch_id"].as_str().context("no id")?.to_owned());
    }
    let fields = [
        ("name", "After the visit"),
        ("form_id", form_id),
        ("sender", "demo"),
        ("text", "How was it? {link}"),
        ("audience", &batches[0]),
        ("also", &batches[1]),
    ];
    let new = "/dashboard/campaigns/new";
    let made = person.post(new, &fields).await?.expect(303)?;
    let edit = made.header("location").context("no location")?;
    let asked = person.get(edit).await?.expect(200)?;
    ensure!(
        asked.text()?.contains("2 messages to 2 people"),
        "{asked:?}"
    );
    let campaigns = owner.get(tests::campaign::CAMPAIGN).await?.expect(200)?;
    let campaigns = campaigns.json()?;
    let audience = &campaigns["items"][0]["audience"]["batch_ids"];
    ensure!(*audience == json!(batches), "{campaigns}");
    Ok(())
}

#[tokio::test]
async fn starting_and_resuming_say_to_how_many_people_and_from_when() -> Result<()> {
    let app = App::start().await?;
    let (owner, person) = editor(&app).await?;
    let form = owner.published(&tests::form::short_form("T")).await?;
    let form_id = form["form_id"].as_str().context("no form_id")?;
    let mut other = record("order-2");
    other["phone"] = json!("+4915112345679");
    let batch = owner
        .import_and_wait(&[record("order-1"), other], SOON)
        .await?;
    let batch_id = batch["batch_id"].as_str().context("no batch_id")?;
    let mut fields = vec![
        ("name", "After the visit"),
        ("form_id", form_id),
        ("sender", "demo"),
        ("text", "How was it? {link}"),
        ("audience", batch_id),
    ];
    let new = "/dashboard/campaigns/new";
    // An import without a campaign is what the next one is for.
    let chosen = format!("<option value=\"{batch_id}\" selected>");
    let page = person.get(new).await?.expect(200)?;
    ensure!(page.text()?.contains(&chosen), "{page:?}");
    let made = person.post(new, &fields).await?.expect(303)?;
    let page = person.get(new).await?.expect(200)?;
    ensure!(!page.text()?.contains(&chosen), "{page:?}");
    let import = format!("/dashboard/imports/{batch_id}");
    let import = person.get(&import).await?.expect(200)?;
    let told = import.text()?;
    ensure!(
        told.contains("Campaigns for these people:") && !told.contains("Nothing was sent"),
        "{import:?}"
    );
    let people = format!("/dashboard/recipients?batch={batch_id}");
    ensure!(told.contains(&people), "{import:?}");
    let people = person.get(&people).await?.expect(200)?;
    ensure!(people.text()?.contains("up to 2 people"), "{people:?}");
    let made = made.header("location").context("no location")?;
    // Without what it tells that was done.
    let edit = made.split('?').next().unwrap_or_default().to_owned();
    let asked = person.get(&edit).await?.expect(200)?;
    let question = "Starts at once: 2 messages to 2 people. Simulated:";
    ensure!(asked.text()?.contains(question), "{asked:?}");
    fields.push(("starts_at", "2035-01-02T09:00"));
    person.post(&edit, &fields).await?.expect(303)?;
    let asked = person.get(&edit).await?.expect(200)?;
    let question = "2 messages to 2 people, the first on 2 Jan 2035, 09:00.";
    ensure!(asked.text()?.contains(question), "{asked:?}");

    let page = edit.trim_end_matches("/edit");
    let nothing: [(&str, &str); 0] = [];
    person
        .post(&format!("{page}/start"), &nothing)
        .await?
        .expect(303)?;
    eventually(SOON, async || {
        let shown = person.get(page).await?.expect(200)?;
        let waits = "2 wait for the start, 2 Jan 2035, 09:00.";
        ensure!(shown.text()?.contains(waits), "{shown:?}");
        Ok(())
    })
    .await?;
    person
        .post(&format!("{page}/pause"), &nothing)
        .await?
        .expect(303)?;
    let paused = person.get(page).await?.expect(200)?;
    for part in [
        "2 messages wait because the campaign is paused.",
        "2 messages that wait are sent, within their hours. Sent: at any time.",
    ] {
        ensure!(paused.text()?.contains(part), "no {part}: {paused:?}");
    }
    Ok(())
}

#[tokio::test]
async fn the_columns_of_recipients_are_chosen_in_a_campaign() -> Result<()> {
    let app = App::start().await?;
    let (owner, person) = editor(&app).await?;
    let form = owner.published(&tests::form::short_form("T")).await?;
    let form_id = form["form_id"].as_str().context("no form_id")?;
    let known = ["Altona", "Altona ", "Altonna"].into_iter().zip(1..);
    let known = known.map(|(store, number)| {
        let mut known = record(&format!("order-{number}"));
        known["phone"] = json!(format!("+491511234567{number}"));
        known["Filiale"] = json!(store);
        known["Vorname"] = json!("Ada");
        known
    });
    let known: Vec<_> = known.collect();
    owner.import_and_wait(&known, SOON).await?;
    let new = "/dashboard/campaigns/new";
    let page = person.get(new).await?.expect(200)?;
    for part in [
        "<option>Filiale</option>",
        "name=\"keep\" value=\"Vorname\">",
        "<details class=\"group\" open><summary>Columns",
    ] {
        ensure!(page.text()?.contains(part), "no {part}: {page:?}");
    }
    let mut sent = vec![
        ("name", "After the visit"),
        ("form_id", form_id),
        ("sender", "demo"),
        ("text", "Zoë asks: {link}"),
        ("audience", ""),
        ("keep", "Vorname"),
        ("track_fields", "filiale"),
        ("group_column", "Filiale"),
        ("group_name", "store"),
        ("group_column", ""),
        ("group_name", ""),
        ("max_parts", "99"),
    ];
    // What is wrong is not folded.
    let refused = person.post(new, &sent).await?.expect(422)?;
    let open = "<details class=\"group\" open><summary>More settings";
    ensure!(refused.text()?.contains(open), "{refused:?}");
    sent.pop();
    let made = person.post(new, &sent).await?.expect(303)?;
    let edit = made.header("location").context("no location")?.to_owned();
    let id = edit.split('/').nth(3).context("no id")?;
    let stored = owner.get(&format!("/api_v1/sms/campaign/{id}")).await?;
    let stored = stored.expect(200)?.json()?;
    ensure!(
        stored["track_fields"] == json!(["Vorname", "filiale"])
            && stored["bus_props_from"] == json!({"store": "Filiale"}),
        "{stored}"
    );
    let page = person.get(&edit).await?.expect(200)?;
    for part in [
        "<option selected>Filiale</option>",
        "name=\"keep\" value=\"filiale\" checked>",
        "Nobody has the column “filiale” yet. Did you mean “Filiale”?",
        "The character “ë” shortens an SMS",
        "store: Altona (2)",
        "These are probably mistyped: their people get the message, but their answers count for no group.",
        "store: Altonna (1) Did you mean “Altona”?",
        "Add them to the form</button>",
    ] {
        ensure!(page.text()?.contains(part), "no {part}: {page:?}");
    }
    // One press adds the values of the file to the form, but what is likely to be mistyped.
    let add = format!("/dashboard/campaigns/{id}/bus_props");
    person.post(&add, &[("page", "edit")]).await?.expect(303)?;
    let form = owner.get(&form_path(&form)).await?.expect(200)?.json()?;
    let listed = form["bus_props"].as_array().into_iter().flatten();
    let listed: Vec<_> = listed.map(|entry| &entry["bus_prop"]).collect();
    ensure!(listed == ["store:Altona"], "{form}");
    // What is left cannot be added at a press.
    let page = person.get(&edit).await?.expect(200)?;
    let text = page.text()?;
    ensure!(
        text.contains("store: Altonna (1)") && !text.contains("Add them to the form</button>"),
        "{text}"
    );
    Ok(())
}

#[tokio::test]
async fn a_new_campaign_groups_by_what_its_form_compares() -> Result<()> {
    let app = App::start().await?;
    let (owner, person) = editor(&app).await?;
    let mut form = tests::form::short_form("Stores");
    form["bus_props"] = json!(["store:Altona", "region:North"]);
    let first = owner.draft(&form).await?;
    owner.published(&tests::form::short_form("Later")).await?;
    let publish = format!("{}/publish", form_path(&first));
    owner.post(&publish).await?.expect(200)?;
    let mut known = record("order-1");
    known["Store"] = json!("Altona");
    known["store_code"] = json!("7");
    owner.import_and_wait(&[known], SOON).await?;

    // The form that was published last is chosen, and the column that is called as what it compares.
    let form_id = first["form_id"].as_str().context("no form_id")?;
    let new = "/dashboard/campaigns/new";
    let page = person.get(new).await?.expect(200)?;
    let chosen = format!("<option value=\"{form_id}\" selected>Stores</option>");
    for part in [
        &*chosen,
        "<details class=\"group\" open><summary>Columns",
        "<option selected>Store</option>",
        "name=\"group_name\" maxlength=\"64\" value=\"store\"",
        "<option>region</option>",
    ] {
        ensure!(page.text()?.contains(part), "no {part}: {page:?}");
    }
    ensure!(!page.text()?.contains("<option selected>store_code"));

    let mut sent = vec![
        ("name", "After the visit"),
        ("form_id", form_id),
        ("sender", "demo"),
        ("text", "How was it? {link}"),
        ("audience", ""),
        ("group_column", "Store"),
        ("group_name", "store"),
        ("quota_name", "store"),
        ("quota_most", "20"),
        ("quota_name", "region"),
        ("quota_most", "5"),
    ];
    // What is none of its groups is refused, and still there.
    let refused = person.post(new, &sent).await?.expect(422)?;
    let kept = "<option selected>region</option>";
    ensure!(refused.text()?.contains(kept), "{refused:?}");
    sent.truncate(9);
    let made = person.post(new, &sent).await?.expect(303)?;
    let edit = made.header("location").context("no location")?.to_owned();
    let id = edit.split('/').nth(3).context("no id")?;
    let stored = owner.get(&format!("/api_v1/sms/campaign/{id}")).await?;
    let stored = stored.expect(200)?.json()?;
    ensure!(stored["per_day"] == json!({"store": 20}), "{stored}");
    let page = person.get(&edit).await?.expect(200)?;
    for part in [
        "<option selected>store</option>",
        "max=\"1000000\" value=\"20\"",
    ] {
        ensure!(page.text()?.contains(part), "no {part}: {page:?}");
    }
    // The form of the newest campaign is that of the next one.
    owner.published(&tests::form::short_form("Newest")).await?;
    person.post(new, &sent).await?.expect(303)?;
    let page = person.get(new).await?.expect(200)?;
    ensure!(page.text()?.contains(&chosen), "{page:?}");
    Ok(())
}

#[tokio::test]
async fn a_campaign_that_runs_is_tested_and_changed_and_nothing_typed_is_lost() -> Result<()> {
    let app = App::start().await?;
    let (owner, person) = editor(&app).await?;
    let campaign = owner.started(|form| on_import(form, "demo")).await?;
    let path = campaign_path(&campaign);
    let page = path.replace("/api_v1/sms/campaign", "/dashboard/campaigns");
    let (edit, test) = (format!("{page}/edit"), format!("{page}/test"));
    let wrong = [("phone", "0151 1234"), ("docid", "")];
    let wrong = person.post(&test, &wrong).await?.expect(422)?;
    ensure!(wrong.text()?.contains("value=\"0151 1234\""), "{wrong:?}");
    let sent = [("phone", "+4915112345678"), ("docid", "")];
    let sent = person.post(&test, &sent).await?.expect(303)?;
    let shown = sent.header("location").context("no location")?.to_owned();
    eventually(SOON, async || {
        let shown = person.get(&shown).await?.expect(200)?;
        ensure!(shown.text()?.contains("Your test: "), "{shown:?}");
        // It is not called sent before it was.
        ensure!(!shown.text()?.contains("message sent"), "{shown:?}");
        ensure!(shown.text()?.contains("status delivered"), "not yet");
        Ok(())
    })
    .await?;
    // The whole text is there, and its link opens the form as a recipient sees it.
    let tested = person.get(&shown).await?.expect(200)?;
    let (_, rest) = tested.text()?.split_once("href=\"/f/").context("no link")?;
    let token = rest.split('"').next().unwrap_or_default();
    let end = format!("/f/{token}</p>");
    ensure!(tested.text()?.contains(&end), "no text: {tested:?}");
    owner.get(&format!("/f/{token}")).await?.expect(200)?;
    let editor = person.get(&edit).await?.expect(200)?;
    let drawn = editor.text()?;
    let started = "Already started: your change holds for messages not yet sent.";
    ensure!(drawn.contains(started), "{editor:?}");
    let [before, version] = ["before", "version"].map(|name| hidden(drawn, name).remove(0));
    let form_id = campaign["form_id"].as_str().context("no form_id")?;
    let mut fields = vec![
        ("name", "After the visit"),
        ("form_id", form_id),
        ("sender", "demo"),
        ("text", "How did you like it? {link}"),
        ("audience", ""),
        ("track_fields", "store_code"),
        ("before", &before),
        ("version", &version),
        ("started", "yes"),
        ("reminder_days", "3"),
    ];
    let refused = person.post(&edit, &fields).await?.expect(422)?;
    let kept = "name=\"reminder_days\" min=\"1\" max=\"90\" value=\"3\"";
    ensure!(refused.text()?.contains(kept), "{refused:?}");
    fields.push(("reminder_text", "Still: {link}"));
    person.post(&edit, &fields).await?.expect(303)?;
    let changed = owner.get(&path).await?.expect(200)?.json()?;
    ensure!(
        changed["text"] == "How did you like it? {link}" && changed["status"] == "RUNNING",
        "{changed}"
    );
    let settings = person.get(&page).await?.expect(200)?;
    ensure!(
        settings.text()?.contains("After 3 days: Still: {link}"),
        "{settings:?}"
    );
    Ok(())
}

#[tokio::test]
async fn a_phone_is_put_on_the_suppression_list_and_taken_off() -> Result<()> {
    let app = App::start().await?;
    let (owner, person) = editor(&app).await?;
    let list = async || {
        let page = person.get("/dashboard/suppressions").await?.expect(200)?;
        anyhow::Ok(page.text()?.to_owned())
    };
    ensure!(list().await?.contains("Nobody has opted out"), "not empty");
    let wrong = person
        .post("/dashboard/suppressions/add", &[("phone", "12")])
        .await?
        .expect(200)?;
    let told = wrong.text()?;
    ensure!(
        told.contains("role=\"alert\"") && told.contains("value=\"12\""),
        "not refused, or not kept: {told}"
    );
    let phone = [("phone", "+49 (0)151 1234-5678")];
    person
        .post("/dashboard/suppressions/add", &phone)
        .await?
        .expect(303)?;
    ensure!(list().await?.contains("Added by hand"), "not on the list");
    let stored = owner
        .get("/api_v1/sms/suppression")
        .await?
        .expect(200)?
        .json()?;
    ensure!(stored["items"][0]["source"] == "api", "{stored}");
    person
        .post("/dashboard/suppressions/remove", &phone)
        .await?
        .expect(303)?;
    ensure!(
        list().await?.contains("Nobody has opted out"),
        "still there"
    );
    Ok(())
}

#[tokio::test]
async fn a_preview_says_who_got_a_message_lately_and_which_columns_nobody_has() -> Result<()> {
    let app = App::start().await?;
    let (owner, person) = editor(&app).await?;
    let campaign = owner.started(|form| on_import(form, "demo")).await?;
    let import = owner.import_for(&campaign, &[record("order-1")]).await?;
    let import = import.expect(202)?.json()?;
    let batch_id = import["batch_id"].as_str().context("no batch_id")?;
    let form_id = campaign["form_id"].as_str().context("no form_id")?;
    let fields = [
        ("name", "Once more"),
        ("form_id", form_id),
        ("sender", "demo"),
        ("text", "Hi {nickname|there}: {link}"),
        ("audience", batch_id),
    ];
    eventually(SOON, async || {
        let preview = "/dashboard/campaigns/preview";
        let preview = person.post(preview, &fields).await?.expect(200)?;
        for words in [
            "1 of these people got a message of another campaign in the last 7 days.",
            "Nobody has the column “nickname” yet.",
        ] {
            ensure!(preview.text()?.contains(words), "no {words}: {preview:?}");
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn the_number_of_a_recipient_is_blocked_on_their_page() -> Result<()> {
    let app = App::start().await?;
    let (owner, person) = editor(&app).await?;
    owner.import_and_wait(&[record("who-1")], SOON).await?;
    let page = "/dashboard/recipients?docid=who-1";
    let shown = async |blocked: bool| {
        let page = person.get(page).await?.expect(200)?;
        let told = page.text()?.contains("This number gets no messages");
        ensure!(told == blocked, "{page:?}");
        anyhow::Ok(())
    };
    shown(false).await?;
    let of_recipient = [("page", "recipient"), ("docid", "who-1")];
    let done = person
        .post("/dashboard/suppressions/add", &of_recipient)
        .await?
        .expect(303)?;
    let to = done.header("location").context("no location")?;
    ensure!(to.starts_with(page), "{to}");
    shown(true).await?;
    let list = person.get("/dashboard/suppressions").await?.expect(200)?;
    ensure!(
        list.text()?
            .contains(&format!("<a href=\"{page}\">who-1</a>")),
        "{list:?}"
    );
    person
        .post("/dashboard/suppressions/remove", &[("docid", "who-1")])
        .await?
        .expect(303)?;
    shown(false).await?;
    let nobody = [("docid", "who-2")];
    person
        .post("/dashboard/suppressions/add", &nobody)
        .await?
        .expect(404)?;
    Ok(())
}

#[tokio::test]
async fn the_days_between_messages_are_set_beside_the_suppression_list() -> Result<()> {
    let app = App::start().await?;
    let (owner, person) = editor(&app).await?;
    let path = "/api_v1/sms/setting";
    let words = json!({"stop_words": ["ende"], "stop_reply": "Bye"});
    owner
        .send_json(Method::PUT, path, &words)
        .await?
        .expect(200)?;
    let gap = "/dashboard/suppressions/gap";
    person.post(gap, &[("days", "30")]).await?.expect(303)?;
    let stored = owner.get(path).await?.expect(200)?.json()?;
    ensure!(
        stored["min_gap_days"] == 30 && stored["stop_words"] == json!(["ende"]),
        "{stored}"
    );
    for wrong in ["400", "often"] {
        let refused = person.post(gap, &[("days", wrong)]).await?.expect(200)?;
        for part in [
            "Enter a whole number from 0 to 365.".to_owned(),
            format!("value=\"{wrong}\""),
        ] {
            ensure!(refused.text()?.contains(&part), "no {part}: {refused:?}");
        }
    }
    let page = person.get("/dashboard/suppressions").await?.expect(200)?;
    ensure!(page.text()?.contains("value=\"30\""), "{page:?}");
    Ok(())
}

#[tokio::test]
async fn a_link_is_shown_with_its_code_and_its_answers_are_exported() -> Result<()> {
    let app = App::start().await?;
    let (owner, person) = editor(&app).await?;
    let form = owner.published(&tests::form::form()).await?;
    let id = form["form_id"].as_str().context("no form_id")?;
    let made = person
        .post(&format!("/dashboard/forms/{id}/link"), &[])
        .await?
        .expect(303)?;
    let made = made.header("location").context("no location")?;
    let made = person.get(made).await?.expect(200)?;
    let (_, rest) = made.text()?.split_once("<img src=\"").context("no code")?;
    let code = rest.split('"').next().unwrap_or_default();
    owner.get(code).await?.expect(200)?;
    let link = code.trim_end_matches("/qr.svg");
    for (recommend, more) in [(9, "Fine, \"really\"."), (2, "Too late.")] {
        let answers = json!({"answers": {"recommend": recommend, "more": more}});
        owner
            .send_json(Method::POST, link, &answers)
            .await?
            .expect(201)?;
    }
    for (filter, rows) in [
        ("", 2),
        ("&nps=0-6", 1),
        ("&q=fine", 1),
        ("&nps=0-6&q=fine", 0),
        ("&track_field=docid%3Dnobody", 0),
    ] {
        let path = format!("/dashboard/answers.csv?form={id}&days=7{filter}");
        let csv = person.get(&path).await?.expect(200)?;
        let name = csv.header("content-disposition").unwrap_or_default();
        ensure!(
            name.starts_with("attachment; filename=\"answers-how-was-your-visit-20")
                && name.ends_with(".csv\""),
            "{csv:?}"
        );
        let lines = csv.text()?.lines().count();
        ensure!(lines == rows + 1, "{filter}: {csv:?}");
    }
    Ok(())
}

#[tokio::test]
async fn the_look_of_pages_is_set() -> Result<()> {
    let app = App::start().await?;
    let (owner, person) = editor(&app).await?;
    let path = "/dashboard/branding";
    let sent = |color| {
        [
            ("name", "Acme"),
            ("logo", ""),
            ("color", color),
            ("language", "de"),
        ]
    };
    let refused = person.post(path, &sent("red")).await?.expect(200)?;
    let page = refused.text()?;
    ensure!(
        page.contains("Write a colour such as") && page.contains("value=\"red\""),
        "{page}"
    );
    person.post(path, &sent("#0f5132")).await?.expect(303)?;
    let found = owner.get("/api_v1/account").await?.expect(200)?.json()?;
    let expected = json!({"name": "Acme", "logo": null, "color": "#0f5132", "language": "de"});
    ensure!(found == expected, "{found}");
    let page = person.get(path).await?.expect(200)?;
    ensure!(page.text()?.contains("value=\"#0f5132\""), "{page:?}");

    // So looks the preview of a form.
    let logo = "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=";
    let branding = json!({"name": "Acme", "logo": logo, "color": "#0f5132"});
    owner
        .send_json(Method::PUT, "/api_v1/account", &branding)
        .await?
        .expect(200)?;
    let draft = [
        ("title", "T"),
        ("row", "+1"),
        ("type", "nps"),
        ("label", "Good?"),
    ];
    let preview = "/dashboard/forms/preview";
    let drawn = person.post(preview, &draft).await?.expect(200)?;
    for part in ["Acme", "#0f5132", "src=\"preview/logo\""] {
        ensure!(drawn.text()?.contains(part), "no {part}: {drawn:?}");
    }
    let looks = format!("{path}/preview");
    let drawn = person.post(&looks, &sent("#5b1380")).await?.expect(200)?;
    // One question is answered there, which shows the colour of what is chosen.
    for part in ["Acme", "#5b1380", "name=\"staff\" value=\"4\" checked"] {
        ensure!(drawn.text()?.contains(part), "no {part}: {drawn:?}");
    }
    let image = person.get(&format!("{preview}/logo")).await?.expect(200)?;
    ensure!(
        image.header("content-type") == Some("image/svg+xml"),
        "{image:?}"
    );
    Ok(())
}
