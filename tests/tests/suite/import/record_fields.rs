//! The table of record codes for tracking fields: each row with its index, pointer and code.

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value, json};
use tests::app::App;
use tests::import::{Accepted, JSON, record};
use tests::verdict::middle_has;
use tests::wait::SOON;

#[tokio::test]
async fn a_tracking_field_has_a_name_and_a_text() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let (long_name, longest_name) = ("n".repeat(65), "n".repeat(64));
    let (long, longest) = ("x".repeat(1025), "x".repeat(1024));
    let named = |name: &str, value: Value| {
        let mut record = record("A1");
        record[name] = value;
        record.to_string()
    };
    let long_pointer = format!("/{long_name}");
    let cases: [(String, &[(&str, &str)]); 14] = [
        (named("", json!("x")), &[("/", "field_name_invalid")]),
        (
            named("a\nb", json!("x")),
            &[("/a\nb", "field_name_invalid")],
        ),
        (
            named("a\u{0}", json!("x")),
            &[("/a\u{0}", "field_name_invalid")],
        ),
        (
            named(&long_name, json!("x")),
            &[(long_pointer.as_str(), "field_name_invalid")],
        ),
        (named(&longest_name, json!("x")), &[]),
        (named("f", json!(5)), &[("/f", "field_not_string")]),
        (named("f", json!(false)), &[("/f", "field_not_string")]),
        (named("f", json!({"a": "b"})), &[("/f", "field_not_string")]),
        (named("f", json!(long)), &[("/f", "field_too_long")]),
        (named("f", json!(longest)), &[]),
        (named("f", json!("")), &[]),
        (named("f", json!("a\u{0}b")), &[("/f", "field_invalid")]),
        (named("f", json!("a\n\tb\u{7f}")), &[]),
        (
            named("a/b~c", json!(1)),
            &[("/a~1b~0c", "field_not_string")],
        ),
    ];
    for (text, expected) in cases {
        middle_has(&client, &text, expected)
            .await
            .with_context(|| text.clone())?;
    }
    Ok(())
}

#[tokio::test]
async fn a_null_field_is_no_member_but_counts() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let null = r#"{"docid":"A1","phone":"+4915112345678","x":null,"":null,"y":"1"}"#;
    let accepted = Accepted::read(client.import_as(JSON, format!("[{null}]")).await?)?;
    client.completed(&accepted.batch_id, SOON).await?;
    let stored = client.recipient("A1").await?.expect(200)?.json()?;
    ensure!(stored["fields"] == json!({"y": "1"}), "{stored}");

    let twice = r#"{"docid":"A2","phone":"+4915112345678","x":null,"x":"1"}"#;
    middle_has(&client, twice, &[("/x", "duplicate_member")]).await?;
    let mut many = record("A2");
    for number in 0..63 {
        many[format!("f{number}")] = Value::Null;
    }
    middle_has(&client, &many.to_string(), &[]).await?;
    many["f63"] = Value::Null;
    middle_has(&client, &many.to_string(), &[("", "too_many_fields")]).await
}

#[tokio::test]
async fn sixty_four_fields_are_enough_and_a_member_comes_once() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let many = |count: usize| {
        let mut members: Map<String, Value> = (0..count)
            .map(|number| (format!("f{number}"), json!("x")))
            .collect();
        members.insert("docid".to_owned(), json!("A1"));
        members.insert("phone".to_owned(), json!("+4915112345678"));
        Value::Object(members).to_string()
    };
    middle_has(&client, &many(64), &[]).await?;
    middle_has(&client, &many(65), &[("", "too_many_fields")]).await?;
    let twice = [
        (
            r#"{"docid":"A1","docid":"A2","phone":"+4915112345678"}"#,
            "/docid",
        ),
        (
            r#"{"docid":"A1","phone":"+4915112345678","phone":"+4915112345678"}"#,
            "/phone",
        ),
        (
            r#"{"docid":"A1","phone":"+4915112345678","x":"1","x":"1"}"#,
            "/x",
        ),
        (
            r#"{"docid":"A1","phone":"+4915112345678","x":"1","\u0078":"2"}"#,
            "/x",
        ),
    ];
    for (text, pointer) in twice {
        middle_has(&client, text, &[(pointer, "duplicate_member")])
            .await
            .context(text)?;
    }
    Ok(())
}
