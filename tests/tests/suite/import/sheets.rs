//! XLSX: what spreadsheets write, and what nobody should.

use std::fmt::Write as _;
use std::io::{Cursor, Write};

use anyhow::{Context, Result, ensure};
use rust_xlsxwriter::{ExcelDateTime, Format, Workbook};
use serde_json::json;
use tests::app::App;
use tests::client::Client;
use tests::import::{Accepted, IMPORT, gzip};
use tests::wait::SOON;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
/// What hostile input may cost a process: 256 MiB.
const MEMORY: u64 = 256 << 20;

const QUERY: &str = "country=DE&docid_column=Kundennummer&phone_column=Handy&name=Kunden.xlsx";

#[tokio::test]
async fn the_first_sheet_is_imported_as_it_looks() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let mut book = Workbook::new();
    let day = Format::new().set_num_format("dd.mm.yyyy");
    let sheet = book.add_worksheet();
    for (column, name) in (0..).zip(["Kundennummer", "Handy", "Besuch", "Umsatz", "Notiz"]) {
        sheet.write(0, column, name)?;
    }
    sheet.write(1, 0, 4711)?.write(1, 1, 491_511_234_567.0)?;
    sheet.write_with_format(1, 2, &ExcelDateTime::from_ymd(2026, 11, 5)?, &day)?;
    sheet
        .write(1, 3, 12.5)?
        .write(1, 4, "=cmd|' /C calc'!A0, \"x\"\n<b>")?;
    // Row 3 is empty.
    sheet.write(3, 0, "A-2")?.write(3, 1, "0151 1234568")?;
    sheet.write(4, 0, 4.9e19)?.write(4, 1, "0151 1234569")?;
    sheet.write(5, 0, "A-3")?.write(5, 1, "unknown")?;
    book.add_worksheet().write(0, 0, "nothing of this")?;
    let file = book.save_to_buffer()?;

    let query = format!("{QUERY}&preview=true");
    let answer = client.import_file(&query, XLSX, file.clone()).await?;
    let preview = answer.expect(200)?.json()?;
    let fields = json!({"Besuch": "2026-11-05", "Umsatz": "12.5", "Notiz": "=cmd|' /C calc'!A0, \"x\"\n<b>"});
    let sample = json!([
        {"docid": "4711", "phone": "+491511234567", "fields": fields},
        {"docid": "A-2", "phone": "+491511234568", "fields": {}},
    ]);
    ensure!(preview["sample"] == sample, "{preview}");
    ensure!(preview["dialect"].is_null(), "{preview}");
    let errors = &preview["errors"];
    ensure!(
        errors[0]["row"] == 5 && errors[0]["code"] == "docid_invalid",
        "{errors}"
    );
    ensure!(
        errors[1]["row"] == 6 && errors[1]["value"] == "unknown",
        "{errors}"
    );

    for body in [file.clone().into(), gzip(&file)?] {
        let encoding = if body.len() == file.len() {
            "identity"
        } else {
            "gzip"
        };
        let call = client.call(reqwest::Method::POST, &format!("{IMPORT}?{QUERY}"));
        let call = call.header("content-encoding", encoding).body(XLSX, body);
        let accepted = Accepted::read(call.send().await?)?;
        let batch = client.completed(&accepted.batch_id, SOON).await?;
        ensure!(batch["name"] == "Kunden.xlsx", "{batch}");
    }
    let stored = client.recipient("4711").await?.expect(200)?.json()?;
    ensure!(stored["fields"] == fields, "{stored}");
    Ok(())
}

/// A file of these parts.
fn zipped(parts: &[(&str, &str)]) -> Result<Vec<u8>> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    // Large files are made sooner than a connection that nothing is asked on is closed.
    let packed = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .compression_level(Some(1));
    for (name, text) in parts {
        writer.start_file(*name, packed)?;
        writer.write_all(text.as_bytes())?;
    }
    Ok(writer.finish()?.into_inner())
}

/// A workbook with this sheet and these shared texts.
fn book(sheet: &str, texts: &str) -> Result<Vec<u8>> {
    book_in("xl/", sheet, texts)
}

