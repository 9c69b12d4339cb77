//! The erasure of a feedback: out of every report. Its visit stays, so that a repeat is still answered and counts nothing.

use chrono::NaiveDate;
use domain::answer::Answers;
use domain::rollup::Delta;
use sea_orm::FromQueryResult;
use uuid::Uuid;

use super::pending::PendingDeltas;
use crate::form::FormKey;
use crate::tx::{JsonText, Sql, Statement, statement, values};
use crate::{Error, Result, Store};

const ERASE: &Statement = statement!(
    "DELETE FROM feedback WHERE account_id = $1 AND form_id = $2 AND feedback_id = $3
     RETURNING link_id, day, bus_prop_ids, answers"
);
const FORM_OF_FEEDBACK: &Statement = statement!(
    "SELECT form_id FROM (
            SELECT (SELECT b.form_id FROM feedback b
                     WHERE b.account_id = f.account_id AND b.form_id = f.form_id AND b.feedback_id = $2) AS form_id
              FROM form f WHERE f.account_id = $1) found
      WHERE form_id IS NOT NULL"
);

#[derive(FromQueryResult)]
struct ErasedFeedback {
    link_id: Uuid,
    day: NaiveDate,
    bus_prop_ids: String,
    answers: JsonText<serde_json::Value>,
}

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
            let key = values![account_id, form_id, feedback_id];
            let erased: Option<ErasedFeedback> = tx.fetch_one(ERASE, key).await?;
            let Some(erased) = erased else {
                return Ok(None);
            };
            let key = FormKey::new(account_id, form_id);
            // Read after the answers, so that it has all that they may name.
            let content = tx.form_content(key).await?;
            let answers =
                Answers::from_stored(&content, erased.answers.0).map_err(Error::broken)?;
            let taken_back = Delta::answer(&content, &answers).negated();
            let mut deltas = PendingDeltas::default();
            let (link_id, bus_prop_ids) = (erased.link_id, &erased.bus_prop_ids);
            deltas.add(key, link_id, erased.day, bus_prop_ids, &taken_back);
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
        let key = values![account_id, feedback_id];
        self.fetch_value(FORM_OF_FEEDBACK, key).await
    }
}
