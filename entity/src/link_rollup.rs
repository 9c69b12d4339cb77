//! What came through a link: views on all days, and responses that were not erased. A link without either has no row.

entity! { "link_rollup";
    key {
        account_id: Uuid,
        form_id: Uuid,
        link_id: Uuid,
    }
    views: i64,
    responses: i64,
    /// Of both those that are sealed and whose rows are gone.
    sealed_views: i64,
    sealed_responses: i64,
}
