//! A claimed message on its way to the provider.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};

use chrono::TimeDelta;
use domain::campaign::MessageStatus;
use futures::FutureExt;
use platform::telemetry::traces::Span;
use sender::{Deadline, Handed, Outbound, Provider};
use store::send::drive::{Claimed, DueKey, Outcome};
use uuid::Uuid;

use super::driven_sender::DrivenSender;
use super::unrecorded::Unrecorded;

/// A message that was certainly not sent is tried again after this time; the fifth time it fails.
const RETRY: TimeDelta = TimeDelta::seconds(30);

/// Hands messages over to a provider.
pub(super) struct HandOver {
    pub sender: Arc<DrivenSender>,
    pub provider: Arc<dyn Provider>,
    /// The number of the next part.
    pub numbers: AtomicU16,
    /// The sender is to take nothing, replies neither.
    pub rests: AtomicBool,
    pub unrecorded: Unrecorded,
}

impl HandOver {
    pub(super) fn new(sender: Arc<DrivenSender>) -> Self {
        // Receipts of messages that earlier processes numbered come too.
        let [high, low, ..] = *Uuid::new_v4().as_bytes();
        Self {
            provider: sender.setting.connect(),
            sender,
            numbers: AtomicU16::new(u16::from_be_bytes([high, low])),
            rests: AtomicBool::new(false),
            unrecorded: Unrecorded::default(),
        }
    }

    /// Numbers the parts of a message that was claimed without.
    pub(super) fn number(&self, claimed: &mut Claimed) {
        let count = u16::try_from(claimed.parts.texts.len()).unwrap_or(u16::MAX);
        claimed.number = self.numbers.fetch_add(count, Ordering::Relaxed);
    }

    /// Hands a message over, as a span; `None`: the lease may be another's by now, and nothing was written.
    pub(super) async fn run(
        self: Arc<Self>,
        claimed: Claimed,
        deadline: Deadline,
        mut span: Span,
        wants_receipts: bool,
    ) -> Option<Handed> {
        let hash = self.sender.handed_over.hash(&claimed);
        if deadline.is_over() {
            self.sender.handed_over.forget(hash);
            span.fail("lease");
            return None;
        }
        let handed = match self.message(claimed, deadline.clone(), wants_receipts) {
            Some(message) => self.send(&message).await,
            None => Handed::Refused {
                code: "from".to_owned(),
            },
        };
        let may_be_sent = match handed {
            Handed::Accepted { .. } => true,
            Handed::Unknown { .. } => !self.provider.is_idempotent(),
            _ => false,
        };
        if !may_be_sent {
            self.sender.handed_over.forget(hash);
        }
        if let Handed::Accepted { provider_ids } = &handed
            && wants_receipts
            && self.provider.reports_by_id()
        {
            self.unrecorded.add(provider_ids);
        }
        let (outcome, code) = outcome_of(&handed);
        span.set("outcome", outcome);
        if !matches!(handed, Handed::Accepted { .. }) {
            span.fail(code.unwrap_or(outcome));
        }
        let is_unsent = matches!(handed, Handed::NotSent { .. }) && deadline.is_over();
        (!is_unsent).then_some(handed)
    }

    /// What the provider makes of a message; of a call that breaks it is not known.
    async fn send(&self, message: &Outbound) -> Handed {
        let call = AssertUnwindSafe(async { self.provider.send(message).await });
        call.catch_unwind().await.unwrap_or_else(|_| {
            let name = &self.sender.setting.name;
            tracing::error!(sender.name = %name, "a call of the provider broke");
            Handed::unknown("panic")
        })
    }

    /// The message as the provider gets it. `None`: the sender has no `from` for this phone.
    fn message(
        &self,
        claimed: Claimed,
        deadline: Deadline,
        wants_receipts: bool,
    ) -> Option<Outbound> {
        let sender = &self.sender;
        let from = sender.setting.from_for(&claimed.phone)?.to_owned();
        let number = u32::try_from(claimed.account_number).unwrap_or_default();
        let message_id = claimed.key.message_id;
        let reference = sender.pepper.reference(number, message_id);
        // Who takes a message once may report of it at the first address that came with it.
        let of_attempt = if self.provider.is_idempotent() {
            String::new()
        } else {
            format!("&attempt={}", claimed.attempt)
        };
        Some(Outbound {
            message_id,
            status_url: format!("{}?ref={reference}{of_attempt}", sender.status_url),
            wants_receipts,
            reference,
            to: claimed.phone,
            from,
            text: claimed.text,
            encoding: claimed.parts.encoding,
            parts: claimed.parts.texts,
            number: claimed.number,
            validity: claimed.validity,
            deadline,
        })
    }

