//! The table of record codes for docid and phone: each row with its index, pointer and code.

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tests::app::App;
use tests::import::record;
use tests::verdict::middle_has;

async fn all_are(code: &str, pointer: &str, texts: &[String]) -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    for text in texts {
        middle_has(&client, text, &[(pointer, code)])
            .await
            .with_context(|| text.clone())?;
    }
    Ok(())
}

fn with(member: &str, value: &Value) -> String {
    let mut record = record("A1");
    record[member] = value.clone();
    record.to_string()
}

#[tokio::test]
async fn what_is_no_object_is_a_record_error() -> Result<()> {
    let texts = ["7", "null", "true", "\"text\"", "[]", "[{}]"].map(str::to_owned);
    all_are("not_an_object", "", &texts).await
}

#[tokio::test]
async fn an_absent_or_null_docid_or_phone_is_missing() -> Result<()> {
    let phone = json!({"phone": "+4915112345678"});
    let texts = [phone.to_string(), with("docid", &Value::Null)];
    all_are("docid_missing", "/docid", &texts).await?;
    let docid = json!({"docid": "A1"});
    let texts = [docid.to_string(), with("phone", &Value::Null)];
    all_are("phone_missing", "/phone", &texts).await
}

#[tokio::test]
async fn a_docid_is_1_to_128_bytes_without_control_characters() -> Result<()> {
    let long = "x".repeat(129);
    let long_in_bytes = "ä".repeat(65);
    let wrong = [
        json!(""),
        json!(5),
        json!(true),
        json!(["A1"]),
        json!({}),
        json!(long),
        json!(long_in_bytes),
        json!("A\u{0}1"),
        json!("A\n1"),
        json!("A\u{7f}1"),
        json!("A\u{85}1"),
        json!("x".repeat(2_000_000)),
    ];
    let texts: Vec<String> = wrong.iter().map(|value| with("docid", value)).collect();
    all_are("docid_invalid", "/docid", &texts).await?;

    let app = App::start().await?;
    let client = app.client().await?;
    for docid in [
        " ",
        " A1 ",
        "ä/ö?#%",
        "😀",
        &"x".repeat(128),
        &"ä".repeat(64),
    ] {
        middle_has(&client, &with("docid", &json!(docid)), &[])
            .await
            .with_context(|| docid.to_owned())?;
    }
    Ok(())
}

#[tokio::test]
async fn a_phone_is_e164_exactly() -> Result<()> {
    let wrong = [
        json!(""),
        json!("+"),
        json!(4_915_112_345_678_u64),
        json!("4915112345678"),
        json!("004915112345678"),
        json!("+04915112345678"),
        json!("+123456"),
        json!("+1234567890123456"),
        json!(" +4915112345678"),
        json!("+4915112345678 "),
        json!("+4915112345678\n"),
        json!("+49 151 12345678"),
        json!("+49-151-12345678"),
        json!("+49(151)12345678"),
        json!("++4915112345678"),
        json!("+491511234567a"),
        json!("+٤٩١٥١١٢٣٤٥"),
        json!("＋4915112345678"),
        json!("+4915112345678;ext=1"),
        json!("tel:+4915112345678"),
        json!("+4915\u{0}12345678"),
        json!(["+4915112345678"]),
    ];
    let texts: Vec<String> = wrong.iter().map(|value| with("phone", value)).collect();
    all_are("phone_invalid", "/phone", &texts).await?;

    let app = App::start().await?;
    let client = app.client().await?;
    for phone in ["+1234567", "+123456789012345", "+99999999999"] {
        middle_has(&client, &with("phone", &json!(phone)), &[])
            .await
            .with_context(|| phone.to_owned())?;
    }
    Ok(())
}
