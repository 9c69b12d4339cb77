//! Files as people have them: dialects, encodings, columns with names of their own, phones as people write them.

use super::super::{Dialect, FileKind, FileReader, Mapping};
use super::*;
use crate::sms::Country;

/// What came of a file: its records, what it says of itself, and the rows of its records.
struct Read {
    records: Vec<Judged>,
    rows: Vec<Option<u64>>,
    columns: Vec<String>,
    dialect: Option<Dialect>,
}

fn mapping(docid: &str, phone: &str, country: Country) -> Mapping {
    Mapping {
        docid_column: Some(docid.to_owned()),
        phone_column: Some(phone.to_owned()),
        skip_columns: Vec::new(),
        country: Some(country),
    }
}

fn file(kind: FileKind, mapping: &Mapping, bytes: &[u8]) -> Result<Read, BodyError> {
    let pieces = Pieces {
        rest: bytes,
        sizes: vec![1, 0, 5],
        next: 0,
    };
    let mut reader = FileReader::new(kind, mapping.clone(), pieces)?;
    let (mut records, mut rows) = (Vec::new(), Vec::new());
    while let Some(parsed) = reader.next()? {
        records.push(owned(parsed));
        rows.push(reader.row());
    }
    Ok(Read {
        records,
        rows,
        columns: reader.columns().to_vec(),
        dialect: reader.dialect(),
    })
}

fn read_any(mapping: &Mapping, bytes: &[u8]) -> Read {
    file(FileKind::AnyCsv, mapping, bytes).unwrap()
}

macro_rules! accepted {
    ($docid:expr, $phone:expr, $fields:expr) => {
        Ok(($docid.to_owned(), $phone.to_owned(), $fields.to_owned()))
    };
}

fn utf_16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let units = ['\u{feff}']
        .into_iter()
        .chain(text.chars())
        .collect::<String>();
    units.encode_utf16().flat_map(bytes).collect()
}

