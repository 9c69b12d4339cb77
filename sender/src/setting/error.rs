//! What is wrong with a setting. Nothing here holds a piece of a URL, which has secrets.

use std::io;

/// Why `FEEDBACK_SENDERS` cannot be used, in one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    #[error("the file cannot be read: {0}")]
    File(io::ErrorKind),
    /// The position of an entry whose name cannot be shown, because it may be none.
    #[error("entry {0} is not NAME=URL with a name of 1 to 40 characters of a-z, 0-9 and -")]
    Entry(usize),
    #[error("sender {0} comes more than once")]
    Twice(String),
    #[error("sender {name}: {fault}")]
    Sender { name: String, fault: Fault },
}

/// What is wrong with one sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Of a parameter of the query.
    #[error("`{0}` {1}")]
    Parameter(&'static str, &'static str),
    /// Of something else in the URL.
    #[error("its URL {0}")]
    Url(&'static str),
}

impl Fault {
    pub(crate) const NO_URL: Self = Self::Url("cannot be read");
}
