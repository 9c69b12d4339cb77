//! Columns of texts, aligned for a terminal.

use std::fmt::Write;

/// Texts of reports that are longer are cut.
const MAX_CHARS: usize = 60;

/// Rows of as many cells as there are titles.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
    /// Whether a column holds numbers.
    right: Vec<bool>,
    /// Longer texts are cut.
    max_chars: usize,
}

impl Table {
    /// With these titles; those that end in `#` are of numbers, aligned to the right, and lose it.
    pub(crate) fn new<'a>(titles: impl IntoIterator<Item = &'a str>) -> Self {
        let titles = titles.into_iter();
        let titles =
            titles.map(|title| (title.ends_with('#'), title.trim_end_matches('#').to_owned()));
        let (right, titles) = titles.unzip();
        let rows = vec![titles];
        let max_chars = MAX_CHARS;
        Self {
            rows,
            right,
            max_chars,
        }
    }

    /// The same, which cuts nothing: what it lists is copied from it.
    pub(crate) fn whole<'a>(titles: impl IntoIterator<Item = &'a str>) -> Self {
        let max_chars = usize::MAX;
        Self {
            max_chars,
            ..Self::new(titles)
        }
    }

    pub(crate) fn push(&mut self, row: impl IntoIterator<Item = String>) {
        let cells = row.into_iter().map(|cell| cut(&cell, self.max_chars));
        self.rows.push(cells.collect());
    }

    /// Whether there is nothing below the titles.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.len() == 1
    }

    /// Appends its lines.
    pub(crate) fn write(&self, out: &mut String) {
        let width = |column: usize| {
            let cells = self.rows.iter().map(|row| row[column].chars().count());
            cells.max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.right.len()).map(width).collect();
        for row in &self.rows {
            let mut line = String::new();
            for ((cell, width), right) in row.iter().zip(&widths).zip(&self.right) {
                // A String takes every text.
                let _ = if *right {
                    write!(line, "{cell:>width$}  ")
                } else {
                    write!(line, "{cell:<width$}  ")
                };
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }
}

/// The text on one line, cut, and without what a terminal would obey.
pub(crate) fn printable(text: &str) -> String {
    cut(text, MAX_CHARS)
}

fn cut(text: &str, max_chars: usize) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let mut line: String = text.chars().map(plain).take(max_chars).collect();
    if text.chars().nth(max_chars).is_some() {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new(["name", "views#"]);
        assert!(table.is_empty());
        table.push(["é".to_owned(), "7".to_owned()]);
        table.push(["longer".to_owned(), "1234567".to_owned()]);
        let mut out = String::new();
        table.write(&mut out);
        assert_eq!(out, "name      views\né             7\nlonger  1234567\n");
    }

    #[test]
    fn no_text_reaches_the_terminal_as_an_order() {
        assert_eq!(printable("a\n\u{1b}[31mb\u{9b}"), "a  [31mb ");
        assert_eq!(printable(&"x".repeat(100)).chars().count(), MAX_CHARS + 1);
    }
}
