//! The link with which the first admin of a new service signs in. It is known to the process alone that printed it: nobody is stored
//! before they have chosen a name and a password, and the next start prints another. `feedback api` prints none: several of it run, and
//! none would know the link of another.

use chrono::{DateTime, TimeDelta, Utc};
use store::account::{hash_secret, random_text};
use tokio::sync::Mutex;
use uuid::Uuid;

use crate::sign_in_link::link_path;

/// How long the link works.
const LIFE: TimeDelta = TimeDelta::hours(24);

/// The link of the first admin of an account.
pub struct FirstAdmin {
    pub(crate) account_id: Uuid,
    pub(crate) account_name: String,
    hash: [u8; 32],
    until: DateTime<Utc>,
    /// Whether somebody used it. One at a time may try.
    pub(crate) is_used: Mutex<bool>,
}

impl FirstAdmin {
    /// A link for the first admin of an account that has no people, and its path.
    pub fn new(account_id: Uuid, account_name: String) -> (Self, String) {
        let secret = random_text();
        let link = Self {
            account_id,
            account_name,
            hash: hash_secret(&secret),
            until: Utc::now() + LIFE,
            is_used: Mutex::default(),
        };
        (link, link_path(&secret))
    }

    /// Whether it is the link of this token, and has not expired.
    pub fn opens(&self, token: &str) -> bool {
        self.hash == hash_secret(token) && Utc::now() < self.until
    }
}
