//! What comes through the links of messages: the first view and the first answer of each.

use chrono::{DateTime, Utc};
use domain::campaign::{Count, MessageKind};
use uuid::Uuid;

use super::CampaignKey;
use super::tally::Changes;
use crate::tx::{get, parsed, values};
use crate::{Error, Tx};

const VIEWED: &str = "WITH g(a, m, t) AS (ROWS) UPDATE message AS m SET viewed_at = g.t
       FROM g WHERE m.account_id = g.a AND m.message_id = g.m AND m.viewed_at IS NULL
     RETURNING account_id, campaign_id, kind";

const ANSWERED: &str = "WITH g(a, m, t) AS (ROWS) UPDATE message AS m SET answered_at = g.t, viewed_at = coalesce(m.viewed_at, g.t)
       FROM g WHERE m.account_id = g.a AND m.message_id = g.m AND m.answered_at IS NULL
     RETURNING account_id, campaign_id, kind";

/// Links of messages, by account and id, each with the moment at which something came through it.
pub(crate) type FirstUses = std::collections::BTreeMap<(Uuid, Uuid), DateTime<Utc>>;

impl Tx {
    /// Notes in the messages of these links that they were viewed, and answered. The last thing before the counts of what
    /// came: messages are locked after visits and views, in the order of their keys.
    pub(crate) async fn note_uses(
        &self,
        viewed: &FirstUses,
        answered: &FirstUses,
    ) -> Result<(), Error> {
        if viewed.is_empty() && answered.is_empty() {
            return Ok(());
        }
        let mut changes = Changes::default();
        let mut all = viewed.clone();
        all.extend(answered.iter().map(|(key, at)| (*key, *at)));
        for (uses, count, statement) in [
            (&all, Count::Viewed, VIEWED),
            (answered, Count::Answered, ANSWERED),
        ] {
            let rows = uses
                .iter()
                .map(|((account, link), at)| values![*account, *link, *at]);
            for row in self.for_rows(statement, rows.collect()).await? {
                let key = CampaignKey::new(get(&row, "account_id")?, get(&row, "campaign_id")?);
                let kind: MessageKind = parsed(&row, "kind")?;
                changes.of(key, kind).add(count, 1);
            }
        }
        self.append_counts(changes).await
    }
}
