//! How far a campaign is, on stderr: a line that is redrawn on a terminal, elsewhere a line for each change.

use std::time::Duration;

use indicatif::ProgressBar;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::path_of;
use crate::output::{style, word};
use crate::service::ServiceClient;

/// How often the counts are asked for.
const POLL: Duration = Duration::from_millis(500);

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
/// Ends without success, which are shown where there are any.
const ENDS: [&str; 6] = [
    "failed",
    "unknown",
    "skipped",
    "undelivered",
    "expired",
    "cancelled",
];

/// Shows the progress until it is over, or until the signal. A connection that breaks meanwhile is waited out.
pub(crate) async fn watch(
    service: &ServiceClient,
    campaign: &str,
    is_over: fn(&Value) -> bool,
    shutdown: &CancellationToken,
) -> anyhow::Result<()> {
    let path = path_of(campaign);
    let bar = ProgressBar::new(1).with_style(style("{bar:20} {msg}"));
    let mut shown = String::new();
    let poll = || service.poll(&path, &bar);
    while let Some(campaign) = shutdown.run_until_cancelled(poll()).await {
        let campaign = campaign?;
        let now = line(&campaign);
        if now != shown {
            shown = now;
            show(&bar, &campaign, &shown);
        }
        let wait = tokio::time::sleep(POLL);
        if is_over(&campaign) || shutdown.run_until_cancelled(wait).await.is_none() {
            break;
        }
    }
    // The last line stays where the terminal goes on below it.
    if !bar.is_hidden() {
        bar.finish_and_clear();
        eprintln!("{shown}");
    }
    Ok(())
}

/// Whether the campaign does not run, or has nothing to send. Reminders, which wait for days, are not looked at.
pub(crate) fn is_sent(campaign: &Value) -> bool {
    word(&campaign["status"]) != "RUNNING" || waiting(campaign) == 0
}

fn line(campaign: &Value) -> String {
    let (status, counts) = (word(&campaign["status"]), &campaign["counts"]);
    let first = format!("{status}  {}", funnel(&counts["first"]));
    match &counts["reminder"] {
        reminder if count(reminder, "recipients") > 0 => {
            format!("{first}  reminder: {}", funnel(reminder))
        }
        _ => first,
    }
}

/// How many messages of one kind are how far.
fn funnel(counts: &Value) -> String {
    let ends = ENDS.into_iter().filter(|name| count(counts, name) > 0);
    let names = FUNNEL.into_iter().chain(ends);
    let shown = names.map(|name| format!("{name} {}", count(counts, name)));
    shown.collect::<Vec<_>>().join("  ")
}

/// One of the counts. `skipped` is the sum of its reasons.
fn count(counts: &Value, name: &str) -> u64 {
    match &counts[name] {
        Value::Object(reasons) => reasons.values().filter_map(Value::as_u64).sum(),
        number => number.as_u64().unwrap_or(0),
    }
}

/// First messages whose end is not known yet.
fn waiting(campaign: &Value) -> u64 {
    let first = &campaign["counts"]["first"];
    count(first, "scheduled") + count(first, "sending")
}

fn show(bar: &ProgressBar, campaign: &Value, line: &str) {
    if bar.is_hidden() {
        eprintln!("{line}");
        return;
    }
    let recipients = count(&campaign["counts"]["first"], "recipients");
    bar.update(|state| {
        // A bar of no length is drawn full.
        state.set_len(recipients.max(1));
        state.set_pos(recipients.saturating_sub(waiting(campaign)));
    });
    bar.set_message(line.to_owned());
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn campaign(status: &str, scheduled: u64, sending: u64, reminders: u64) -> Value {
        let first = json!({
            "recipients": 10, "scheduled": scheduled, "sending": sending, "accepted": 1, "delivered": 2, "expired": 1,
            "skipped": {"opted_out": 5, "erased": 2}, "failed": 0
        });
        let reminder = json!({"recipients": reminders, "scheduled": reminders});
        json!({"status": status, "counts": {"first": first, "reminder": reminder}})
    }

    #[test]
    fn sending_is_watched_while_first_messages_wait_and_the_campaign_runs() {
        for (status, scheduled, sending, sent) in [
            ("RUNNING", 1, 0, false),
            ("RUNNING", 0, 1, false),
            ("RUNNING", 0, 0, true),
            ("PAUSED", 1, 0, true),
            ("FINISHED", 0, 0, true),
        ] {
            let campaign = campaign(status, scheduled, sending, 5);
            assert_eq!(is_sent(&campaign), sent, "{campaign}");
        }
    }

    #[test]
    fn lines_have_every_step_the_ends_that_were_met_and_reminders_where_there_are_any() {
        let steps =
            "recipients 10  scheduled 3  sending 1  accepted 1  delivered 2  viewed 0  answered 0";
        let first = format!("RUNNING  {steps}  skipped 7  expired 1");
        assert_eq!(line(&campaign("RUNNING", 3, 1, 0)), first);
        let both = line(&campaign("RUNNING", 3, 1, 2));
        let reminder = "  reminder: recipients 2  scheduled 2  ";
        assert!(both.starts_with(&(first + reminder)), "{both}");
    }
}
