//! What a reader of XML needs memory for: whether it holds more than a little of a file at once, and how many texts it makes room for.

use std::mem::take;

use memchr::memmem;

/// Bytes of a tag, or of the text between two: far more than the text of a cell may have.
const LONGEST: usize = 1 << 20;

/// The elements of which a reader keeps what is in them. No sheet has them.
const KEPT: [&[u8]; 11] = [
    b"Relationship",
    b"borders",
    b"cellStyleXfs",
    b"cellXfs",
    b"clrScheme",
    b"definedName",
    b"fills",
    b"fonts",
    b"numFmts",
    b"sheet",
    b"sst",
];

/// The element of a format. A reader keeps one of cells with copies of its font's name and of its number format.
const FORMAT: &[u8] = b"xf";
/// Bytes that it takes beside them.
const FORMAT_BYTES: u64 = 256;

/// Bytes of a name that may be one of them, with the prefix of a namespace.
const NAME: usize = 64;

/// What was seen of a file up to now. A reader holds a tag, or the text between two, whole.
#[derive(Default)]
pub struct Tokens {
    is_in_tag: bool,
    /// The quote that a value of an attribute began with.
    quote: Option<u8>,
    /// The bytes of the tag or the text so far.
    length: usize,
    /// The name of the element that the tag begins, so far; `None` once it is known.
    name: Option<Vec<u8>>,
    is_held: bool,
    /// Of the longest tag or text.
    longest: usize,
    formats: u64,
}

impl Tokens {
    /// Reads on.
    pub fn read(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.length += 1;
            self.longest = self.longest.max(self.length);
            // A file with null characters is of another encoding.
            self.is_held |= self.length > LONGEST || *byte == 0;
            self.read_name(*byte);
            match (self.is_in_tag, self.quote, byte) {
                (false, _, b'<') => {
                    (self.is_in_tag, self.length) = (true, 1);
                    self.name = Some(Vec::new());
                }
                // A comment, CDATA or DOCTYPE, which are held whole whatever is in them; no spreadsheet has them.
                (true, None, b'!') if self.length == 2 => self.is_held = true,
                (true, None, b'>') => (self.is_in_tag, self.length) = (false, 0),
                (true, None, b'"' | b'\'') => self.quote = Some(*byte),
                (true, Some(quote), byte) if *byte == quote => self.quote = None,
                _ => {}
            }
        }
    }

    fn read_name(&mut self, byte: u8) {
        let Some(name) = &mut self.name else { return };
        let is_end = byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/');
        if !is_end && name.len() < NAME {
            name.push(byte);
            return;
        }
        let local = name.rsplit(|byte| *byte == b':').next();
        self.is_held |= !is_end || local.is_some_and(|name| KEPT.contains(&name));
        self.formats += u64::from(local == Some(FORMAT));
        self.name = None;
    }

    /// Whether each tag and each text was short, and none is kept.
    pub fn are_passing(&self) -> bool {
        !self.is_held
    }

    /// The bytes that a reader takes for the formats of cells, at most.
    pub fn format_bytes(&self) -> u64 {
        let each = FORMAT_BYTES + 2 * self.longest as u64;
        self.formats.saturating_mul(each)
    }
}

/// The attribute by which a reader makes room for the texts of a workbook, whatever they are.
const COUNT: &[u8] = b"uniqueCount";

/// The largest number of texts that a file says that it has.
#[derive(Default)]
pub struct TextCount {
    /// The last bytes, where the attribute may begin.
    tail: Vec<u8>,
    /// Whether its value is being read, and what was read of it.
    is_value: bool,
    value: Option<u64>,
    largest: u64,
}

