//! The spreadsheets of what imports gave: recipients, and the rows that were refused.

use std::sync::LazyLock;

use api_http::spreadsheet::{SheetColumn, Spreadsheet};
use api_language::Text;
use chrono_tz::Tz;

use crate::schema;

/// The member with the tracking fields.
const FIELDS: &str = "fields";

/// The members of recipients, as columns of CSV.
pub(crate) static RECIPIENT_COLUMNS: LazyLock<String> = LazyLock::new(|| {
    let names = schema::recipient().into_iter().map(|(name, _)| name);
    names.collect::<Vec<_>>().join(",")
});

/// The sheets of recipients, before the rows.
pub(crate) fn recipient_sheet(t: &Text, time_zone: Tz) -> Spreadsheet {
    let members = RECIPIENT_COLUMNS.split(',');
    let mut members: Vec<_> = members.filter(|name| *name != FIELDS).collect();
    // Ids are for programs.
    members.sort_by_key(|member| *member == "batch_id");
    let columns = members.into_iter().map(|member| t.sheet_column(member, []));
    Spreadsheet {
        columns: columns.collect(),
        ..t.spreadsheet("recipients", "nav-recipients", FIELDS, time_zone)
    }
}

/// The sheets of refused rows, before the rows: the members of [`Explained`](crate::explained::Explained).
pub(crate) fn error_sheet(t: &Text, time_zone: Tz) -> Spreadsheet {
    let columns = [
        ("row", "file-row"),
        ("docid", "column-docid"),
        ("column", "member"),
        ("value", "file-value"),
        ("reason", "file-wrong"),
        ("remedy", "file-remedy"),
    ];
    let column = |(key, header): (&str, &str)| SheetColumn {
        header: t.get(header),
        ..t.sheet_column(key, [])
    };
    Spreadsheet {
        columns: columns.map(column).into(),
        ..t.spreadsheet("errors", "rejected-records", "", time_zone)
    }
}
