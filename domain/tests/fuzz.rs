//! Whatever comes, what reads it keeps its promises, in little memory. Each is an ordinary test of a second, and the texts in
//! `__fuzz__` are read first; `docs/DEVELOPING.md` says how a fuzzer looks for worse ones.

#![expect(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::alloc::System;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bolero::check;
use cap::Cap;
use domain::answer::Answers;
use domain::body::{BodyError, BodyKind, FileKind, FileReader, RecordReader, guess};
use domain::branding::{Branding, Color, Logo, MAX_LOGO_BYTES};
use domain::campaign::CampaignContent;
use domain::chunk::{Chunk, Run};
use domain::date_range::{DateRange, parse_date, parse_time};
use domain::docid::DocId;
use domain::form::{FormContent, FormInput};
use domain::link::{BusPropIds, Token, TrackFields};
use domain::month::Month;
use domain::national::{international, readings};
use domain::networks::Networks;
use domain::pepper::Pepper;
use domain::period::CalendarPeriod;
use domain::phone::{PhoneNumber, masked, masked_digits};
use domain::price::{Money, Prices};
use domain::rollup::{self, Delta};
use domain::scope::Scopes;
use domain::sms::{Encoding, Keyword, Parts, SendWindow, Template, gsm7, keyword, plain};
use serde_json::{Value, json};

/// More than any of these needs. An allocation above ends the process.
#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, 512 << 20);

type Read = Vec<Option<[String; 3]>>;

/// The records of a body: docid, phone and fields, or `None` of a broken one.
fn read(kind: BodyKind, body: &[u8]) -> Result<Read, BodyError> {
    let mut reader = RecordReader::new(kind, body);
    let mut records = Vec::new();
    while let Some(record) = reader.next()? {
        let values = record.map(|record| record.values().map(str::to_owned));
        records.push(values.ok());
    }
    Ok(records)
}

/// A good record is what a plain reader sees: texts, of which those that are null are left out.
fn assert_same(record: Option<&[String; 3]>, value: &Value) {
    let Some([docid, phone, fields]) = record else {
        return;
    };
    assert_eq!([&value["docid"], &value["phone"]], [docid, phone]);
    let members = value.as_object().unwrap().iter();
    let others: BTreeMap<_, _> = members
        .filter(|(name, value)| !["docid", "phone"].contains(&name.as_str()) && !value.is_null())
        .collect();
    assert_eq!(*fields, serde_json::to_string(&others).unwrap());
    assert!(others.values().all(|value| value.is_string()));
}

#[test]
fn json_is_read_as_a_plain_reader_does() {
    check!().for_each(|body: &[u8]| {
        let text = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
        let plain = serde_json::from_slice::<Value>(text).ok();
        let elements = match &plain {
            Some(Value::Object(members)) if members.len() == 1 => members.get("data"),
            array => array.as_ref(),
        };
        let elements = elements.and_then(Value::as_array);
        match (read(BodyKind::Json, body), elements) {
            (Ok(records), Some(elements)) => {
                assert_eq!(records.len(), elements.len());
                for (record, element) in records.iter().zip(elements) {
                    assert_same(record.as_ref(), element);
                }
            }
            // A member that stands twice is one to a plain reader.
            (Err(_), _) if text.trim_ascii_start().starts_with(b"{") || elements.is_none() => {}
            (seen, plain) => panic!("{seen:?} is not {plain:?}"),
        }
    });
}

#[test]
fn lines_are_read_as_a_plain_reader_does() {
    check!().for_each(|body: &[u8]| {
        let text = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
        let is_blank = |line: &&[u8]| line.iter().all(|byte| b" \t\r".contains(byte));
        let lines = text
            .split(|byte| *byte == b'\n')
            .filter(|line| !is_blank(line));
        let plain: Result<Vec<Value>, _> = lines.map(serde_json::from_slice).collect();
        match (read(BodyKind::Ndjson, body), plain) {
            (Ok(records), Ok(values)) => {
                assert_eq!(records.len(), values.len());
                for (record, value) in records.iter().zip(&values) {
                    assert_same(record.as_ref(), value);
                }
            }
            (Err(_), Err(_)) => {}
            (seen, plain) => panic!("{seen:?} is not {plain:?}"),
        }
    });
}