/// The same with all but the sheet in this folder.
fn book_in(folder: &str, sheet: &str, texts: &str) -> Result<Vec<u8>> {
    let types = r#"<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>"#;
    let office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let root = format!(
        r#"<Relationships><Relationship Id="r1" Type="{office}/officeDocument" Target="{folder}workbook.xml"/></Relationships>"#
    );
    let workbook = format!(
        r#"<workbook xmlns:r="{office}"><sheets><sheet name="a" sheetId="1" r:id="r1"/></sheets></workbook>"#
    );
    let sheets = format!(
        r#"<Relationships><Relationship Id="r1" Type="{office}/worksheet" Target="/xl/worksheets/sheet1.xml"/></Relationships>"#
    );
    zipped(&[
        ("[Content_Types].xml", types),
        ("_rels/.rels", &root),
        (&format!("{folder}workbook.xml"), &workbook),
        (&format!("{folder}_rels/workbook.xml.rels"), &sheets),
        (&format!("{folder}sharedStrings.xml"), texts),
        ("xl/worksheets/sheet1.xml", sheet),
    ])
}

/// A sheet of these rows.
fn sheet(rows: &str) -> String {
    format!(
        r#"<worksheet><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>docid</t></is></c><c r="B1" t="inlineStr"><is><t>phone</t></is></c></row>{rows}</sheetData></worksheet>"#
    )
}

const ROW: &str = r#"<row r="2"><c r="A2" t="s"><v>0</v></c><c r="B2" t="inlineStr"><is><t>+4915112345678</t></is></c></row>"#;
const TEXTS: &str = "<sst><si><t>A1</t></si></sst>";

async fn refused(client: &Client, what: &str, file: Vec<u8>, as_code: (u16, &str)) -> Result<()> {
    let answer = client.import_file("name=a.xlsx", XLSX, file).await?;
    let problem = answer.problem(as_code.0, as_code.1);
    let problem = problem.with_context(|| what.to_owned())?;
    ensure!(
        problem["detail"]
            .as_str()
            .is_some_and(|detail| detail.contains("CSV")),
        "{what}: {problem}"
    );
    Ok(())
}

