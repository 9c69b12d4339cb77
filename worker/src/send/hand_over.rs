//! A claimed message on its way to the provider.

use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{TimeDelta, Utc};
use domain::pepper::Pepper;
use sender::setting::Setting;
use sender::{Handed, Message, Provider};
use store::send::drive::{Claimed, ClaimedKey, HandedResult};

/// A message that was certainly not sent is tried again after this time; the fifth time it fails.
const RETRY: TimeDelta = TimeDelta::seconds(30);

/// What came of a message, and of the provider's call if there was one.
pub(super) struct Done {
    pub key: ClaimedKey,
    pub handed: Option<Handed>,
}

/// Who hands messages over.
#[derive(Clone)]
pub(super) struct HandOver {
    pub setting: Setting,
    pub provider: Arc<dyn Provider>,
    pub pepper: Arc<Pepper>,
    pub public_url: Arc<str>,
}

impl HandOver {
    /// Hands a message over, unless the lease may be another's by now.
    pub(super) async fn run(self, claimed: Claimed, trusted_until: Instant) -> Done {
        let key = claimed.key;
        if Instant::now() >= trusted_until {
            return Done { key, handed: None };
        }
        let handed = match self.message(claimed) {
            Some(message) => self.provider.send(&message).await,
            None => Handed::Refused {
                code: "from".to_owned(),
            },
        };
        Done {
            key,
            handed: Some(handed),
        }
    }

    /// The message as the provider gets it. `None`: the sender has no `from` for this phone.
    fn message(&self, claimed: Claimed) -> Option<Message> {
        let from = self.setting.from_for(&claimed.phone)?.to_owned();
        let number = u32::try_from(claimed.account_number).unwrap_or_default();
        let message_id = claimed.key.message_id;
        let reference = self.pepper.reference(number, message_id);
        let name = &self.setting.name;
        let status_url = format!(
            "{}/hooks/{name}/{}/status?ref={reference}",
            self.public_url,
            self.pepper.hook_key(name)
        );
        Some(Message {
            message_id,
            reference,
            to: claimed.phone,
            from,
            text: claimed.text,
            encoding: claimed.parts.encoding,
            parts: claimed.parts.texts,
            validity: claimed.validity,
            status_url,
        })
    }
}

/// What is recorded of a message.
pub(super) fn result(handed: Option<Handed>, is_idempotent: bool) -> HandedResult {
    let now = Utc::now();
    match handed {
        None => HandedResult::Unsent,
        Some(Handed::Accepted { provider_ids }) => HandedResult::Accepted { provider_ids },
        Some(Handed::Refused { code }) => HandedResult::Refused { code },
        Some(Handed::SenderFault { .. }) => HandedResult::Waits { retry_at: now },
        Some(Handed::Throttled { retry_after }) => HandedResult::Waits {
            retry_at: now + wait(retry_after),
        },
        // Its receiver takes a message once.
        Some(Handed::Unknown { code }) if is_idempotent => HandedResult::NotSent {
            code,
            retry_at: now + RETRY,
        },
        Some(Handed::NotSent { code }) => HandedResult::NotSent {
            code,
            retry_at: now + RETRY,
        },
        Some(Handed::Unknown { code }) => HandedResult::Unknown { code },
    }
}

fn wait(retry_after: Option<Duration>) -> TimeDelta {
    let wait = retry_after.and_then(|wait| TimeDelta::from_std(wait).ok());
    wait.unwrap_or_default()
}
