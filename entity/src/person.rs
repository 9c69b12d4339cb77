//! People who sign in to the dashboard. A password's hash is a PHC string of argon2id.

entity! { "person";
    key {
        account_id: Uuid,
        /// Unique among all accounts.
        name: String,
    }
    /// As `domain::person::Role` writes it.
    role: String,
    /// Empty: they have not chosen a password yet.
    password_hash: String,
    created_at: DateTimeUtc,
    /// Somebody else set the password, so they choose another before anything else.
    must_change_password: bool,
    /// Stands for the secret of their second factor, which `domain::pepper` makes of it. Null: they have none.
    second_factor: Option<String>,
    /// The step of time of the last code that was taken: none is taken twice.
    second_factor_step: i64,
    /// The SHA-256 of each that is left, with blanks between.
    recovery_codes: String,
    /// Of the OpenID Connect provider that signs them in, issuer and subject with a blank between. Null: they have a password.
    identity: Option<String>,
}
