//! What an import of a file would come to: who is new, which rows are refused and why, what a campaign's form lacks.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use api_import::explained::{column, kind, reason, remedy};
use api_import::ingest::BodySummary;
use api_language::Text;
use domain::body::Mapping;
use domain::record::RecordError;

use crate::names::UnknownWords;

/// Rows that are shown of those refused for one reason.
const SHOWN_ROWS: usize = 10;

/// The rows that were refused for one reason.
pub struct Refused {
    pub reason: String,
    /// What can be done about it.
    pub remedy: String,
    /// How many in the whole file.
    pub count: u64,
    /// The first of them: their row, the column, what stood there.
    pub rows: Vec<(u64, String, String)>,
}

/// What an import would come to.
pub struct Outlook {
    pub summary: BodySummary,
    pub existing: u64,
    pub refused: Vec<Refused>,
    /// What the campaign's form does not list.
    pub unknown: UnknownWords,
}

impl Outlook {
    pub fn new(t: &Text, (summary, existing): (BodySummary, u64), mapping: &Mapping) -> Self {
        let mut rows = BTreeMap::<_, Refused>::new();
        for (error, place) in summary.errors.iter().zip(&summary.places) {
            let kind = (error.code, kind(error.code, &error.detail));
            let refused = rows.entry(kind).or_insert_with(|| Refused {
                reason: reason(t, error),
                remedy: remedy(t, error),
                count: summary.by_kind.get(&kind).copied().unwrap_or(0),
                rows: Vec::new(),
            });
            if refused.rows.len() < SHOWN_ROWS {
                let row = place.row.unwrap_or(error.index + 1);
                let value = place.value.clone().unwrap_or_default();
                refused
                    .rows
                    .push((row, column_of_file(t, error, mapping), value));
            }
        }
        let mut refused: Vec<_> = rows.into_values().collect();
        refused.sort_by_key(|refused| std::cmp::Reverse(refused.count));
        Self {
            summary,
            existing,
            refused,
            unknown: UnknownWords::default(),
        }
    }

    pub fn new_people(&self) -> i64 {
        count(self.summary.accepted - self.existing.min(self.summary.accepted))
    }

    /// Rows that have the phone of another person further up: how many, and the first of them as they are listed.
    pub fn same_phone(&self) -> Option<(i64, String)> {
        let same = &self.summary.same_phone;
        (same.count > 0).then(|| (count(same.count), listed(&same.rows, same.count)))
    }

    /// The first of the rows that repeat another, as they are listed.
    pub fn merged_rows(&self) -> String {
        listed(&self.summary.merged_rows, self.summary.merged)
    }

    /// The columns of the first records: those of fields in their order.
    pub fn fields(&self) -> Vec<String> {
        let mut names = Vec::new();
        for record in &self.summary.sample {
            for name in record["fields"]
                .as_object()
                .into_iter()
                .flat_map(|fields| fields.keys())
            {
                if !names.contains(name) {
                    names.push(name.clone());
                }
            }
        }
        names
    }
}

/// The first of so many rows.
fn listed(first: &[u64], count: u64) -> String {
    let rows: Vec<_> = first.iter().map(u64::to_string).collect();
    let more = if count > first.len() as u64 {
        " …"
    } else {
        ""
    };
    rows.join(", ") + more
}

/// The column in which a record is wrong, as the file calls it.
fn column_of_file(t: &Text, error: &RecordError, mapping: &Mapping) -> String {
    let named = match error.pointer.rsplit('/').next() {
        Some("phone") => mapping.phone_column.clone(),
        Some("docid") => mapping.docid_column.clone(),
        _ => None,
    };
    named.unwrap_or_else(|| column(t, error))
}

/// A count of rows as pages write it.
pub fn count(rows: impl Borrow<u64>) -> i64 {
    i64::try_from(*rows.borrow()).unwrap_or(i64::MAX)
}