    /// What is recorded of a message; `None`: it was not handed over.
    pub(super) fn outcome(&self, claimed: DueKey, handed: Option<Handed>) -> Outcome {
        let ended = |status, code, provider_ids| ended(claimed, status, code, provider_ids);
        let again = |wait, code| Outcome {
            retry_after: Some(wait),
            ..ended(MessageStatus::Scheduled, code, vec![])
        };
        match handed {
            None | Some(Handed::SenderFault { .. } | Handed::Busy) => {
                again(TimeDelta::zero(), None)
            }
            Some(Handed::Throttled { retry_after }) => {
                let wait = retry_after.and_then(|wait| TimeDelta::from_std(wait).ok());
                again(wait.unwrap_or_default(), None)
            }
            Some(Handed::Accepted { provider_ids }) => {
                ended(MessageStatus::Accepted, None, provider_ids)
            }
            Some(Handed::Refused { code }) => ended(MessageStatus::Failed, Some(code), vec![]),
            // Its receiver takes a message once.
            Some(Handed::Unknown { code }) if self.provider.is_idempotent() => Outcome {
                stays: true,
                ..again(RETRY, Some(code))
            },
            Some(Handed::NotSent { code }) => again(RETRY, Some(code)),
            Some(Handed::Unknown { code }) => ended(MessageStatus::Unknown, Some(code), vec![]),
        }
    }
}

/// What is recorded of a message that was handed over before the database lost what it knew of that.
pub(super) fn forgotten(claimed: DueKey) -> Outcome {
    let code = Some("failover".to_owned());
    ended(claimed, MessageStatus::Unknown, code, vec![])
}

fn ended(
    claimed: DueKey,
    status: MessageStatus,
    code: Option<String>,
    provider_ids: Vec<String>,
) -> Outcome {
    Outcome {
        claimed,
        status,
        code,
        provider_ids,
        retry_after: None,
        stays: false,
    }
}

/// A result's name in traces, and its code.
fn outcome_of(handed: &Handed) -> (&'static str, Option<&str>) {
    match handed {
        Handed::Accepted { .. } => ("accepted", None),
        Handed::Refused { code } => ("refused", Some(code)),
        Handed::SenderFault { code } => ("sender_fault", Some(code)),
        Handed::Throttled { .. } | Handed::Busy => ("throttled", None),
        Handed::NotSent { code } => ("not_sent", Some(code)),
        Handed::Unknown { code } => ("unknown", Some(code)),
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use chrono::{DateTime, Utc};
    use domain::campaign::MessageKind;
    use domain::pepper::Pepper;
    use domain::sms::Parts;
    use futures::future::BoxFuture;
    use platform::health::Heartbeat;
    use store::send::CampaignKey;
    use store::send::state::ReceiptNote;
    use store::{Store, Workload};

    use super::*;
    use crate::send::handed_over::HandedOver;

    /// It breaks with each message, and takes none twice.
    struct Broken;

    impl Provider for Broken {
        fn send<'a>(&'a self, _message: &'a Outbound) -> BoxFuture<'a, Handed> {
            Box::pin(async { panic!("it breaks") })
        }

        fn is_idempotent(&self) -> bool {
            true
        }
    }

    fn claimed(timeline: i64) -> Claimed {
        Claimed {
            key: DueKey {
                campaign: CampaignKey::new(Uuid::nil(), Uuid::nil()),
                due_at: DateTime::<Utc>::UNIX_EPOCH,
                message_id: Uuid::nil(),
            },
            attempt: 0,
            kind: Some(MessageKind::First),
            timeline,
            account_number: 1,
            phone: "+4915112345678".to_owned(),
            text: String::new(),
            parts: Parts::of(""),
            number: 0,
            validity: Duration::ZERO,
        }
    }

    #[tokio::test]
    async fn a_call_that_breaks_is_tried_again_also_after_a_failover() {
        let settings = sender::setting::parse(
            "https=https://a.example/?accounts=*&from=Shop&secret=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        );
        let sender = DrivenSender {
            store: Store::connect("sqlite::memory:", Workload::Jobs).unwrap(),
            setting: settings.unwrap().remove(0),
            pepper: Arc::new(Pepper::parse(&"7".repeat(64)).unwrap()),
            status_url: String::new(),
            link_prefix: String::new(),
            heartbeat: Heartbeat::default(),
            received: ReceiptNote::default(),
            handed_over: Arc::<HandedOver>::default(),
        };
        let hand_over = Arc::new(HandOver {
            provider: Arc::new(Broken),
            sender: Arc::new(sender),
            numbers: AtomicU16::new(0),
            rests: AtomicBool::new(false),
            unrecorded: Unrecorded::default(),
        });
        let handed_over = Arc::clone(&hand_over.sender.handed_over);
        assert!(handed_over.note(&claimed(1), Instant::now()));
        let deadline = Deadline::at(Instant::now() + Duration::from_mins(1));
        let run = Arc::clone(&hand_over).run(claimed(1), deadline, Span::default(), true);
        let handed = run.await;
        assert!(matches!(&handed, Some(Handed::Unknown { code }) if code == "panic"));
        let outcome = hand_over.outcome(claimed(1).key, handed);
        assert_eq!(outcome.status, MessageStatus::Scheduled);
        // What the receiver takes once is handed over once more.
        assert!(handed_over.note(&claimed(2), Instant::now()));
    }
}
