//! Messages whose answers are missing, by the `user_message_reference` of their parts: a centre that echoes it in receipts
//! tells so what became of them.

use std::collections::HashMap;

use parking_lot::Mutex;

use crate::{Handed, Outbound};

/// At most one message a number, so it is bounded.
#[derive(Default)]
pub(super) struct References(Mutex<HashMap<u16, KnownReference>>);

struct KnownReference {
    reference: String,
    digits: String,
    /// Its receipts name the message. Those of one of several parts do not while the answers are on their way.
    whole: bool,
}

impl References {
    /// Notes a message before it is handed over.
    pub fn begin(&self, message: &Outbound) {
        self.note(message, Some(message.parts.len() == 1));
    }

    /// Forgets a message of which enough is known. Whoever stores what is unknown keeps its numbers too, but later.
    pub fn end(&self, message: &Outbound, handed: &Handed) {
        let is_unknown = matches!(handed, Handed::Unknown { .. });
        self.note(message, is_unknown.then_some(true));
    }

    /// Keeps a message under the numbers of its parts. `None`: forgets it.
    fn note(&self, message: &Outbound, whole: Option<bool>) {
        let mut messages = self.0.lock();
        for (_, place) in message.parts.iter().zip(0..) {
            let number = message.number.wrapping_add(place);
            messages.remove(&number);
            if let Some(whole) = whole {
                let entry = KnownReference {
                    reference: message.reference.clone(),
                    digits: message.to.trim_start_matches('+').to_owned(),
                    whole,
                };
                messages.insert(number, entry);
            }
        }
    }

    /// The reference of the message to one of these numbers a part of which has this number.
    pub fn find(&self, number: u16, digits: [&str; 2]) -> Option<String> {
        let messages = self.0.lock();
        let entry = messages.get(&number)?;
        let found = entry.whole && digits.contains(&&*entry.digits);
        found.then(|| entry.reference.clone())
    }
}
