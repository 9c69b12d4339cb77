//! What comes through the links of messages: the first view and the first answer of each.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use domain::campaign::{Count, MessageKind, MessageStatus};
use domain::rollup::DayCounts;
use uuid::Uuid;

use super::CampaignKey;
use super::tally::Changes;
use crate::collect::PendingDeltas;
use crate::form::FormKey;
use crate::tx::{get, parsed, values};
use crate::{Error, Tx};

const VIEWED: &str = "WITH g(a, m, t) AS (ROWS) UPDATE message AS m SET viewed_at = g.t
       FROM g WHERE m.account_id = g.a AND m.message_id = g.m AND m.viewed_at IS NULL
     RETURNING account_id, message_id, campaign_id, kind, status, accepted_day";

const ANSWERED: &str = "WITH g(a, m, t) AS (ROWS) UPDATE message AS m SET answered_at = g.t, viewed_at = coalesce(m.viewed_at, g.t)
       FROM g WHERE m.account_id = g.a AND m.message_id = g.m AND m.answered_at IS NULL
     RETURNING account_id, message_id, campaign_id, kind, status, accepted_day";

/// The first thing that came through a message's link.
#[derive(Clone, Debug)]
pub(crate) struct FirstUse {
    pub at: DateTime<Utc>,
    /// The link's form and business properties.
    pub form: FormKey,
    pub bus_prop_ids: String,
}

/// Links of messages, by account and id.
pub(crate) type FirstUses = BTreeMap<(Uuid, Uuid), FirstUse>;

impl Tx {
    /// Notes in the messages of these links that they were viewed, and answered, and appends the counts of what came. The last
    /// thing before the commit: messages are locked after visits and views, in the order of their keys.
    pub(crate) async fn note_uses(
        &self,
        viewed: &FirstUses,
        answered: &FirstUses,
        deltas: PendingDeltas,
    ) -> Result<(), Error> {
        let mut changes = Changes {
            reported: deltas,
            ..Changes::default()
        };
        let mut all = viewed.clone();
        all.extend(answered.clone());
        for (uses, count, statement) in [
            (&all, Count::Viewed, VIEWED),
            (answered, Count::Answered, ANSWERED),
        ] {
            let rows = uses
                .iter()
                .map(|((account, link), first)| values![*account, *link, first.at]);
            for row in self.for_rows(statement, rows.collect()).await? {
                let account_id = get(&row, "account_id")?;
                let key = CampaignKey::new(account_id, get(&row, "campaign_id")?);
                let kind: MessageKind = parsed(&row, "kind")?;
                changes.of(key, kind).add(count, 1);
                let accepted_day: Option<NaiveDate> = get(&row, "accepted_day")?;
                if let Some(first) = answered.get(&(account_id, get(&row, "message_id")?))
                    && count == Count::Answered
                    && let Some(day) = accepted_day
                {
                    let status: MessageStatus = parsed(&row, "status")?;
                    let is_delivered = status == MessageStatus::Delivered;
                    let before = DayCounts::message(is_delivered, false);
                    let more = DayCounts::message(is_delivered, true) + -before;
                    let (form, ids) = (first.form, &first.bus_prop_ids);
                    changes.reported.add_messages(form, day, ids, more);
                }
            }
        }
        self.append_counts(changes).await
    }
}
