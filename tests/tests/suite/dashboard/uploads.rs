//! A file becomes recipients without a script: it is kept, looked at, and imported as its columns were said to be.

use std::io::Write;

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::json;
use tests::app::App;
use tests::campaign::on_import;
use tests::client::Answer;
use tests::form::short_form;
use tests::import::records;
use tests::person::Person;
use tests::wait::{SOON, eventually};

use super::spreadsheets::rows;

/// Sends a file as a form of a page does.
async fn upload(app: &App, person: &Person, name: &str, file: &[u8]) -> Result<Answer> {
    let token = person.token().await?;
    send(app, person, &token, name, file).await
}

async fn send(app: &App, person: &Person, token: &str, name: &str, file: &[u8]) -> Result<Answer> {
    let head = format!(
        "--x\r\ncontent-disposition: form-data; name=\"token\"\r\n\r\n{token}\r\n\
         --x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{name}\"\r\ncontent-type: text/csv\r\n\r\n"
    );
    let body = [head.as_bytes(), file, b"\r\n--x--\r\n"].concat();
    let call = person.call(Method::POST, "/dashboard/imports/file");
    let base = app.anonymous()?.base().to_owned();
    let call = call.header("origin", &base);
    call.body("multipart/form-data; boundary=x", body)
        .send()
        .await
}

/// Where an answer leads.
fn location(answer: Answer) -> Result<String> {
    let answer = answer.expect(303)?;
    Ok(answer.header("location").context("no location")?.to_owned())
}

/// What a page's fields hold: the choices of its selects and its hidden values.
fn fields(page: &str) -> Vec<(String, String)> {
    let mut fields = Vec::new();
    for select in page.split("<select name=\"").skip(1) {
        let name = select.split('"').next().unwrap_or_default();
        let options = select.split("</select>").next().unwrap_or_default();
        let chosen = options.split("<option value=\"").find(|option| {
            option
                .split('>')
                .next()
                .is_some_and(|tag| tag.ends_with(" selected"))
        });
        let value = chosen.map_or("", |option| option.split('"').next().unwrap_or_default());
        fields.push((name.to_owned(), value.to_owned()));
    }
    for name in ["seen", "seen_campaign"] {
        let value = page.split(&format!("name=\"{name}\" value=\"")).nth(1);
        let value = value.and_then(|rest| rest.split('"').next());
        let value = value.unwrap_or_default().replace("&#38;", "&");
        fields.push((name.to_owned(), value.replace("&amp;", "&")));
    }
    fields
}

fn pairs(fields: &[(String, String)]) -> Vec<(&str, &str)> {
    fields
        .iter()
        .map(|(name, value)| (&**name, &**value))
        .collect()
}

const CUSTOMERS: &str = "Kunden-Nr.;Mobil;Filiale;IBAN\r\nK1;0151 12345678;Altona;DE1\r\nK2;12;Altona;DE2\r\nK3;0151 12345679;Wandsbek;DE3\r\n";