#[test]
fn csv_is_read_as_a_plain_reader_does() {
    check!().for_each(|body: &[u8]| {
        let Ok(records) = read(BodyKind::Csv, body) else {
            return;
        };
        let text = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
        let mut plain = csv::ReaderBuilder::new().flexible(true).from_reader(text);
        let names = plain.headers().unwrap().clone();
        let rows: Vec<_> = plain.records().map(Result::unwrap).collect();
        assert_eq!(records.len(), rows.len());
        for (record, row) in records.iter().zip(&rows) {
            let cells = names.iter().zip(row).filter(|(_, cell)| !cell.is_empty());
            let value = cells.map(|(name, cell)| (name.to_owned(), json!(cell)));
            assert_same(record.as_ref(), &Value::Object(value.collect()));
        }
    });
}

/// Each row of a file, as it is looked at and as it is imported by what is guessed of it.
#[test]
fn files_are_read_in_any_dialect() {
    check!().for_each(|file: &[u8]| {
        for kind in [FileKind::AnyCsv, FileKind::Sheet] {
            let mut looking = FileReader::looking(kind, file).unwrap();
            let mut rows = Vec::new();
            while let Ok(Some(row)) = looking.look() {
                rows.push(row.iter().map(|(_, text)| (*text).to_owned()).collect());
            }
            let mapping = guess(looking.columns(), &rows, "DE".parse().ok());
            let mut reader = FileReader::new(kind, mapping, file).unwrap();
            let mut records = 0;
            while let Ok(Some(record)) = reader.next() {
                records += 1;
                let Ok(record) = record else { continue };
                assert!(DocId::parse(record.docid.get()).is_ok());
                assert!(PhoneNumber::parse(record.phone.get()).is_ok());
                let fields: BTreeMap<String, String> = serde_json::from_str(record.fields).unwrap();
                assert!(fields.len() <= file.len());
            }
            assert!(records <= file.len());
        }
    });
}

/// The records of a payload that can be read.
fn decoded(payload: &[u8]) -> Option<Vec<[String; 3]>> {
    let chunk = Chunk::decode(payload).ok()?;
    let records = chunk.records();
    Some(
        records
            .map(|record| record.values().map(str::to_owned))
            .collect(),
    )
}

#[test]
fn a_chunk_is_what_was_put_into_it() {
    check!().for_each(|bytes: &[u8]| {
        let packed = [&[1], zstd::bulk::compress(bytes, 1).unwrap().as_slice()].concat();
        decoded(bytes);
        let Ok(chunk) = Chunk::decode(&packed) else {
            return;
        };
        let mut run = Run::default();
        chunk.records().for_each(|record| run.push(&record));
        let again: Vec<_> = run
            .compress(2)
            .into_iter()
            .map(|(_, payload)| payload)
            .collect();
        let again: Vec<_> = again.iter().flat_map(|one| decoded(one).unwrap()).collect();
        assert_eq!(Some(again), decoded(&packed));
    });
}

#[test]
fn counts_are_written_as_they_are_read() {
    check!().for_each(|bytes: &[u8]| {
        let read = |bytes: &[u8]| Delta::default().merged_with(bytes);
        if let Ok(delta) = read(bytes) {
            assert_eq!(read(&delta.encode()).unwrap(), delta);
        }
        let month = Month::of(parse_date("2026-02-01").unwrap());
        let days = rollup::month::decode::<Delta>(month, bytes).unwrap_or_default();
        assert!(days.len() <= 28);
    });
}

/// What is read is written as the same, and read again.
fn assert_written<T: FromStr + Display>(text: &str, is_exact: bool) {
    let Ok(read) = text.parse::<T>() else { return };
    let written = read.to_string();
    assert!(!is_exact || written == text, "{written:?} was {text:?}");
    let again = written
        .parse::<T>()
        .map_or(String::new(), |again| again.to_string());
    assert_eq!(again, written, "{text:?}");
}

