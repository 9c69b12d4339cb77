//! Links with which people sign in, once.

use api_http::{Code, Problem};
use chrono::TimeDelta;
use store::Store;
use store::account::{Person, hash_secret, random_text};

/// Signing in with one, as the audit log names it.
pub const BY_LINK: &str = "sign-in.link";

/// What somebody does with a link to sign in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkPurpose {
    SignIn,
    /// They choose a new password first.
    ChoosePassword,
}

impl LinkPurpose {
    fn life(self) -> TimeDelta {
        match self {
            Self::SignIn => TimeDelta::hours(1),
            Self::ChoosePassword => TimeDelta::hours(24),
        }
    }
}

/// The path of a link with which a person signs in, once, within an hour, or within a day if they choose a password; `None`: the
/// person is gone.
///
/// # Errors
/// The database is unavailable.
pub async fn sign_in_path(
    store: &Store,
    person: &Person,
    purpose: LinkPurpose,
) -> Result<Option<String>, store::Error> {
    let secret = random_text();
    let sets_password = purpose == LinkPurpose::ChoosePassword;
    let hash = hash_secret(&secret);
    let made = store.create_sign_in_link(person, hash, sets_password, purpose.life());
    Ok(made.await?.then(|| link_path(&secret)))
}

/// The path of the link with this secret.
pub fn link_path(secret: &str) -> String {
    format!("/dashboard/sign-in/{secret}")
}

/// What the page of a link says that does not work, or no longer.
pub fn used_up() -> Problem {
    Problem::new(
        Code::LinkGone,
        "a sign-in link works once and not for long; `feedback user link NAME` makes a new one, and `feedback serve` prints one as long as nobody has signed in",
    )
}
