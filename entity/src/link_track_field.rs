//! The links that have a tracking field, <name>=<value>.

entity! { "link_track_field";
    key {
        account_id: Uuid,
        form_id: Uuid,
        /// As `<name>=<value>`.
        track_field: String,
        link_id: Uuid,
    }
}