#[tokio::test]
async fn a_file_is_looked_at_and_imported_without_a_script() -> Result<()> {
    let app = App::start().await?;
    let zone = ["--time-zone", "Europe/Berlin"];
    let keys = app.create_key("shop", &zone).await?;
    let client = app.anonymous()?.with_keys(&keys);
    let person = app.person("ada", "shop", "editor").await?;
    let path = location(upload(&app, &person, "Kunden.csv", CUSTOMERS.as_bytes()).await?)?;
    // Whoever sees its phones is in the audit log.
    let admin = app.person("ben", "shop", "admin").await?;
    admin.get(&path).await?.expect(200)?;
    let log = admin.get("/dashboard/audit?name=ben").await?.expect(200)?;
    let log = log.text()?;
    let is_told = log.contains(">Uploaded file viewed<") && log.contains("Kunden.csv");
    ensure!(is_told, "{log}");
    // The columns are known by their names, the country by the account's time zone.
    let page = person.get(&path).await?.expect(200)?;
    let page = page.text()?;
    for part in [
        "Import 2 people",
        "semicolons",
        "0151 12345678",
        "data-label=\"Value in file\">12</td>",
        "+4915112345678",
        "This sends nothing",
    ] {
        ensure!(page.contains(part), "{part}: {page}");
    }
    let mut chosen = fields(page);
    let choice = |name: &str| {
        chosen
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.clone())
    };
    for (name, value) in [
        ("column-0", "docid"),
        ("column-1", "phone"),
        ("column-3", "keep"),
        ("country", "DE"),
    ] {
        ensure!(choice(name).as_deref() == Some(value), "{name}: {chosen:?}");
    }
    // What was not looked at is shown before it is imported.
    chosen.retain(|(name, _)| name != "column-3");
    chosen.push(("column-3".to_owned(), "skip".to_owned()));
    chosen.push(("do".to_owned(), "import".to_owned()));
    let again = location(person.post(&path, &pairs(&chosen)).await?)?;
    ensure!(again.contains("column-3=skip"), "{again}");
    let page = person.get(&again).await?.expect(200)?;
    let mut chosen = fields(page.text()?);
    chosen.push(("do".to_owned(), "import".to_owned()));
    let batch = location(person.post(&path, &pairs(&chosen)).await?)?;
    let batch_id = batch.rsplit('/').next().unwrap_or_default();
    let done = client.completed(batch_id, SOON).await?;
    ensure!(
        done["name"] == "Kunden.csv" && done["accepted"] == 2 && done["made_by"] == "ada",
        "{done}"
    );
    let stored = client.recipient("K1").await?.expect(200)?.json()?;
    ensure!(stored["fields"] == json!({"Filiale": "Altona"}), "{stored}");
    ensure!(
        person
            .get("/dashboard/imports")
            .await?
            .text()?
            .contains("Kunden.csv"),
        "no name"
    );
    // One file becomes one batch: pressing again, or going back, leads to it.
    for again in [
        person.get(&path).await?,
        person.post(&path, &pairs(&chosen)).await?,
    ] {
        ensure!(location(again)? == batch, "another batch");
    }
    let page = person.get(&batch).await?.expect(200)?;
    for part in [
        "Nothing was sent out of this import".to_owned(),
        format!("/dashboard/campaigns/new?batch={batch_id}"),
    ] {
        ensure!(page.text()?.contains(&part), "{part}: {page:?}");
    }
    client.published(&short_form("T")).await?;
    let new = format!("/dashboard/campaigns/new?batch={batch_id}");
    let page = person.get(&new).await?.expect(200)?;
    let chosen = format!("<option value=\"{batch_id}\" selected>");
    ensure!(page.text()?.contains(&chosen), "{page:?}");

    // The next file begins with what was said of this one.
    let next = location(upload(&app, &person, "Dezember.csv", CUSTOMERS.as_bytes()).await?)?;
    let page = person.get(&next).await?.expect(200)?;
    let next = fields(page.text()?);
    ensure!(
        next.contains(&("column-3".to_owned(), "skip".to_owned())),
        "{next:?}"
    );
    Ok(())
}

#[tokio::test]
async fn what_a_campaigns_form_lacks_is_told_before_the_import_and_added() -> Result<()> {
    let app = App::start().await?;
    let zone = ["--time-zone", "Europe/Berlin"];
    let keys = app.create_key("shop", &zone).await?;
    let client = app.anonymous()?.with_keys(&keys);
    let person = app.person("ada", "shop", "editor").await?;
    let campaign = client
        .started(|form| {
            let mut campaign = on_import(form, "demo");
            campaign["bus_props_from"] = json!({"store": "Filiale"});
            campaign
        })
        .await?;
    let campaign_id = campaign["campaign_id"].as_str().context("no id")?;
    let path = location(upload(&app, &person, "Kunden.csv", CUSTOMERS.as_bytes()).await?)?;
    let press = async |page: &str, button: &str| {
        let page = person.get(page).await?.expect(200)?;
        let mut chosen = fields(page.text()?);
        chosen.retain(|(name, _)| name != "campaign");
        chosen.push(("campaign".to_owned(), campaign_id.to_owned()));
        chosen.push(("do".to_owned(), button.to_owned()));
        location(person.post(&path, &pairs(&chosen)).await?)
    };
    let told = press(&path, "import").await?;
    let page = person.get(&told).await?.expect(200)?;
    for part in ["store: Altona (1)", "store: Wandsbek (1)"] {
        ensure!(page.text()?.contains(part), "{part}: {page:?}");
    }
    let added = press(&told, "add").await?;
    let page = person.get(&added).await?.expect(200)?;
    ensure!(!page.text()?.contains("store: Altona"), "{page:?}");
    // Which campaign it is sent with was said by the button.
    let button = "Import 2 people and send";
    ensure!(page.text()?.contains(button), "{page:?}");
    let batch = press(&added, "import").await?;
    ensure!(batch.starts_with("/dashboard/imports/0"), "{batch}");
    Ok(())
}

