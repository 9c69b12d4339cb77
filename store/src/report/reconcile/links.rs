//! What came through the links of a form, counted anew.

use uuid::Uuid;

use super::Drift;
use crate::collect::LinkCounts;
use crate::form::FormKey;
use crate::tx::{Sql, values};
use crate::{Result, Store};

/// What is pending, as counts of links.
const PENDING_POSTGRES: &str =
    "SELECT CAST(k.key AS uuid), CAST(k.value ->> 0 AS bigint), CAST(k.value ->> 1 AS bigint), 0, 0
       FROM pending_delta p CROSS JOIN LATERAL json_each(CAST(p.link_counts AS json)) k
      WHERE p.account_id = $1 AND p.form_id = $2";
const PENDING_SQLITE: &str = "SELECT unhex(k.key, '-'), k.value ->> 0, k.value ->> 1, 0, 0
       FROM pending_delta p CROSS JOIN json_each(p.link_counts) k WHERE p.account_id = $1 AND p.form_id = $2";

/// The links whose counts differ. One statement, so one snapshot: what is rolled up and what is pending are together what is stored.
async fn differing(database: &impl Sql, form: FormKey) -> Result<Vec<LinkRow>> {
    let pending = database.dialect(PENDING_POSTGRES, PENDING_SQLITE);
    let links = format!(
        "SELECT link_id, CAST(sum(had_views) AS bigint) AS had_views, CAST(sum(views) AS bigint) AS views,
                CAST(sum(had_responses) AS bigint) AS had_responses, CAST(sum(responses) AS bigint) AS responses
           FROM (SELECT link_id, views AS had_views, responses AS had_responses, 0 AS views, 0 AS responses
                   FROM link_rollup WHERE account_id = $1 AND form_id = $2
                  UNION ALL {pending} UNION ALL
                 SELECT link_id, 0, 0, count(*), 0 FROM visit_view
                  WHERE account_id = $1 AND form_id = $2 GROUP BY link_id
                  UNION ALL
                 SELECT link_id, 0, 0, 0, count(*) FROM feedback
                  WHERE account_id = $1 AND form_id = $2 GROUP BY link_id) c
          GROUP BY link_id
         HAVING sum(had_views) <> sum(views) OR sum(had_responses) <> sum(responses) ORDER BY link_id"
    );
    database.all(links, values![form]).await
}

/// A link, with stored and recomputed views, and responses likewise.
type LinkRow = (Uuid, i64, i64, i64, i64);

impl Store {
    /// The links of a form of which not as much came as their counts say.
    pub async fn check_links(&self, form: FormKey) -> Result<Vec<Drift>> {
        let counted = differing(self, form).await?.into_iter();
        let drifts = counted.flat_map(|(id, had_views, views, had, responses)| {
            let drift = |counter, found| Drift::new("link", id, counter, found);
            [
                drift("views", (had_views, views)),
                drift("responses", (had, responses)),
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
        for (link_id, had_views, views, had_responses, responses) in differing(&tx, form).await? {
            missing.add(link_id, views - had_views, responses - had_responses);
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
