//! What came through links: pending as one of the columns of a pending delta, rolled up in `link_rollup`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::form::FormKey;
use crate::tx::{BatchStatement, batch_row, statement};
use crate::{Result, Tx};

/// Views and responses by link, or what changes of them. In JSON an object of `[views, responses]` by link.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct LinkCounts(BTreeMap<Uuid, (i64, i64)>);

batch_row! {
    /// What is added to a link's row.
    struct LinkRollup {
        form: FormKey,
        link_id: Uuid,
        views: i64,
        responses: i64,
    }
}

const ADD: &BatchStatement<LinkRollup> = statement!(LinkRollup:
    "INSERT INTO link_rollup AS r ({columns}) SELECT {columns} FROM batch WHERE true
         ON CONFLICT (account_id, form_id, link_id)
         DO UPDATE SET views = r.views + excluded.views, responses = r.responses + excluded.responses"
);

const ADD_SEALED: &BatchStatement<LinkRollup> = statement!(LinkRollup:
    "INSERT INTO link_rollup AS r (account_id, form_id, link_id, views, responses, sealed_views, sealed_responses)
     SELECT account_id, form_id, link_id, 0, 0, views, responses FROM batch WHERE true
         ON CONFLICT (account_id, form_id, link_id)
         DO UPDATE SET sealed_views = r.sealed_views + excluded.sealed_views,
                       sealed_responses = r.sealed_responses + excluded.sealed_responses"
);

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

    fn rows(&self, form: FormKey) -> Vec<LinkRollup> {
        let rows = self.0.iter();
        let rows = rows.map(|(link_id, (views, responses))| LinkRollup {
            form,
            link_id: *link_id,
            views: *views,
            responses: *responses,
        });
        rows.collect()
    }
}

impl Tx {
    /// Adds to what is rolled up. The form is this transaction's.
    pub(crate) async fn add_to_links(&mut self, form: FormKey, links: &LinkCounts) -> Result<()> {
        self.execute_batch(ADD, links.rows(form)).await
    }

    /// Notes that so many rows are gone which are sealed. The last locks that a transaction takes.
    pub(crate) async fn add_sealed_to_links(
        &self,
        form: FormKey,
        links: &LinkCounts,
    ) -> Result<()> {
        self.execute_batch(ADD_SEALED, links.rows(form)).await
    }
}
