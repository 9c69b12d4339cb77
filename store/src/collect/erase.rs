//! The erasure of a feedback: out of every report. Its visit stays, so that a repeat is still answered and counts nothing.

use chrono::NaiveDate;
use domain::answer::Answers;
use domain::rollup::Delta;
use uuid::Uuid;

use super::pending::PendingDeltas;
use crate::form::FormKey;
use crate::tx::{Sql, values};
use crate::{Error, Result, Store};

impl Store {
    /// Erases a feedback. The form whose reports it leaves with the next roll-up; `None`: the account has no such feedback.
    pub async fn erase_feedback(
        &self,
        account_id: Uuid,
        feedback_id: Uuid,
    ) -> Result<Option<Uuid>> {
        self.retry(|| async move {
            let Some(form_id) = self.form_of_feedback(account_id, feedback_id).await? else {
                return Ok(None);
            };
            let mut tx = self.begin().await?;
            let erased =
                "DELETE FROM feedback WHERE account_id = $1 AND form_id = $2 AND feedback_id = $3
         RETURNING link_id, day, bus_prop_ids, answers";
            let erased: Option<(Uuid, NaiveDate, String, String)> = tx
                .one(erased, values![account_id, form_id, feedback_id])
                .await?;
            let Some((link_id, day, bus_prop_ids, answers)) = erased else {
                return Ok(None);
            };
            let answers = serde_json::from_str(&answers).map_err(Error::broken)?;
            let key = FormKey::new(account_id, form_id);
            // Read after the answers, so that it has all that they may name.
            let content = tx.form_content(key).await?;
            let answers = Answers::from_stored(&content, answers).map_err(Error::broken)?;
            let taken_back = Delta::answer(&content, &answers).negated();
            let mut deltas = PendingDeltas::default();
            deltas.add(key, link_id, day, &bus_prop_ids, &taken_back);
            tx.append_pending(deltas).await?;
            let found = self.form_of_feedback(account_id, feedback_id);
            tx.commit_or_ask(async { Ok(found.await?.is_none()) })
                .await?;
            Ok(Some(form_id))
        })
        .await
    }

    /// The form that a feedback answers; `None`: the account has no such feedback.
    ///
    /// A look-up by key for each form of the account: accounts have few forms, and erasing is rare, so that answers
    /// are spared an index.
    pub async fn form_of_feedback(
        &self,
        account_id: Uuid,
        feedback_id: Uuid,
    ) -> Result<Option<Uuid>> {
        let query = "SELECT form_id FROM (
                SELECT (SELECT b.form_id FROM feedback b
                         WHERE b.account_id = f.account_id AND b.form_id = f.form_id AND b.feedback_id = $2) AS form_id
                  FROM form f WHERE f.account_id = $1) found
          WHERE form_id IS NOT NULL";
        self.one(query, values![account_id, feedback_id]).await
    }
}
