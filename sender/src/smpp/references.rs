//! Messages whose answers are missing, by the `user_message_reference` of their parts: a centre that echoes it in receipts
//! tells so what became of them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU16, Ordering};

use parking_lot::Mutex;

use crate::{Handed, Outbound};

/// At most one message a number, so it is bounded.
pub(super) struct References {
    next: AtomicU16,
    messages: Mutex<HashMap<u16, KnownReference>>,
}

struct KnownReference {
    reference: String,
    digits: String,
    /// Its receipts name the message. Those of one of several parts do not while the answers are on their way.
    whole: bool,
}

impl References {
    pub fn new() -> Self {
        Self {
            // After a restart, receipts of older messages come too.
            next: AtomicU16::new(rand::random()),
            messages: Mutex::default(),
        }
    }

    /// Notes a message before it is handed over and gives the number of its first part.
    pub fn begin(&self, message: &Outbound) -> u16 {
        let count = u16::try_from(message.parts.len()).unwrap_or(u16::MAX);
        let first = self.next.fetch_add(count, Ordering::Relaxed);
        self.note(message, first, Some(count == 1));
        first
    }

    /// Forgets a message of which enough is known.
    pub fn end(&self, message: &Outbound, first: u16, handed: &Handed) {
        let is_unknown = matches!(handed, Handed::Unknown { .. });
        self.note(message, first, is_unknown.then_some(true));
    }

    /// Keeps a message under the numbers of its parts. `None`: forgets it.
    fn note(&self, message: &Outbound, first: u16, whole: Option<bool>) {
        let mut messages = self.messages.lock();
        for (_, place) in message.parts.iter().zip(0..) {
            let number = first.wrapping_add(place);
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
        let messages = self.messages.lock();
        let entry = messages.get(&number)?;
        let found = entry.whole && digits.contains(&&*entry.digits);
        found.then(|| entry.reference.clone())
    }
}
