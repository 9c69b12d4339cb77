//! What came through a link: views on all days, and responses that were not erased. A link without either has no row.

entity! { "link_rollup";
    key {
        account_id: Uuid,
        form_id: Uuid,
        link_id: Uuid,
    }
    views: i64,
    responses: i64,
}
