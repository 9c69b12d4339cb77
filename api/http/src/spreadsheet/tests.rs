use std::env::temp_dir;
use std::io::Cursor;

use calamine::{Data, Reader, Xlsx};
use futures::FutureExt;
use serde_json::json;

use super::*;

fn column(header: &str, key: &str, kind: ColumnKind) -> SheetColumn {
    SheetColumn {
        header: header.to_owned(),
        key: key.to_owned(),
        meaning: String::new(),
        kind,
        words: IndexMap::new(),
    }
}

fn sheet() -> Spreadsheet {
    let mut choice = column("What did you see?", "seen", ColumnKind::Plain);
    let words = [("a", "Shelf A"), ("b", "=Shelf B")];
    choice.words = words
        .map(|(value, word)| (value.to_owned(), word.to_owned()))
        .into();
    choice.meaning = "Multiple choice".to_owned();
    Spreadsheet {
        file: "answers",
        name: "Answers".to_owned(),
        columns: vec![
            column("Answered", "submitted_at", ColumnKind::Time),
            column("=1+1", "more", ColumnKind::Long),
            choice,
            column("Score", "nps", ColumnKind::Plain),
        ],
        fields: ("track_fields", "Of the link".to_owned()),
        field_headers: [("docid".to_owned(), "Customer number".to_owned())].into(),
        about: "About".to_owned(),
        facts: vec![("Form".to_owned(), "A form".to_owned())],
        heads: ["Column", "Name", "Meaning"].map(ToOwned::to_owned),
        time_zone: chrono_tz::Europe::Berlin,
    }
}

/// The cells of both sheets.
fn read(rows: SheetRows) -> [Vec<Vec<Data>>; 2] {
    let mut package = Package::new(rows).unwrap();
    let mut file = Vec::new();
    while let Some(piece) = package.piece().unwrap() {
        file.extend(piece);
    }
    let mut book = Xlsx::new(Cursor::new(file)).unwrap();
    let formulas = book.worksheet_formula("Answers").unwrap();
    assert!(formulas.is_empty());
    ["Answers", "About"].map(|name| {
        let range = book.worksheet_range(name).unwrap();
        range.rows().map(<[Data]>::to_vec).collect()
    })
}

fn text(text: &str) -> Data {
    Data::String(text.to_owned())
}

#[test]
fn a_sheet_has_what_was_said_and_another_explains_it() {
    let mut rows = SheetRows::in_directory(&temp_dir(), sheet()).unwrap();
    let items = [
        json!({"submitted_at": "2026-07-01T22:30:00Z", "more": "=cmd|' /C calc'!A0 <&>\r\n_x0041_\u{1}", "seen": ["b", "a"], "nps": 9,
            "track_fields": {"b": "+1"}}),
        json!({"submitted_at": "2026-01-01T12:00:00.5Z", "more": null, "seen": "c", "nps": null,
            "track_fields": {"a": "1", "b": "2"}}),
    ];
    for item in &items {
        rows.add_item(item).unwrap();
    }
    let [answers, about] = read(rows);
    let header = ["Answered", "=1+1", "What did you see?", "Score", "b", "a"];
    assert_eq!(answers[0], header.map(text));
    assert_eq!(
        answers[1][1..],
        [
            text("=cmd|' /C calc'!A0 <&>\n_x0041_\u{1}"),
            text("=Shelf B; Shelf A"),
            Data::Float(9.0),
            text("+1"),
            Data::Empty,
        ]
    );
    assert_eq!(
        answers[2][2..],
        [text("c"), Data::Empty, text("2"), text("1")]
    );
    let times = [&answers[1][0], &answers[2][0]].map(|cell| match cell {
        Data::DateTime(at) => at.to_ymd_hms_milli(),
        other => panic!("{other:?}"),
    });
    assert_eq!(
        times,
        [(2026, 7, 2, 0, 30, 0, 0), (2026, 1, 1, 13, 0, 0, 500)]
    );
    assert_eq!(answers.len(), 3);
    let choice = about.iter().find(|row| row[1] == text("seen")).unwrap();
    assert_eq!(
        choice[2],
        text("Multiple choice\na = Shelf A\nb = =Shelf B")
    );
    let field = [text("b"), text("track_fields.b"), text("Of the link")];
    assert!(about.contains(&field.to_vec()));
}

#[test]
fn many_rows_are_sent_in_pieces_and_too_much_is_refused() {
    let mut rows = SheetRows::in_directory(&temp_dir(), sheet()).unwrap();
    for n in 0..30_000 {
        rows.add(
            [json!(null), json!(format!("{n}-{}", Uuid::new_v4()))].map(Cow::Owned),
            None,
        )
        .unwrap();
    }
    let mut package = Package::new(rows).unwrap();
    let mut pieces = 0;
    while let Some(piece) = package.piece().unwrap() {
        assert!(piece.len() < 2 * PIECE);
        pieces += 1;
    }
    assert!(pieces > 2, "{pieces}");

    let mut rows = SheetRows::in_directory(&temp_dir(), sheet()).unwrap();
    let fields: serde_json::Map<_, _> = (0..=1_000).map(|n| (n.to_string(), json!("x"))).collect();
    let refused = rows.add([], Some(&fields)).unwrap_err();
    assert_eq!(refused.code(), Code::TooManyRecords);
    rows.count = MAX_ROWS;
    let refused = rows.add([], None).unwrap_err();
    assert!(refused.detail().contains("CSV"), "{refused}");
}

#[test]
fn a_list_without_rows_has_its_headers() {
    let [answers, about] = read(SheetRows::in_directory(&temp_dir(), sheet()).unwrap());
    assert_eq!(answers.len(), 1);
    assert_eq!(about[0][1], text("A form"));
}

#[tokio::test]
async fn files_that_are_read_slowly_take_a_part_of_the_disk_and_leave_room_for_small_ones() {
    let places = SheetPlaces::default();
    let file = |account, bytes| {
        let taken = places.file(Uuid::from_u128(account), bytes).now_or_never();
        taken.and_then(Result::ok)
    };
    let largest: Vec<_> = (0..16)
        .filter_map(|account| file(account, MAX_FILE))
        .collect();
    assert_eq!(largest.len() as u64, FILES / MAX_FILE);
    assert!(file(16, 1 << 20).is_some());
    drop(largest);
    assert!(file(16, MAX_FILE).is_some());
}
