//! What came through the links of a form, counted anew.

use sea_orm::FromQueryResult;
use uuid::Uuid;

use super::Drift;
use crate::collect::LinkCounts;
use crate::form::FormKey;
use crate::tx::{Sql, Statement, statement, values};
use crate::{Result, Store};

/// The links whose counts differ, with what is pending as counts of links. One statement, so one snapshot: what is rolled up and
/// what is pending are together what is stored.
macro_rules! differing {
    ($pending:literal) => {
        concat!(
            "SELECT link_id, CAST(sum(stored_views) AS bigint) AS stored_views, CAST(sum(views) AS bigint) AS views,
                    CAST(sum(stored_responses) AS bigint) AS stored_responses, CAST(sum(responses) AS bigint) AS responses
               FROM (SELECT link_id, views - sealed_views AS stored_views, responses - sealed_responses AS stored_responses,
                            0 AS views, 0 AS responses
                       FROM link_rollup WHERE account_id = $1 AND form_id = $2
                      UNION ALL ", $pending, " UNION ALL
                     SELECT link_id, 0, 0, count(*), 0 FROM visit_view
                      WHERE account_id = $1 AND form_id = $2 GROUP BY link_id
                      UNION ALL
                     SELECT link_id, 0, 0, 0, count(*) FROM feedback
                      WHERE account_id = $1 AND form_id = $2 GROUP BY link_id) c
              GROUP BY link_id
             HAVING sum(stored_views) <> sum(views) OR sum(stored_responses) <> sum(responses) ORDER BY link_id"
        )
    };
}
const DIFFERING: &Statement = statement!(
    postgres: differing!(
        "SELECT CAST(k.key AS uuid), CAST(k.value ->> 0 AS bigint), CAST(k.value ->> 1 AS bigint), 0, 0
           FROM pending_delta p CROSS JOIN LATERAL json_each(CAST(p.link_counts AS json)) k
          WHERE p.account_id = $1 AND p.form_id = $2"
    );
    sqlite: differing!(
        "SELECT unhex(k.key, '-'), k.value ->> 0, k.value ->> 1, 0, 0
           FROM pending_delta p CROSS JOIN json_each(p.link_counts) k WHERE p.account_id = $1 AND p.form_id = $2"
    )
);

/// A link, with stored and recomputed views, and responses likewise.
#[derive(FromQueryResult)]
struct DriftedLink {
    link_id: Uuid,
    stored_views: i64,
    views: i64,
    stored_responses: i64,
    responses: i64,
}

impl Store {
    /// The links of a form of which not as much came as their counts say.
    pub async fn check_links(&self, form: FormKey) -> Result<Vec<Drift>> {
        let links: Vec<DriftedLink> = self.fetch_all(DIFFERING, values![form]).await?;
        let drifts = links.into_iter().flat_map(|link| {
            let drift = |counter, found| Drift::new("link", link.link_id, counter, found);
            [
                drift("views", (link.stored_views, link.views)),
                drift("responses", (link.stored_responses, link.responses)),
            ]
        });
        let drifts = drifts.filter(|drift| drift.stored != drift.recomputed);
        Ok(drifts.collect())
    }

    /// Makes the counts of a form's links what counting gives. Whether anything changed.
    ///
    /// # Errors
    /// Doing it again is safe.
    pub async fn rebuild_links(&self, form: FormKey) -> Result<bool> {
        let mut tx = self.begin().await?;
        // Nobody rolls up meanwhile. What is answered meanwhile is pending, and is seen with its effect or not at all.
        tx.lock_form(form).await?;
        let mut missing = LinkCounts::default();
        let links: Vec<DriftedLink> = tx.fetch_all(DIFFERING, values![form]).await?;
        for link in links {
            let views = link.views - link.stored_views;
            let responses = link.responses - link.stored_responses;
            missing.add(link.link_id, views, responses);
        }
        if missing.len() == 0 {
            tx.rollback().await?;
            return Ok(false);
        }
        tx.add_to_links(form, &missing).await?;
        tx.commit_surely().await?;
        Ok(true)
    }
}
