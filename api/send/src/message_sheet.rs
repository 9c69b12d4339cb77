//! Messages as a table: the columns of lists and spreadsheets.

use api_http::spreadsheet::Spreadsheet;
use api_language::Text;
use chrono_tz::Tz;
use domain::campaign::{MessageKind, MessageStatus, SkipReason};
use strum::VariantArray;

pub(crate) const COLUMNS: &str = "message_id,campaign_id,docid,kind,status,skipped_reason,parts,encoding,sender,provider_ids,\
    provider_code,scheduled_at,accepted_at,delivered_at,viewed_at,answered_at";

/// The sheets of messages, before the rows.
pub(crate) fn message_sheet(t: &Text, time_zone: Tz) -> Spreadsheet {
    let mut members: Vec<_> = COLUMNS.split(',').collect();
    // Ids are for programs.
    members.sort_by_key(|member| *member == "message_id");
    let columns = members.into_iter().map(|member| match member {
        "kind" => t.sheet_column(member, words::<MessageKind>("kind")),
        "status" => t.sheet_column(member, words::<MessageStatus>("status")),
        "skipped_reason" => t.sheet_column(member, words::<SkipReason>("skip")),
        "encoding" => t.sheet_column(member, ["gsm7", "ucs2"].map(|name| ("encoding", name))),
        _ => t.sheet_column(member, []),
    });
    Spreadsheet {
        columns: columns.collect(),
        ..t.spreadsheet("messages", "messages", "", time_zone)
    }
}

/// The names of all values, with the kind of their texts.
fn words<V: VariantArray + Copy + Into<&'static str>>(
    kind: &'static str,
) -> impl Iterator<Item = (&'static str, &'static str)> {
    V::VARIANTS.iter().map(move |value| (kind, (*value).into()))
}