#[test]
fn small_texts_are_written_as_they_are_read() {
    check!().for_each(|bytes: &[u8]| {
        let Ok(text) = str::from_utf8(bytes) else {
            return;
        };
        assert_written::<Token>(text, true);
        assert_written::<BusPropIds>(text, true);
        assert_written::<CalendarPeriod>(text, true);
        assert_written::<Networks>(text, false);
        assert_written::<Scopes>(text, false);
        if let Some(date) = parse_date(text) {
            assert_eq!(date.to_string(), text);
        }
        if let Ok(time) = parse_time(text) {
            assert_eq!(
                parse_time(&time.format("%FT%TZ").to_string())
                    .unwrap()
                    .timestamp(),
                time.timestamp()
            );
        }
        let (start, end) = text.split_once(' ').unwrap_or((text, text));
        if let Ok(range) = DateRange::parse(start, end) {
            assert_eq!(
                range.days().count(),
                usize::try_from(range.num_days()).unwrap()
            );
            assert_eq!(
                format!("{} {}", range.start(), range.end()),
                format!("{start} {end}")
            );
            let before = range
                .previous()
                .map_or(range.num_days(), |before| before.num_days());
            assert_eq!(before, range.num_days());
        }
        let mut fields = TrackFields::default();
        if fields.push(text).is_ok() {
            let (name, value) = fields.iter().next().unwrap();
            assert_eq!(format!("{name}={value}"), text);
        }
        if let Ok(money) = text.parse::<Money>() {
            assert!(money.amount() >= 0.0);
        }
        let _ = Prices::read_table(text);
        let window = serde_json::from_str::<SendWindow>(text).ok();
        if let Some(window) = window {
            assert_eq!(
                serde_json::from_value::<SendWindow>(json!(window)).unwrap(),
                window
            );
        }
        if let Ok(color) = Color::parse(text) {
            assert_eq!(Color::parse(&color.to_string()), Ok(color));
        }
        if let Err(said) = Pepper::parse(text) {
            // The same whatever was given, which is secret.
            let number = said.trim_start_matches("secret ");
            let said = number.trim_start_matches(|c: char| c.is_ascii_digit());
            let shape = " is not 32 bytes, as 64 hexadecimal digits or as base64";
            assert!([shape, "holds no secret"].contains(&said), "{said}");
        }
    });
}

#[test]
fn phones_are_read_and_masked() {
    check!().for_each(|bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        for country in ["DE", "US", "IT"].map(|code| code.parse().unwrap()) {
            if let Ok(number) = international(&text, country) {
                assert!(PhoneNumber::parse(&number).is_ok());
                assert_eq!(international(&number, country).as_ref(), Ok(&number));
                assert!(readings(&text, Some(&[country])).contains(&number));
            }
        }
        for shown in [masked(&text), masked_digits(&text)] {
            assert!(
                shown.chars().filter(|c| c.is_numeric()).count() <= 3,
                "{shown}"
            );
            assert_eq!(shown.chars().count(), text.chars().count());
        }
        assert!(keyword(&text, "+491701234567", &[]) != Some(Keyword::Start) || text.len() > 4);
    });
}

/// Filled with its own placeholders, a template without defaults is itself.
#[test]
fn a_template_keeps_what_is_no_placeholder() {
    check!().for_each(|bytes: &[u8]| {
        let Ok(text) = str::from_utf8(bytes) else {
            return;
        };
        let Ok(template) = Template::parse(text) else {
            return;
        };
        let names = template.field_names();
        let braced: HashMap<_, _> = names.map(|name| (name, format!("{{{name}}}"))).collect();
        let value = |name: &str| braced.get(name).map(String::as_str);
        let filled = template.fill(value, "\0").unwrap();
        if !text.contains("{{") && !text.contains('|') {
            assert_eq!(filled.replace('\0', "{link}"), text);
        }
        assert_eq!(filled.matches('\0').count(), 1);
        let again = serde_json::from_value::<Template>(json!(template)).unwrap();
        assert_eq!(again, template);
    });
}

#[test]
fn a_text_is_its_parts() {
    check!().for_each(|bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        for text in [&*text, &plain(&text)] {
            let parts = Parts::of(text);
            assert!(!parts.texts.is_empty());
            assert_eq!(parts.texts.concat(), *text);
            let is_alone = parts.texts.len() == 1;
            for part in &parts.texts {
                let octets = match parts.encoding {
                    Encoding::Gsm7 => gsm7::encode(part).unwrap().len() * 7 / 8,
                    Encoding::Ucs2 => part.encode_utf16().count() * 2,
                };
                assert!(octets <= if is_alone { 140 } else { 134 });
            }
            if parts.encoding == Encoding::Gsm7 {
                assert_eq!(gsm7::decode(&gsm7::encode(text).unwrap()), *text);
            }
        }
        assert!(gsm7::decode(bytes).chars().count() <= bytes.len());
    });
}