#[tokio::test]
async fn what_cannot_be_a_file_of_people_is_told_and_three_are_kept() -> Result<()> {
    let app = App::start().await?;
    app.create_key("shop", &[]).await?;
    app.create_key("other", &[]).await?;
    let person = app.person("ada", "shop", "editor").await?;
    let refused = async |name: &'static str, file: &'static [u8], why: &'static str| {
        let answer = upload(&app, &person, name, file).await?;
        let page = match answer.status {
            303 => person.get(&location(answer)?).await?,
            _ => answer.expect(422)?,
        };
        ensure!(page.text()?.contains(why), "{name}: {page:?}");
        anyhow::Ok(())
    };
    refused("people.xls", b"x", "saved as .xlsx").await?;
    refused("people.csv", b"", "header is missing").await?;
    refused("people.xlsx", b"docid,phone", "cannot be read").await?;
    refused("people.json", b"[{\"a\": 1}", "cannot be read").await?;
    refused(
        "people.csv",
        b"a;b\n1;2\n",
        "Choose the column with the phone numbers",
    )
    .await?;

    let mut compressed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writeln!(
        compressed,
        "docid,phone\na,+4915112345678\nb,+4915112345679"
    )?;
    let first = location(upload(&app, &person, "a.csv.gz", &compressed.finish()?).await?)?;
    let page = person.get(&first).await?.expect(200)?;
    ensure!(page.text()?.contains("Import 2 people"), "{page:?}");
    // A file of several parts, and two more: the first is gone.
    let mut large = b"docid,phone,note\n".to_vec();
    for n in 0..40_000 {
        writeln!(large, "c-{n},+49151{n:08},{n:30}")?;
    }
    for name in ["b.csv", "c.csv", "d.csv"] {
        let kept = location(upload(&app, &person, name, &large).await?)?;
        let page = person.get(&kept).await?.expect(200)?;
        ensure!(page.text()?.contains("Import 40,000 people"), "{page:?}");
    }
    let gone = person.get(&first).await?.expect(404)?;
    for part in ["no longer kept", "Choose a file"] {
        ensure!(gone.text()?.contains(part), "{part}: {gone:?}");
    }
    // It is nobody else's, and needs the token of the page.
    let kept = location(upload(&app, &person, "e.csv", b"docid,phone\n").await?)?;
    let stranger = app.person("eve", "other", "admin").await?;
    stranger.get(&kept).await?.expect(404)?;
    let viewer = app.person("ben", "shop", "viewer").await?;
    viewer.get(&kept).await?.expect(403)?;
    send(&app, &person, "0", "e.csv", b"").await?.expect(403)?;
    let again = person.get("/dashboard/imports/file").await?;
    ensure!(location(again)? == "/dashboard/imports", "no way back");
    Ok(())
}

/// A blank row, a cell of two lines, what is wrong with phones, and a row twice.
const FAULTS: &str = "docid;phone;note\r\nK1;0151 12345678;\"two\r\nlines\"\r\n;;\r\nK2;n/a;\r\nK3;12;\r\n\
                      K4;4,9E+11;\r\nK5;0151 12345678;\r\nK5;0151 12345678;\r\n";

