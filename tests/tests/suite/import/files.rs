//! CSV and JSON as people have them: any dialect, columns with names of their own, national numbers, and a look at what an import
//! would come to.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tests::app::App;
use tests::import::{Accepted, IMPORT, JSON};
use tests::wait::SOON;

const CSV: &str = "text/csv";

/// How Excel in German writes its file, but for the mistakes: a blank row, a row twice, and what it made of a long number.
const CUSTOMERS: &str = "Kundennummer;Handy;Ort;IBAN\r\n\
    K1;0151 12345678;Köln;DE1\r\n\
    K2;+49 (0)151 12345679;\"Halle; Saale\";DE2\r\n\
    ;;;\r\n\
    K1;0151/123456-78;Köln;DE1\r\n\
    K3;4,91511E+11;Bonn;DE3\r\n\
    K4;0151-CALL;Trier;DE4\r\n\
    K2;0151 12345679;Bonn;DE2\r\n";

const MAPPED: &str =
    "dialect=auto&country=DE&docid_column=kundennummer&phone_column=Handy&skip_column=IBAN";

/// The file in Windows-1252, which is Latin-1 for what it has.
fn windows(text: &str) -> Vec<u8> {
    text.chars()
        .map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?'))
        .collect()
}

/// What a look at the file tells of its errors: row, code and what stood there.
fn told(preview: &Value) -> Vec<(Option<u64>, &str, Option<&str>)> {
    let errors = preview["errors"].as_array().into_iter().flatten();
    let told = errors.map(|error| {
        let code = error["code"].as_str().unwrap_or_default();
        (error["row"].as_u64(), code, error["value"].as_str())
    });
    told.collect()
}

#[tokio::test]
async fn a_file_of_excel_is_looked_at_then_imported() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let body = windows(CUSTOMERS);
    let preview = async || {
        let query = format!("{MAPPED}&preview=true");
        let answer = client.import_file(&query, CSV, body.clone()).await?;
        answer.expect(200)?.json()
    };
    let first = preview().await?;
    for (member, value) in [
        ("received", json!(6)),
        ("accepted", json!(2)),
        ("rejected", json!(3)),
        ("merged", json!(1)),
        ("existing", json!(0)),
        ("by_code", json!({"phone_invalid": 2, "docid_duplicate": 1})),
        ("columns", json!(["Kundennummer", "Handy", "Ort", "IBAN"])),
        (
            "dialect",
            json!({"delimiter": ";", "encoding": "windows-1252", "columns": {"docid": "kundennummer", "phone": "Handy"}}),
        ),
        (
            "sample",
            json!([
                {"docid": "K1", "phone": "+4915112345678", "fields": {"Ort": "Köln"}},
                {"docid": "K2", "phone": "+4915112345679", "fields": {"Ort": "Halle; Saale"}},
            ]),
        ),
    ] {
        ensure!(first[member] == value, "{member}: {first}");
    }
    let wanted = [
        (Some(6), "phone_invalid", Some("4,91511E+11")),
        (Some(7), "phone_invalid", Some("0151-CALL")),
        (Some(8), "docid_duplicate", Some("K2")),
    ];
    ensure!(told(&first) == wanted, "{first}");
    let detail = first["errors"][0]["detail"].as_str().context("no detail")?;
    ensure!(detail.contains("digits"), "{detail}");
    let list = client.get(IMPORT).await?.expect(200)?.json()?;
    ensure!(list["items"] == json!([]), "a look is stored: {list}");

    let named = format!("{MAPPED}&name=Kunden%20November.csv");
    let answer = client.import_file(&named, CSV, body.clone()).await?;
    let accepted = Accepted::read(answer)?;
    ensure!(accepted.body["merged"] == 1, "{}", accepted.body);
    ensure!(
        accepted.body["dialect"] == first["dialect"],
        "{}",
        accepted.body
    );
    let batch = client.completed(&accepted.batch_id, SOON).await?;
    ensure!(batch["name"] == "Kunden November.csv", "{batch}");
    ensure!(batch["merged"] == 1, "{batch}");
    let stored = client.recipient("K2").await?.expect(200)?.json()?;
    ensure!(stored["phone"] == "+4915112345679", "{stored}");
    ensure!(
        stored["fields"] == json!({"Ort": "Halle; Saale"}),
        "{stored}"
    );
    let list = client.get(IMPORT).await?.expect(200)?.json()?;
    ensure!(list["items"][0]["name"] == "Kunden November.csv", "{list}");
    let again = preview().await?;
    ensure!(again["existing"] == 2, "{again}");

    // The same without the parameters is read by the letter.
    let strict = client.import_as(CSV, body).await?;
    strict.problem(400, "invalid_csv")?;
    Ok(())
}

#[tokio::test]
async fn members_of_json_have_names_of_their_own_too() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let body = json!([
        {"Telefon": "044 668 18 00", "Vorname": "Urs", "geheim": "x"},
        {"Telefon": "079 123 45 67"},
        {"Vorname": "Eva"},
    ]);
    let query = "country=CH&docid_column=Telefon&phone_column=Telefon&skip_column=geheim";
    let answer = client.import_file(query, JSON, body.to_string()).await?;
    let accepted = Accepted::read(answer)?;
    ensure!(accepted.body["rejected"] == 1, "{}", accepted.body);
    client.completed(&accepted.batch_id, SOON).await?;
    let stored = client
        .recipient("+41446681800")
        .await?
        .expect(200)?
        .json()?;
    ensure!(stored["fields"] == json!({"Vorname": "Urs"}), "{stored}");
    Ok(())
}

#[tokio::test]
async fn what_cannot_be_asked_for_is_said() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    for query in [
        "dialect=excel",
        "country=Germany",
        "country=001",
        "preview=yes",
        "name=",
        "name=a%0Ab",
        "docid_column=a&docid_column=b",
        "phone_columns=a",
    ] {
        let answer = client.import_file(query, JSON, "[]").await?;
        answer
            .problem(400, "invalid_parameter")
            .with_context(|| query.to_owned())?;
    }
    let call = client.call(reqwest::Method::POST, &format!("{IMPORT}?preview=true"));
    let keyed = call.header("idempotency-key", "a").body(JSON, "[]");
    keyed.send().await?.problem(400, "invalid_parameter")?;
    let missing = client
        .import_file("dialect=auto", CSV, "a;b\n1;2\n")
        .await?;
    let problem = missing.problem(400, "invalid_csv")?;
    let detail = problem["detail"].as_str().unwrap_or_default();
    ensure!(
        detail.contains("docid") && detail.contains("line 1"),
        "{detail}"
    );
    Ok(())
}
