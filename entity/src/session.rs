//! Who is signed in, and links with which somebody can sign in once. Only the SHA-256 of what the browser or the link has
//! is kept. A changed password or role ends the sessions of its person.

entity! { "session";
    key {
        account_id: Uuid,
        /// A SHA-256.
        hash: Vec<u8>,
    }
    /// Of the person.
    name: String,
    /// A link to sign in with, which works once.
    is_link: bool,
    expires_at: DateTimeUtc,
    /// A link with which its person chooses a new password.
    sets_password: bool,
    /// When its person last did something, within a minute. Null: not known.
    last_seen_at: Option<DateTimeUtc>,
    /// From which somebody signed in, in a few words. Empty: not known.
    browser: String,
    /// The network that they signed in from. Empty: not known.
    address: String,
}
