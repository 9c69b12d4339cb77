//! What a database that was set back must not do by itself: send again what went out since, or let in who signed out since.

use sea_orm::FromQueryResult;
use uuid::Uuid;

use crate::tx::{Sql, Statement, statement, values};
use crate::{Result, Store};

const PAUSE: &Statement = statement!(
    "UPDATE campaign SET status = 'PAUSED', revision = revision + 1, updated_at = $1 WHERE status = 'RUNNING'
     RETURNING account_id, campaign_id"
);
/// They stay as replies that were given, so that none follows that day.
const DROP_REPLIES: &Statement = statement!(
    "UPDATE reply SET sender = NULL, phone = NULL, text = NULL WHERE sender IS NOT NULL"
);

/// Some were ended since, and links to sign in with were used.
const END_SESSIONS: &Statement = statement!("DELETE FROM session");

#[derive(FromQueryResult)]
struct Paused {
    account_id: Uuid,
    campaign_id: Uuid,
}

impl Store {
    /// Pauses every running campaign, as the command line, drops the replies that wait, and ends all sessions and sign-in links. Returns
    /// how many campaigns were running.
    pub async fn hold_what_was_under_way(&self) -> Result<usize> {
        let tx = self.begin().await?;
        let paused: Vec<Paused> = tx.fetch_all(PAUSE, values![tx.now().await?]).await?;
        tx.execute(DROP_REPLIES, vec![]).await?;
        tx.execute(END_SESSIONS, vec![]).await?;
        tx.commit_surely().await?;
        for campaign in &paused {
            let campaign_id = campaign.campaign_id.to_string();
            let what = ("campaign.pause", campaign_id.as_str());
            self.note_done(campaign.account_id, ("", ""), what, 200)
                .await?;
        }
        Ok(paused.len())
    }
}
