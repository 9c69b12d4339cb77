//! What spreadsheets say of lists.

use api_http::spreadsheet::{ColumnKind, SheetColumn, Spreadsheet};
use chrono::Utc;
use chrono_tz::Tz;

use crate::Text;

impl Text {
    /// The sheets of a list, whose columns are to be added. `file` is the name of its file, and `list` the key of what it is called;
    /// the members of each item's `fields` have columns.
    pub fn spreadsheet(
        &self,
        file: &'static str,
        list: &str,
        fields: &'static str,
        time_zone: Tz,
    ) -> Spreadsheet {
        let facts = [
            ("xlsx-made", self.moment(&Utc::now(), time_zone)),
            ("time-zone", time_zone.name().to_owned()),
        ];
        Spreadsheet {
            file,
            name: self.get(list),
            columns: Vec::new(),
            fields: (fields, self.get("xlsx-field")),
            field_headers: [("docid".to_owned(), self.get("docid"))].into(),
            about: self.get("xlsx-about"),
            facts: facts.map(|(key, fact)| (self.get(key), fact)).into(),
            heads: ["member", "xlsx-key", "xlsx-meaning"].map(|key| self.get(key)),
            time_zone,
        }
    }

    /// The column of a member of the API's items, `words` being its values that are shown by the words of a kind.
    pub fn sheet_column<'a>(
        &self,
        member: &str,
        words: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> SheetColumn {
        let is_time = member.ends_with("_at");
        let words = words.into_iter();
        SheetColumn {
            header: self.of("column", member),
            key: member.to_owned(),
            meaning: String::new(),
            kind: if is_time {
                ColumnKind::Time
            } else {
                ColumnKind::Plain
            },
            words: words
                .map(|(kind, value)| (value.to_owned(), self.of(kind, value)))
                .collect(),
        }
    }
}
