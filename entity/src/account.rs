//! A company that asks its customers.

entity! { "account";
    key {
        account_id: Uuid,
    }
    /// Stands for the account in the references that providers get, which have no room for an id.
    number: i32,
    name: String,
    /// An IANA name. Days are counted in it, so it changes only while nothing is counted.
    time_zone: String,
    created_at: DateTimeUtc,
    /// Whoever has no second factor sets one up before anything else.
    demands_second_factor: bool,
}