#[test]
fn each_encoding_and_delimiter_gives_the_same_records() {
    let wanted = [
        accepted!("K1", "+491511234567", r#"{"Ort":"Köln"}"#),
        accepted!("K2", "+491511234568", r#"{"Ort":"München"}"#),
    ];
    for delimiter in [',', ';', '\t', '|'] {
        let text = "Kunde;Telefon;Ort\r\nK1;0151 1234567;Köln\r\nK2;+49 (0)151 1234568;München\r\n"
            .replace(';', &delimiter.to_string());
        let latin: Vec<u8> = text
            .chars()
            .map(|c| u8::try_from(u32::from(c)).unwrap())
            .collect();
        for (encoding, bytes) in [
            ("utf-8", text.clone().into_bytes()),
            ("utf-8", format!("\u{feff}{text}").into_bytes()),
            ("windows-1252", latin),
            ("utf-16le", utf_16(&text, u16::to_le_bytes)),
            ("utf-16be", utf_16(&text, u16::to_be_bytes)),
        ] {
            let read = read_any(&mapping("kunde", " TELEFON", Country::DE), &bytes);
            assert_eq!(read.records, wanted, "{encoding} {delimiter:?}");
            assert_eq!(read.columns, ["Kunde", "Telefon", "Ort"]);
            assert_eq!(
                read.dialect,
                Some(Dialect {
                    delimiter,
                    encoding
                })
            );
        }
    }
}

#[test]
fn a_line_that_names_the_delimiter_is_no_header() {
    let read = read_any(
        &Mapping::default(),
        b"sep=;\r\nDocID;Phone;a\r\nA1;+491701234567;x,y\r\n",
    );
    assert_eq!(
        read.records,
        [accepted!("A1", "+491701234567", r#"{"a":"x,y"}"#)]
    );
    assert_eq!(read.rows, [Some(2)], "no spreadsheet shows that line");
}

#[test]
fn rows_without_any_value_are_none_and_the_others_have_the_numbers_that_a_spreadsheet_shows() {
    let text = "\n;;\nname;docid;phone\n;;\n\"two\nlines\";A1;+491701234567\n  ; ;\n\nx;A2;+491701234568\n";
    let read = read_any(&Mapping::default(), text.as_bytes());
    assert_eq!(read.rows, [Some(5), Some(8)]);
    assert_eq!(fields(&read.records[0])[0].1, "two\nlines");
}

#[test]
fn quotes_within_a_cell_are_text_and_one_left_open_is_said_with_its_line() {
    let text = "docid;phone;size\nA1;+491701234567;5\" pipe\nA2;+491701234567;\"6\"\" pipe\"\n";
    let read = read_any(&Mapping::default(), text.as_bytes());
    let wanted = [
        accepted!("A1", "+491701234567", r#"{"size":"5\" pipe"}"#),
        accepted!("A2", "+491701234567", r#"{"size":"6\" pipe"}"#),
    ];
    assert_eq!(read.records, wanted);
    let open = file(
        FileKind::AnyCsv,
        &Mapping::default(),
        b"docid;phone\nA1;+491701234567\nA2;\"+4917\n",
    );
    let Err(BodyError::Syntax { detail, .. }) = open else {
        panic!("a quote is left open")
    };
    assert!(detail.ends_with("in line 3"), "{detail}");
}

#[test]
fn one_column_may_be_both_and_others_are_left_out() {
    let mapping = Mapping {
        skip_columns: vec!["IBAN".to_owned()],
        ..mapping("Telefon", "Telefon", Country::AT)
    };
    let read = read_any(&mapping, b"Telefon;iban;Ort\n0664 1234567;AT61;Wien\n");
    let wanted = accepted!("+436641234567", "+436641234567", r#"{"Ort":"Wien"}"#);
    assert_eq!(read.records, [wanted]);
    // What is wrong with the cell is told once.
    let read = read_any(&mapping, "Telefon;iban\nkeine;\n4,9E+11;\n".as_bytes());
    let wrong = || Err(vec![RecordCode::PhoneInvalid]);
    assert_eq!(verdicts(&read.records), [wrong(), wrong()]);
    let json = br#"[{"Telefon": "0664 1234567", "IBAN": "AT61", "Ort": "Wien"}]"#;
    let read = file(FileKind::Strict(BodyKind::Json), &mapping, json).unwrap();
    let wanted = accepted!("+436641234567", "+436641234567", r#"{"Ort":"Wien"}"#);
    assert_eq!(read.records, [wanted]);
}

#[test]
fn blanks_around_a_cell_are_left_out_of_files_of_people_alone() {
    let text = "docid,phone,a,b\n30016 , +491701234567 ,\"  Leipzig\u{a0}\n\",  \n";
    for kind in [FileKind::AnyCsv, FileKind::Sheet] {
        let read = file(kind, &Mapping::default(), text.as_bytes()).unwrap();
        let wanted = accepted!("30016", "+491701234567", r#"{"a":"Leipzig"}"#);
        assert_eq!(read.records, [wanted], "{kind:?}");
    }
    let latin = b"docid;phone;a\n30016 ;+491701234567;\xa0K\xf6ln \n";
    let wanted = accepted!("30016", "+491701234567", r#"{"a":"Köln"}"#);
    assert_eq!(read_any(&Mapping::default(), latin).records, [wanted]);
    let text = "docid,phone,a\n30016 ,+491701234567, Leipzig\n";
    let strict = FileKind::Strict(BodyKind::Csv);
    let read = file(strict, &Mapping::default(), text.as_bytes()).unwrap();
    let wanted = accepted!("30016 ", "+491701234567", r#"{"a":" Leipzig"}"#);
    assert_eq!(read.records, [wanted]);
}

#[test]
fn what_a_spreadsheet_damaged_is_said() {
    let text = "docid;phone\n4,9E+11;+491701234567\nA2;4.9E+11\n";
    for country in [None, Some(Country::DE)] {
        let mapping = Mapping {
            country,
            ..Mapping::default()
        };
        let read = read_any(&mapping, text.as_bytes());
        assert_eq!(
            verdicts(&read.records),
            [
                Err(vec![RecordCode::DocidInvalid]),
                Err(vec![RecordCode::PhoneInvalid])
            ]
        );
        for record in &read.records {
            let problem = &record.as_ref().unwrap_err().problems[0];
            assert!(problem.detail.contains("digits"), "{}", problem.detail);
        }
    }
}

#[test]
fn a_row_of_a_sheet_may_be_shorter_than_its_header() {
    let text = b"phone,docid,a,b\n\n+491701234567,A1\n,,,\n+491701234567,A2,,x\n";
    let read = file(FileKind::Sheet, &Mapping::default(), text).unwrap();
    let wanted = [
        accepted!("A1", "+491701234567", "{}"),
        accepted!("A2", "+491701234567", r#"{"b":"x"}"#),
    ];
    assert_eq!(read.records, wanted);
    assert_eq!(read.rows, [Some(3), Some(5)]);
    assert_eq!(read.dialect, None);
}
