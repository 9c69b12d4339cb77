//! How many parts a text has, as npm's `sms-segments-calculator` counts them.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tests::campaign::campaign_path;
use tests::tools::{Tool, own};
use tests::wait::LATER;

use super::with_demo;

const TEXTS: usize = 3_000;
/// What the texts are of, from plain to mixed. Nothing that the service replaces by something plainer is among them.
const ALPHABETS: [&str; 5] = [
    "abc xyz 0189 .,:;!?",
    "aÄöüß@£$¥èéùìòÇØøÅåΔΦΓΛΩΠΨΣΘΞÆæÉ¤¡¿Ññà§",
    "ab^{}\\[~]|€",
    "Ж中あ한ç",
    "a 😀🎉𝒳Ж€ç",
];

/// A text of 1 to 400 characters, always the same for a number.
fn text(number: usize) -> String {
    let random = |of: usize, limit: usize| {
        let mut hasher = DefaultHasher::new();
        (number, of).hash(&mut hasher);
        usize::try_from(hasher.finish() % limit as u64).unwrap_or_default()
    };
    let alphabet: Vec<char> = ALPHABETS[number % ALPHABETS.len()].chars().collect();
    let length = random(0, [60, 180, 400][number % 3]);
    let characters = (1..=length).map(|place| alphabet[random(place, alphabet.len())]);
    // The limit of a field is 1,024 bytes.
    let mut text: String = "x".chars().chain(characters).collect();
    text.truncate(text.floor_char_boundary(1_000));
    text
}

#[tokio::test]
async fn parts_and_encodings_are_those_of_another_calculator() -> Result<()> {
    let app = with_demo().start().await?;
    let client = app.client().await?;
    let texts: Vec<String> = (0..TEXTS).map(text).collect();
    let records: Vec<Value> = texts
        .iter()
        .zip(1_510_000_000..)
        .map(|(text, phone)| json!({"docid": phone.to_string(), "phone": format!("+49{phone}"), "t": text}))
        .collect();
    let batch = client.import_and_wait(&records, LATER).await?;
    let campaign = client
        .campaign(|form| {
            json!({
                "name": "Any text", "form_id": form["form_id"], "sender": "demo", "text": "{t} {link}", "max_parts": 10,
                "audience": {"batch_ids": [batch["batch_id"]]}, "track_fields": ["t"],
            })
        })
        .await?;
    let preview = client
        .post(&format!("{}/preview", campaign_path(&campaign)))
        .await?;
    let preview = preview.expect(200)?.json()?;

    let link = "https://feedback.example/f/abcdefghijk";
    let whole: Vec<String> = texts.iter().map(|text| format!("{text} {link}")).collect();
    let file = app.folder().join("texts.json");
    std::fs::write(&file, json!(whole).to_string())?;
    let counted = Tool::node(&own("npm/segments.js"))?
        .args([file])
        .run_in(app.folder(), Duration::from_mins(1))
        .await?;
    let counted: Value = serde_json::from_str(&counted)?;
    for member in ["parts", "encodings"] {
        let ours = preview[member].as_object().context("no counts")?;
        let others = counted[member].as_object().context("no counts")?;
        ensure!(ours == others, "{member}: {ours:?} here, {others:?} there");
    }
    ensure!(preview["eligible"] == TEXTS, "{preview}");
    Ok(())
}