#[tokio::test]
async fn a_hostile_file_is_refused_and_costs_little() -> Result<()> {
    let mut app = App::start().await?;
    let client = app.client().await?;
    let by_hand = book(&sheet(ROW), TEXTS)?;
    Accepted::read(
        client
            .import_file("name=a.xlsx", XLSX, by_hand.clone())
            .await?,
    )?;

    let invalid = (400, "invalid_csv");
    let large = (413, "body_too_large");
    refused(&client, "no archive", b"docid,phone\n".to_vec(), invalid).await?;
    let cut = by_hand[..by_hand.len() / 2].to_vec();
    refused(&client, "cut", cut, invalid).await?;
    refused(
        &client,
        "no workbook",
        zipped(&[("a.xml", "<a/>")])?,
        invalid,
    )
    .await?;
    // What an encrypted workbook begins with.
    let mut encrypted = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1".to_vec();
    encrypted.resize(4096, 0);
    refused(&client, "encrypted", encrypted, invalid).await?;

    let parts: Vec<String> = (0..10_001).map(|n| n.to_string()).collect();
    let parts: Vec<_> = parts.iter().map(|name| (&**name, "")).collect();
    refused(&client, "many parts", zipped(&parts)?, invalid).await?;
    let text = "A".repeat(1_000);
    let texts = format!("<si><t>{text}</t></si>").repeat(30_000);
    let many = book(&sheet(ROW), &format!("<sst>{texts}</sst>"))?;
    refused(&client, "many texts", many, large).await?;
    // What it says that it has is not believed.
    let promised = TEXTS.replace("<sst>", "<sst uniqueCount=\"9223372036854775808\">");
    let promised = book(&sheet(ROW), &promised)?;
    Accepted::read(client.import_file("name=a.xlsx", XLSX, promised).await?)?;
    let hidden = book_in(
        "xl/worksheets/",
        &sheet(ROW),
        &format!("<sst>{texts}</sst>"),
    )?;
    refused(&client, "texts among the sheets", hidden, large).await?;
    let long = format!("<c r=\"{}\"/>", "A".repeat(100 << 20));
    refused(&client, "a long value", book(&sheet(&long), TEXTS)?, large).await?;
    let piece = "a".repeat(1_000_000);
    for cell in [
        format!(
            "<c t=\"inlineStr\"><is>{}</is></c>",
            format!("<r><t>{piece}</t></r>").repeat(70)
        ),
        format!(
            "<c t=\"str\"><v>{}</v></c>",
            format!("{piece}<x/>").repeat(70)
        ),
    ] {
        let row = format!("<row r=\"2\">{cell}</row>");
        refused(
            &client,
            "a cell of many texts",
            book(&sheet(&row), TEXTS)?,
            large,
        )
        .await?;
    }
    let path = format!("a/{}", "b".repeat(1_000_000));
    let sheets = "<sheet r:id=\"r9\"/>".repeat(2_000);
    let shared_path = zipped(&[
        (
            "xl/workbook.xml",
            &format!("<workbook><sheets><sheet r:id=\"r1\"/>{sheets}</sheets></workbook>"),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            &format!(
                "<Relationships><Relationship Id=\"r9\" Target=\"{path}\"/><Relationship Id=\"r1\" Target=\"worksheets/sheet1.xml\"/></Relationships>"
            ),
        ),
        ("xl/sharedStrings.xml", TEXTS),
        ("xl/worksheets/sheet1.xml", &sheet(ROW)),
    ])?;
    Accepted::read(client.import_file("name=a.xlsx", XLSX, shared_path).await?)?;
    let wide = r#"<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>"#;
    let answer = client
        .import_file("name=a.xlsx", XLSX, book(&sheet(wide), TEXTS)?)
        .await?;
    ensure!(answer.status == 422, "{answer:?}");

    // Entities of its own are not expanded.
    let mut entities = r#"<!DOCTYPE a [<!ENTITY e0 "x">"#.to_owned();
    for n in 1..10 {
        let before = format!("&e{};", n - 1).repeat(10);
        write!(entities, r#"<!ENTITY e{n} "{before}">"#)?;
    }
    let bomb = format!("{entities}]><sst><si><t>&e9;</t></si></sst>");
    let answer = client
        .import_file("name=a.xlsx", XLSX, book(&sheet(ROW), &bomb)?)
        .await?;
    ensure!([400, 422].contains(&answer.status), "{answer:?}");

    let peak = app.api()?.process.peak_memory()?;
    ensure!(peak < MEMORY, "{} MiB", peak >> 20);
    let accepted = Accepted::read(client.import_file("name=a.xlsx", XLSX, by_hand).await?)?;
    client.completed(&accepted.batch_id, SOON).await?;
    Ok(())
}

#[tokio::test]
async fn titles_above_the_header_are_left_out() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    sheet.write(0, 0, "Our customers")?;
    sheet.write(1, 1, "as of November")?;
    // Row 3 is empty.
    sheet.write(3, 0, "Kundennummer")?.write(3, 1, "Handy")?;
    sheet.write(4, 0, "A-1")?.write(4, 1, "0151 1234567")?;
    sheet.write(5, 0, "A-2")?.write(5, 1, "unknown")?;
    let query = format!("{QUERY}&preview=true");
    let answer = client.import_file(&query, XLSX, book.save_to_buffer()?);
    let preview = answer.await?.expect(200)?.json()?;
    let (sample, errors) = (&preview["sample"], &preview["errors"]);
    ensure!(sample[0]["docid"] == "A-1", "{preview}");
    ensure!(errors[0]["row"] == 6 && errors[1].is_null(), "{preview}");

    // Where no row has more than one cell, the first is the header.
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    for (row, text) in (0..).zip(["Handy", "0151 1234567", "0151 1234568"]) {
        sheet.write(row, 0, text)?;
    }
    let query = "country=DE&docid_column=Handy&phone_column=Handy&preview=true";
    let answer = client.import_file(query, XLSX, book.save_to_buffer()?);
    let preview = answer.await?.expect(200)?.json()?;
    ensure!(preview["accepted"] == 2, "{preview}");
    Ok(())
}
