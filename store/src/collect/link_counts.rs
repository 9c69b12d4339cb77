//! What came through links: pending as one of the columns of a pending delta, rolled up in `link_rollup`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::form::FormKey;
use crate::tx::values;
use crate::{Result, Tx};

/// Views and responses by link, or what changes of them. In JSON an object of `[views, responses]` by link.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct LinkCounts(BTreeMap<Uuid, (i64, i64)>);

const ADD: &str = "WITH g(a, f, l, v, r) AS (ROWS)
    INSERT INTO link_rollup AS r (account_id, form_id, link_id, views, responses) SELECT * FROM g WHERE true
        ON CONFLICT (account_id, form_id, link_id)
        DO UPDATE SET views = r.views + excluded.views, responses = r.responses + excluded.responses";

impl LinkCounts {
    pub(crate) fn add(&mut self, link_id: Uuid, views: i64, responses: i64) {
        let known = self.0.entry(link_id).or_default();
        known.0 += views;
        known.1 += responses;
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for (link_id, (views, responses)) in &other.0 {
            self.add(*link_id, *views, *responses);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

impl Tx {
    /// Adds to what is rolled up. The form is this transaction's.
    pub(crate) async fn add_to_links(&mut self, form: FormKey, links: &LinkCounts) -> Result<()> {
        let links = links.0.iter();
        let rows = links.map(|(link, (views, responses))| values![form, *link, *views, *responses]);
        self.for_rows(ADD, rows.collect()).await.map(drop)
    }
}
