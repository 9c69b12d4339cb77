//! What makes the pages behind an account's links its own.

entity! { "branding";
    key {
        account_id: Uuid,
    }
    name: Option<String>,
    /// A `data:` URL.
    logo: Option<String>,
    /// As `#rrggbb`.
    color: Option<String>,
    /// The code of a language.
    language: Option<String>,
}