impl TextCount {
    /// Reads on.
    pub fn read(&mut self, bytes: &[u8]) {
        let mut all = take(&mut self.tail);
        all.extend_from_slice(bytes);
        let mut rest = all.as_slice();
        loop {
            while let (true, Some((byte, behind))) = (self.is_value, rest.split_first()) {
                match byte {
                    b'0'..=b'9' => {
                        let before = self.value.unwrap_or_default();
                        let value_now = before
                            .saturating_mul(10)
                            .saturating_add((byte - b'0').into());
                        self.largest = self.largest.max(value_now);
                        self.value = Some(value_now);
                    }
                    b'=' | b'"' | b'\'' | b' ' | b'\t' | b'\r' | b'\n' if self.value.is_none() => {}
                    _ => self.is_value = false,
                }
                rest = behind;
            }
            if self.is_value {
                return;
            }
            let Some(at) = memmem::find(rest, COUNT) else {
                let kept = rest.len().min(COUNT.len() - 1);
                self.tail = rest.split_at(rest.len() - kept).1.to_vec();
                return;
            };
            rest = rest.split_at(at + COUNT.len()).1;
            (self.is_value, self.value) = (true, None);
        }
    }

    pub fn largest(&self) -> u64 {
        self.largest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn are_passing(text: &[u8]) -> bool {
        let mut tokens = Tokens::default();
        text.chunks(7).for_each(|part| tokens.read(part));
        tokens.are_passing()
    }

    #[test]
    fn a_long_file_of_short_cells_is_read_piece_by_piece() {
        let row =
            br#"<row r="1"><c r="A1" t="inlineStr"><is><t>a &lt;b&gt; > "c"</t></is></c></row>"#;
        assert!(are_passing(&row.repeat(20_000)));
    }

    #[test]
    fn what_a_workbook_is_made_of_is_no_sheet() {
        assert!(are_passing(
            b"<worksheet><sheetData/><x:sheetPr/></worksheet>"
        ));
        for kept in ["<sst>", "<x:sst a='b'>", "<sheet/>", "</x><numFmts\n>"] {
            assert!(!are_passing(kept.as_bytes()), "{kept}");
        }
        assert!(!are_passing(b"<\0a\0>"));
    }

    #[test]
    fn each_format_counts_with_the_longest_names() {
        let name = "n".repeat(10_000);
        let styles = format!("<fonts><font><name val=\"{name}\"/></font></fonts>");
        let formats = "<xf fontId=\"0\"/><x:xf>".repeat(500);
        let mut tokens = Tokens::default();
        tokens.read(format!("{styles}{formats}").as_bytes());
        let bytes = tokens.format_bytes();
        assert!((20_000_000..21_000_000).contains(&bytes), "{bytes}");
    }

    #[test]
    fn a_number_of_texts_is_seen_wherever_it_stands() {
        for (text, expected) in [
            ("<sst count=\"7\" uniqueCount=\"12\"><si/>", 12),
            ("<sst uniqueCount = '0099999999999999999999'>", u64::MAX),
            ("uniqueCouniqueCount=\"3\" uniqueCount=\"2\"", 3),
            ("<sst uniqueCount=\"x4\" count=\"5\">", 0),
        ] {
            for size in [1, 3, 1_000] {
                let mut count = TextCount::default();
                text.as_bytes()
                    .chunks(size)
                    .for_each(|part| count.read(part));
                assert_eq!(count.largest(), expected, "{text} by {size}");
            }
        }
    }

    #[test]
    fn what_would_be_held_whole_is_seen() {
        let long = |begin: &str, part: &str| {
            let parts = part.repeat(LONGEST / part.len() + 1);
            are_passing(format!("{begin}{parts}").as_bytes())
        };
        for (begin, part) in [
            ("<a>", "text"),
            ("<a ", "b=\"c\" "),
            ("<a b=\"", "<c>"),
            ("<a b='", "\">"),
            ("<!--", "<a>"),
            ("<![CDATA[", "<a>"),
            ("<?a ", "b"),
        ] {
            assert!(!long(begin, part), "{begin}{part}");
        }
    }
}
