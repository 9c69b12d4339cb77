//! What an account said last of the columns of a file.

entity! { "import_choice";
    key {
        account_id: Uuid,
    }
    /// As `api_import::upload::Choice` writes it.
    choice: String,
}
