use std::io::Cursor;

use axum::body::Body;
use bolero::check;
use domain::body::{BodyKind, FileKind, FileReader, Mapping};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::super::tests::pool;
use super::super::{ContentEncoding, Incoming};
use super::*;

const WORKBOOK: &str = r#"<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="A" sheetId="1" r:id="rId1"/></sheets></workbook>"#;
const PACKAGE: &str = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#;
const RELATIONS: &str = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>"#;
/// The second style is that of dates.
const STYLES: &str = r#"<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><cellXfs><xf numFmtId="0"/><xf numFmtId="22"/></cellXfs></styleSheet>"#;
const TEXTS: &str = r#"<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" uniqueCount="2"><si><t>docid</t></si><si><t>a "b", c</t></si></sst>"#;

/// The CSV of a file whose first sheet is this.
fn csv(sheet: &[u8]) -> Result<String> {
    csv_with(STYLES, sheet)
}

/// The same of a file with these styles.
fn csv_with(styles: &str, sheet: &[u8]) -> Result<String> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let plain = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, part) in [
        ("_rels/.rels", PACKAGE.as_bytes()),
        ("xl/workbook.xml", WORKBOOK.as_bytes()),
        ("xl/_rels/workbook.xml.rels", RELATIONS.as_bytes()),
        ("xl/styles.xml", styles.as_bytes()),
        ("xl/sharedStrings.xml", TEXTS.as_bytes()),
        ("xl/worksheets/sheet1.xml", sheet),
    ] {
        zip.start_file(name, plain).unwrap();
        zip.write_all(part).unwrap();
    }
    let incoming = Incoming {
        body: Body::from(zip.finish().unwrap().into_inner()),
        kind: BodyKind::Csv,
        encoding: ContentEncoding::Identity,
        permit: pool().permit(Uuid::nil()),
        limit: 1 << 30,
    };
    let mut source = Source::new(incoming, CancellationToken::new(), false)?;
    let (mut file, _) = as_csv(&mut source, &std::env::temp_dir())?;
    let mut text = String::new();
    file.read_to_string(&mut text).unwrap();
    Ok(text)
}

fn sheet(cells: &str) -> String {
    format!("<worksheet><sheetData><row>{cells}</row></sheetData></worksheet>")
}

#[test]
fn a_sheet_is_as_large_as_the_largest() {
    let runtime = Runtime::new().unwrap();
    let _entered = runtime.enter();
    let of = |place: &str| csv(sheet(&format!("<c r=\"{place}\"><v>7</v></c>")).as_bytes());
    assert_eq!(of("B3").unwrap(), "\n\n,7");
    assert_eq!(
        of("XFD1048576").unwrap().len(),
        (1 << 20) - 1 + (1 << 14) - 1 + 1
    );
    for beyond in ["A1048577", "XFE1", "A200000000"] {
        let problem = of(beyond).unwrap_err();
        assert_eq!(problem.code(), Code::InvalidCsv, "{beyond}");
    }
    let row =
        "<worksheet><sheetData><row r=\"268000000\"><c><v>1</v></c></row></sheetData></worksheet>";
    assert_eq!(csv(row.as_bytes()).unwrap_err().code(), Code::InvalidCsv);
}

#[test]
fn what_a_cell_does_not_need_is_not_kept() {
    let runtime = Runtime::new().unwrap();
    let _entered = runtime.enter();
    let name = "n".repeat(1_000_000);
    let formats = "<xf fontId=\"0\"/>".repeat(2_000);
    let styles = format!(
        "<styleSheet><!-- \" --><fonts><font><name val=\"{name}\"/></font></fonts><cellXfs>{formats}</cellXfs></styleSheet>"
    );
    let read = csv_with(&styles, sheet("<c r=\"A1\"><v>7</v></c>").as_bytes());
    assert_eq!(read.unwrap(), "7");
}

#[test]
fn a_cell_has_no_more_than_the_text_of_one() {
    let runtime = Runtime::new().unwrap();
    let _entered = runtime.enter();
    let piece = "a".repeat(50_000);
    for (begin, part, end) in [
        (
            "<c t=\"inlineStr\"><is>",
            format!("<r><t>{piece}</t></r>"),
            "</is></c>",
        ),
        (
            "<c t=\"inlineStr\"><is><t>",
            format!("{piece}<x/>"),
            "</t></is></c>",
        ),
        ("<c t=\"str\"><v>", format!("{piece}<x/>"), "</v></c>"),
        ("<c t=\"str\"><v>", "&amp;".repeat(50_000), "</v></c>"),
    ] {
        let of = |times| csv(sheet(&format!("{begin}{}{end}", part.repeat(times))).as_bytes());
        assert!(of(1).is_ok(), "{begin}");
        let code = of(4).err().map(|problem| problem.code());
        assert_eq!(code, Some(Code::BodyTooLarge), "{begin}");
    }
    let names = "a".repeat(300);
    for held in ["<a>".repeat(100), format!("<{names}></{names}>")] {
        let problem = csv(sheet(&format!("<c>{held}</c>")).as_bytes()).unwrap_err();
        assert_eq!(problem.code(), Code::InvalidCsv);
    }
}

#[test]
fn cells_are_read_as_they_look() {
    let runtime = Runtime::new().unwrap();
    let _entered = runtime.enter();
    let cells = concat!(
        "<c t=\"s\"><v>0</v></c><c><f>A1</f><v>12.50</v></c><c s=\"1\"><v>46331.5</v></c>",
        "<c t=\"b\"><v>1</v></c><c t=\"e\"><v>#N/A</v></c><c t=\"d\"><v>2026-11-05</v></c>",
        "<c t=\"inlineStr\"><v>9</v><is><r><t xml:space=\"preserve\"> a</t></r><rPh><t>no</t></rPh>",
        "<r><t> <![CDATA[b]]>&#x41; </t></r></is></c>",
        "<c t=\"str\"><v>x_x000A_y</v></c><c t=\"b\"/><c r=\"K1\" s=\"9\"><v>7</v></c>",
    );
    assert_eq!(
        csv(sheet(cells).as_bytes()).unwrap(),
        "docid,12.5,2026-11-05 12:00,TRUE,#N/A,2026-11-05, abA,\"x\ny\",,,7"
    );
    for broken in [
        "<c t=\"s\"><v>2</v></c>",
        "<c><v>&own;</v></c>",
        "<c r=\"1A\"/>",
        "<c r=\"ÄA1\"/>",
        "<c><v>7",
    ] {
        let problem = csv(sheet(broken).as_bytes()).unwrap_err();
        assert_eq!(problem.code(), Code::InvalidCsv, "{broken}");
    }
}

#[test]
fn whatever_a_sheet_is_its_csv_has_rows() {
    let runtime = Runtime::new().unwrap();
    let _entered = runtime.enter();
    check!().for_each(|sheet: &[u8]| {
        let Ok(text) = csv(sheet) else { return };
        let mut reader =
            FileReader::new(FileKind::Sheet, Mapping::default(), text.as_bytes()).unwrap();
        while let Ok(Some(_)) = reader.next() {}
    });
}
