//! What a campaign is and what it would send, as text.

use serde_json::Value;

use crate::output::{list, word};

/// Counts that are always shown, in the order in which a message goes through them.
const FUNNEL: [&str; 7] = [
    "recipients",
    "scheduled",
    "sending",
    "accepted",
    "delivered",
    "viewed",
    "answered",
];
/// The ends without success that are shown even where there are none.
const ENDS: [&str; 3] = ["failed", "unknown", "skipped"];
/// Those that are shown where there are any.
const RARE_ENDS: [&str; 3] = ["undelivered", "expired", "cancelled"];

pub(super) fn campaign(campaign: &Value) -> String {
    let texts = [
        // Only the answer to a test has one.
        "message_id",
        "campaign_id",
        "status",
        "name",
        "form_id",
        "sender",
        "text",
        "created_at",
        "starts_at",
        "started_at",
        "finished_at",
    ];
    let mut lines = Vec::new();
    for member in texts {
        if let Some(text) = campaign[member].as_str() {
            lines.push(line(member, text));
        }
    }
    for kind in ["first", "reminder"] {
        let counts = &campaign["counts"][kind];
        if kind == "first" || count(counts, "recipients") > 0 {
            lines.push(line(kind, &funnel(counts)));
        }
        if count(counts, "skipped") > 0 {
            lines.push(line("skipped", &pairs(&counts["skipped"])));
        }
    }
    lines.concat()
}

pub(super) fn preview(preview: &Value) -> String {
    let mut lines = Vec::new();
    for member in ["recipients", "eligible"] {
        lines.push(line(member, &count(preview, member).to_string()));
    }
    for member in ["skipped", "parts", "encodings", "countries"] {
        lines.push(line(member, &pairs(&preview[member])));
    }
    for sample in list(&preview["samples"]) {
        let [docid, encoding] = ["docid", "encoding"].map(|member| word(&sample[member]));
        let parts = count(sample, "parts");
        lines.push(line("sample", &format!("{docid}  {parts} × {encoding}")));
        lines.push(line("", word(&sample["text"])));
    }
    lines.concat()
}

/// How many messages of one kind are how far, on one line.
pub(super) fn funnel(counts: &Value) -> String {
    let rare = RARE_ENDS.into_iter().filter(|name| count(counts, name) > 0);
    let names = FUNNEL.into_iter().chain(ENDS).chain(rare);
    let shown = names.map(|name| format!("{name} {}", count(counts, name)));
    shown.collect::<Vec<_>>().join("  ")
}

/// One of the counts. `skipped` is the sum of its reasons.
pub(super) fn count(counts: &Value, name: &str) -> u64 {
    match &counts[name] {
        Value::Object(reasons) => reasons.values().filter_map(Value::as_u64).sum(),
        number => number.as_u64().unwrap_or(0),
    }
}

/// The members of an object of numbers, on one line.
fn pairs(numbers: &Value) -> String {
    let members = numbers.as_object().into_iter().flatten();
    let shown = members.map(|(name, number)| format!("{name}: {number}"));
    shown.collect::<Vec<_>>().join(", ")
}

fn line(name: &str, value: &str) -> String {
    format!("{name:11}  {value}").trim_end().to_owned() + "\n"
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_funnel_has_every_step_and_the_ends_that_were_met() {
        let counts = json!({
            "recipients": 20, "scheduled": 1, "sending": 2, "accepted": 3, "delivered": 4, "undelivered": 0, "expired": 2,
            "failed": 0, "unknown": 1, "cancelled": 0, "skipped": {"opted_out": 5, "erased": 2}, "parts": 12, "viewed": 3,
            "answered": 2
        });
        assert_eq!(
            funnel(&counts),
            "recipients 20  scheduled 1  sending 2  accepted 3  delivered 4  viewed 3  answered 2  failed 0  unknown 1  \
             skipped 7  expired 2"
        );
    }

    #[test]
    fn a_campaign_shows_reasons_and_reminders_where_there_are_any() {
        let mut shown = json!({
            "campaign_id": "c", "status": "RUNNING", "name": "n", "starts_at": null,
            "counts": {
                "first": {"recipients": 2, "skipped": {"opted_out": 1, "too_late": 1}},
                "reminder": {"recipients": 0, "skipped": {}}
            }
        });
        let text = campaign(&shown);
        assert!(
            text.contains("skipped      opted_out: 1, too_late: 1\n"),
            "{text}"
        );
        assert!(!text.contains("starts_at") && !text.contains("reminder"));
        shown["counts"]["reminder"]["recipients"] = json!(1);
        assert!(campaign(&shown).contains("reminder     recipients 1  "));
    }

    #[test]
    fn a_preview_shows_its_numbers_and_samples() {
        let shown = preview(&json!({
            "recipients": 3, "eligible": 2, "skipped": {"opted_out": 1}, "parts": {"1": 2}, "encodings": {"gsm7": 2, "ucs2": 0},
            "countries": {}, "samples": [{"docid": "A1", "text": "Hi https://x.example/f/a", "parts": 1, "encoding": "gsm7"}]
        }));
        assert_eq!(
            shown,
            "recipients   3\neligible     2\nskipped      opted_out: 1\nparts        1: 2\nencodings    gsm7: 2, ucs2: 0\n\
             countries\nsample       A1  1 × gsm7\n             Hi https://x.example/f/a\n"
        );
    }
}
