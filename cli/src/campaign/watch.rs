//! How far a campaign is, on stderr: a line that is redrawn on a terminal, elsewhere a line for each change.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::path_of;
use super::show::{count, funnel};
use crate::output::word;
use crate::service::Service;

/// How often the counts are asked for.
const POLL: Duration = Duration::from_millis(500);

/// What is watched.
#[derive(Clone, Copy)]
pub(crate) enum Watch {
    /// All counts, until the campaign is over.
    Campaign,
    /// How many messages are sent and delivered, while the campaign runs and has any to send. Reminders, which wait for days,
    /// are none of these.
    Sending,
}

impl Watch {
    /// Shows the progress until its end or the signal. A connection that breaks meanwhile is waited out.
    pub(crate) async fn follow(
        self,
        service: &Service,
        campaign: &str,
        shutdown: &CancellationToken,
    ) -> anyhow::Result<()> {
        let path = path_of(campaign);
        let progress = Progress::new();
        let mut line = String::new();
        while let Some(campaign) = shutdown.run_until_cancelled(service.poll(&path)).await {
            let campaign = campaign?;
            let now = self.line(&campaign);
            if now != line {
                line = now;
                progress.show(&campaign, &line);
            }
            let wait = tokio::time::sleep(POLL);
            if self.is_over(&campaign) || shutdown.run_until_cancelled(wait).await.is_none() {
                break;
            }
        }
        progress.end(&line);
        Ok(())
    }

    fn line(self, campaign: &Value) -> String {
        let status = word(&campaign["status"]);
        let (first, reminder) = kinds(campaign);
        match self {
            Self::Campaign if count(reminder, "recipients") > 0 => {
                format!(
                    "{status}  {}  reminder: {}",
                    funnel(first),
                    funnel(reminder)
                )
            }
            Self::Campaign => format!("{status}  {}", funnel(first)),
            Self::Sending => {
                let sent = ["accepted", "delivered", "undelivered", "expired"];
                let sent: u64 = sent.map(|name| count(first, name)).iter().sum();
                let [recipients, delivered] =
                    ["recipients", "delivered"].map(|name| count(first, name));
                format!("{status}  {sent} of {recipients} sent, {delivered} delivered")
            }
        }
    }

    fn is_over(self, campaign: &Value) -> bool {
        let status = word(&campaign["status"]);
        match self {
            Self::Campaign => ["FINISHED", "CANCELLED"].contains(&status),
            Self::Sending => status != "RUNNING" || waiting(campaign) == 0,
        }
    }
}

/// The counts of first messages and of reminders.
fn kinds(campaign: &Value) -> (&Value, &Value) {
    let counts = &campaign["counts"];
    (&counts["first"], &counts["reminder"])
}

/// First messages whose end is not known yet.
fn waiting(campaign: &Value) -> u64 {
    let (first, _) = kinds(campaign);
    count(first, "scheduled") + count(first, "sending")
}

/// The line, gone once this is dropped.
struct Progress(ProgressBar);

impl Progress {
    fn new() -> Self {
        let style = ProgressStyle::with_template("{bar:20} {msg}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        Self(ProgressBar::new(1).with_style(style))
    }

    fn show(&self, campaign: &Value, line: &str) {
        if self.0.is_hidden() {
            eprintln!("{line}");
            return;
        }
        let recipients = count(kinds(campaign).0, "recipients");
        self.0.update(|state| {
            // A bar of no length is drawn full.
            state.set_len(recipients.max(1));
            state.set_pos(recipients.saturating_sub(waiting(campaign)));
        });
        self.0.set_message(line.to_owned());
    }

    /// Leaves the last line where the terminal goes on below it.
    fn end(self, line: &str) {
        if !self.0.is_hidden() {
            self.0.finish_and_clear();
            eprintln!("{line}");
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn campaign(status: &str, scheduled: u64, sending: u64, reminders: u64) -> Value {
        let first = json!({
            "recipients": 10, "scheduled": scheduled, "sending": sending, "accepted": 1, "delivered": 2, "expired": 1
        });
        let reminder = json!({"recipients": reminders, "scheduled": reminders});
        json!({"status": status, "counts": {"first": first, "reminder": reminder}})
    }

    #[test]
    fn a_campaign_is_watched_until_it_is_over() {
        for (status, is_over) in [
            ("DRAFT", false),
            ("RUNNING", false),
            ("PAUSED", false),
            ("FINISHED", true),
            ("CANCELLED", true),
        ] {
            assert_eq!(
                Watch::Campaign.is_over(&campaign(status, 0, 0, 0)),
                is_over,
                "{status}"
            );
        }
    }

    #[test]
    fn sending_is_watched_while_first_messages_wait_and_the_campaign_runs() {
        for (status, scheduled, sending, is_over) in [
            ("RUNNING", 1, 0, false),
            ("RUNNING", 0, 1, false),
            ("RUNNING", 0, 0, true),
            ("PAUSED", 1, 0, true),
            ("FINISHED", 0, 0, true),
        ] {
            let campaign = campaign(status, scheduled, sending, 5);
            assert_eq!(Watch::Sending.is_over(&campaign), is_over, "{campaign}");
        }
    }

    #[test]
    fn lines_say_how_far_it_is() {
        let running = campaign("RUNNING", 3, 1, 0);
        assert_eq!(
            Watch::Sending.line(&running),
            "RUNNING  4 of 10 sent, 2 delivered"
        );
        let line = Watch::Campaign.line(&running);
        assert!(line.starts_with("RUNNING  recipients 10  scheduled 3  sending 1  "));
        assert!(!line.contains("reminder"));
        let line = Watch::Campaign.line(&campaign("RUNNING", 3, 1, 2));
        assert!(
            line.contains("  reminder: recipients 2  scheduled 2  "),
            "{line}"
        );
    }
}