#[tokio::test]
async fn a_refused_row_has_one_number_and_its_own_reason_everywhere() -> Result<()> {
    let app = App::start().await?;
    let keys = app
        .create_key("shop", &["--time-zone", "Europe/Berlin"])
        .await?;
    let client = app.anonymous()?.with_keys(&keys);
    let person = app.person("ada", "shop", "editor").await?;
    let path = location(upload(&app, &person, "Kunden.csv", FAULTS.as_bytes()).await?)?;
    let page = person.get(&path).await?.expect(200)?;
    let told = [
        (4, "n/a", "n/a", "This is not a phone number"),
        (5, "12", "12", "too few digits"),
        (6, "4,9E+11", "*,9E+11", "Excel shortened this number"),
    ];
    for (row, value, _, reason) in told {
        let row = format!(
            "data-label=\"Row\">{row}</td><td data-label=\"Column\">phone</td>\
             <td data-label=\"Value in file\">{value}</td>"
        );
        for part in [&*row, reason] {
            ensure!(page.text()?.contains(part), "{part}: {page:?}");
        }
    }
    // Two people have one phone, and a row stands there twice.
    for part in [
        "1 row has the phone number of a row further up",
        "Rows: 7",
        "Rows: 8",
    ] {
        ensure!(page.text()?.contains(part), "{part}: {page:?}");
    }
    let mut chosen = fields(page.text()?);
    chosen.push(("do".to_owned(), "import".to_owned()));
    let batch = location(person.post(&path, &pairs(&chosen)).await?)?;
    let batch_id = batch.rsplit('/').next().unwrap_or_default();
    client.completed(batch_id, SOON).await?;
    let page = person.get(&batch).await?.expect(200)?;
    let (sheet, _) = rows(person.get(&format!("{batch}/errors.xlsx")).await?)?;
    ensure!(sheet.len() == told.len(), "{sheet:?}");
    for ((row, _, masked, reason), of_sheet) in told.into_iter().zip(&sheet) {
        for part in [format!("data-label=\"Row\">{row}</td>"), reason.to_owned()] {
            ensure!(page.text()?.contains(&part), "{part}: {page:?}");
        }
        ensure!(of_sheet["Row"] == f64::from(row), "{of_sheet}");
        ensure!(of_sheet["Value in file"] == masked, "{of_sheet}");
        let wrong = of_sheet["What is wrong"].as_str().unwrap_or_default();
        ensure!(wrong.contains(reason), "{of_sheet}");
        let todo = of_sheet["What to do"].as_str().unwrap_or_default();
        ensure!(!todo.is_empty(), "{of_sheet}");
    }
    // Programs count records from 0.
    let errors = format!("/api_v1/sms/import/{batch_id}/errors");
    let errors = client.get(&errors).await?.expect(200)?.json()?;
    let first = &errors["items"][0];
    ensure!(
        first["index"] == 1 && first["pointer"] == "/1/phone" && first["row"].is_null(),
        "{errors}"
    );
    // What stood there goes with the person.
    client.erase("K3").await?.expect(204)?;
    eventually(SOON * 4, async || {
        let (sheet, _) = rows(person.get(&format!("{batch}/errors.xlsx")).await?)?;
        let erased = sheet.iter().find(|row| row["Row"] == 5.0);
        let erased = erased.context("no row")?;
        let is_gone = |name: &str| erased[name].as_str().unwrap_or_default().is_empty();
        ensure!(
            is_gone("Value in file") && is_gone("Customer number"),
            "{erased}"
        );
        Ok(())
    })
    .await
}

#[tokio::test]
async fn erasing_an_import_says_first_what_will_not_be_sent() -> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &[]).await?;
    let client = app.anonymous()?.with_keys(&keys);
    let person = app.person("ada", "shop", "editor").await?;
    let campaign = client
        .started(|form| {
            let mut campaign = on_import(form, "demo");
            campaign["delay_minutes"] = json!(60);
            campaign
        })
        .await?;
    let accepted = client.import_for(&campaign, &records("A", 2, "1")).await?;
    let accepted = accepted.expect(202)?.json()?;
    let batch_id = accepted["batch_id"].as_str().context("no id")?;
    client.completed(batch_id, SOON).await?;
    let path = format!("/dashboard/imports/{batch_id}");
    let page = person.get(&path).await?.expect(200)?;
    ensure!(page.text()?.contains("?ask=erase"), "{page:?}");
    let page = person.get(&format!("{path}?ask=erase")).await?;
    let page = page.expect(200)?;
    for part in [
        "will be skipped",
        "After the visit: 2 messages",
        "None of this can be undone",
    ] {
        ensure!(page.text()?.contains(part), "{part}: {page:?}");
    }
    person
        .post(&format!("{path}/erase"), &[])
        .await?
        .expect(303)?;
    eventually(SOON, async || {
        let list = person.get("/dashboard/imports").await?.expect(200)?;
        ensure!(list.text()?.contains("2 of them erased"), "{list:?}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn the_audit_log_names_files() -> Result<()> {
    let app = App::start().await?;
    app.create_key("shop", &[]).await?;
    let person = app.person("ada", "shop", "editor").await?;
    let admin = app.person("ben", "shop", "admin").await?;
    location(upload(&app, &person, "Kunden.csv", CUSTOMERS.as_bytes()).await?)?;
    let log = admin.get("/dashboard/audit").await?.expect(200)?;
    let row = log
        .text()?
        .split("<tr ")
        .find(|row| row.contains("File uploaded"));
    let row = row.context("not noted")?;
    ensure!(row.contains(">Kunden.csv<"), "{row}");
    Ok(())
}
