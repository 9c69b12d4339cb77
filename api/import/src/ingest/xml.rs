//! Whether a reader of XML needs memory for more than a little of it at once.

/// Bytes of a tag, or of the text between two: far more than the text of a cell may have.
const LONGEST: usize = 1 << 20;

/// What was seen of a file up to now. A reader holds a tag, or the text between two, whole.
#[derive(Default)]
pub struct Tokens {
    is_in_tag: bool,
    /// The quote that a value of an attribute began with.
    quote: Option<u8>,
    /// The bytes of the tag or the text so far.
    length: usize,
    is_long: bool,
}

impl Tokens {
    /// Reads on.
    pub fn read(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.length += 1;
            self.is_long |= self.length > LONGEST;
            match (self.is_in_tag, self.quote, byte) {
                (false, _, b'<') => (self.is_in_tag, self.length) = (true, 1),
                // A comment, CDATA or DOCTYPE, which are held whole whatever is in them; no spreadsheet has them.
                (true, None, b'!') if self.length == 2 => self.is_long = true,
                (true, None, b'>') => (self.is_in_tag, self.length) = (false, 0),
                (true, None, b'"' | b'\'') => self.quote = Some(*byte),
                (true, Some(quote), byte) if *byte == quote => self.quote = None,
                _ => {}
            }
        }
    }

    /// Whether each tag and each text was short.
    pub fn are_short(&self) -> bool {
        !self.is_long
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn are_short(text: &[u8]) -> bool {
        let mut tokens = Tokens::default();
        text.chunks(7).for_each(|part| tokens.read(part));
        tokens.are_short()
    }

    #[test]
    fn a_long_file_of_short_cells_is_read_piece_by_piece() {
        let row =
            br#"<row r="1"><c r="A1" t="inlineStr"><is><t>a &lt;b&gt; > "c"</t></is></c></row>"#;
        assert!(are_short(&row.repeat(20_000)));
    }

    #[test]
    fn what_would_be_held_whole_is_seen() {
        let long = |begin: &str, part: &str| {
            let parts = part.repeat(LONGEST / part.len() + 1);
            are_short(format!("{begin}{parts}").as_bytes())
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
