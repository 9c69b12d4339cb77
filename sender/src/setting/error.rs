//! What is wrong with a setting. Nothing here holds a piece of a URL, which has secrets.

use std::fmt;
use std::io;

/// Why `FEEDBACK_SENDERS` cannot be used, in one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    #[error("the file cannot be read: {0}")]
    File(io::ErrorKind),
    /// The position of an entry whose name cannot be shown, because it may be none.
    #[error("entry {0} is not NAME=URL with a name of 1 to 40 characters of a-z, 0-9 and -")]
    Entry(usize),
    #[error("sender {name} comes more than once")]
    Twice { name: String },
    #[error("sender {name}: {fault}")]
    Sender { name: String, fault: Fault },
}

/// What is wrong with one sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    parameter: Option<&'static str>,
    what: &'static str,
}

impl Fault {
    pub(crate) const NO_URL: Self = Self::url("cannot be read");

    /// Of a parameter of the query.
    pub(crate) const fn of(parameter: &'static str, what: &'static str) -> Self {
        Self {
            parameter: Some(parameter),
            what,
        }
    }

    /// Of something else in the URL.
    pub(crate) const fn url(what: &'static str) -> Self {
        Self {
            parameter: None,
            what,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.parameter {
            Some(parameter) => write!(f, "`{parameter}` {}", self.what),
            None => write!(f, "its URL {}", self.what),
        }
    }
}