/// The form of a body, and what it is once it was stored.
fn form(body: &Value) -> Option<FormContent> {
    let form = FormContent::new(FormInput::parse(body).ok()?).ok()?;
    let stored: FormContent = serde_json::from_value(json!(form)).unwrap();
    assert_eq!(stored, form);
    Some(form)
}

#[test]
fn a_form_is_stored_as_it_was_given() {
    check!().for_each(|bytes: &[u8]| {
        let body: Value = serde_json::from_slice(bytes).unwrap_or_default();
        if let Some(form) = form(&body) {
            let mut fields = TrackFields::default();
            for name in form.piped_names() {
                let _ = fields.push(&format!("{name}=<b>{{x}}"));
            }
            let shown = form.for_reader(Some("de"), &fields, &BusPropIds::default());
            assert_eq!(shown.fields.len(), form.fields.len());
            assert!(json!(form).to_string().len() <= 1_000 + 100 * bytes.len());
        }
        if let Ok(campaign) = CampaignContent::parse(&body) {
            assert_eq!(CampaignContent::parse(&json!(campaign)).unwrap(), campaign);
        }
        if let Ok(branding) = Branding::parse(&body, &["en", "de"]) {
            assert_eq!(
                Branding::parse(&json!(branding), &["en", "de"]).unwrap(),
                branding
            );
        }
    });
}

/// A form with a field of each type.
fn asked() -> FormContent {
    let options = json!([{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]);
    let other = json!([{"value": "a", "label": "A"}, {"value": "b", "label": "B", "text": true}]);
    form(&json!({"title": "T", "fields": [
        {"key": "recommend", "type": "nps", "label": "R"},
        {"key": "smile", "type": "happiness", "label": "S"},
        {"key": "one", "type": "choice", "label": "O", "options": other},
        {"key": "many", "type": "choices", "label": "M", "options": options,
            "show_if": {"key": "recommend", "in": [9, 10]}},
        {"key": "more", "type": "comment", "label": "C"},
    ]}))
    .unwrap()
}

#[test]
fn answers_are_stored_as_they_were_given() {
    let form = asked();
    check!().for_each(|bytes: &[u8]| {
        let body: Value = serde_json::from_slice(bytes).unwrap_or_default();
        let text = String::from_utf8_lossy(bytes);
        let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
        let pairs: Vec<_> = pairs
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let read = [
            Answers::from_json(&form, &body),
            Answers::from_pairs(&form, &pairs),
        ];
        for answers in read.into_iter().flatten() {
            let stored = Answers::from_stored(&form, answers.to_value());
            assert_eq!(stored.as_ref(), Ok(&answers));
            Delta::answer(&form, &answers).encode();
        }
    });
}

/// Of an SVG stays an image that runs nothing, leads nowhere and is no larger than a logo may be.
#[test]
fn a_logo_runs_nothing() {
    check!().for_each(|svg: &[u8]| {
        let url = |bytes: &[u8]| format!("data:image/svg+xml;base64,{}", STANDARD.encode(bytes));
        let Ok(logo) = Logo::parse(&url(svg)) else {
            return;
        };
        let (_, clean) = logo.image().unwrap();
        assert!(clean.len() <= MAX_LOGO_BYTES);
        let text = String::from_utf8(clean).unwrap().to_ascii_lowercase();
        for tag in text.split('<').skip(1) {
            let tag = tag.split('>').next().unwrap();
            assert!(
                !tag.starts_with("script") && !tag.starts_with("foreignobject"),
                "{tag}"
            );
            for word in tag.split_ascii_whitespace().skip(1) {
                assert!(!word.starts_with("on") || !word.contains('='), "{tag}");
            }
            // In a style it is the name of a property that there is not.
            let tag = tag.replace("style=\"javascript:", "");
            assert!(!tag.contains("=\"javascript:"), "{tag}");
        }
        for to in text.split("url(").chain(text.split("href=\"")) {
            let own = ["#", ")", "data:image/", "<?xml"];
            assert!(own.iter().any(|own| to.starts_with(own)), "{text}");
        }
        assert_eq!(Logo::parse(logo.as_str()).as_ref(), Ok(&logo));
    });
}
