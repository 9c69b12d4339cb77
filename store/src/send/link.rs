//! What comes through the links of messages: the first view and the first answer of each.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use domain::campaign::{Count, MessageKind, MessageStatus};
use domain::rollup::DayCounts;
use uuid::Uuid;

use super::CampaignKey;
use super::tally::Changes;
use crate::collect::{NewView, PendingDeltas};
use crate::tx::{get, parsed, values};
use crate::{Result, Tx};

/// Notes the first of what `NOTED` has the moment of.
const NOTE: &str = "WITH g(a, m, t) AS (ROWS) UPDATE message AS m SET NOTED = g.t
       FROM g WHERE m.account_id = g.a AND m.message_id = g.m AND m.NOTED IS NULL
     RETURNING account_id, message_id, campaign_id, kind, status, accepted_day";

/// The first thing that came through each of the links of messages, by account and id.
pub(crate) type FirstUses<'a> = BTreeMap<(Uuid, Uuid), &'a NewView>;

impl Tx {
    /// Notes in the messages of these links that they were viewed and, where `answered`, answered, and appends the counts of what came. The last
    /// thing before the commit: messages are locked after visits and views, in the order of their keys.
    pub(crate) async fn note_uses(
        &self,
        uses: &FirstUses<'_>,
        answered: bool,
        deltas: PendingDeltas,
    ) -> Result<()> {
        let mut changes = Changes {
            reported: deltas,
            ..Changes::default()
        };
        let notes = [
            (Count::Viewed, "viewed_at"),
            (Count::Answered, "answered_at"),
        ];
        for (count, noted) in notes.into_iter().take(1 + usize::from(answered)) {
            let rows = uses
                .iter()
                .map(|((account, link), first)| values![*account, *link, first.at]);
            let note = NOTE.replace("NOTED", noted);
            for row in self.for_rows(&note, rows.collect()).await? {
                let account_id = get(&row, "account_id")?;
                let key = CampaignKey::new(account_id, get(&row, "campaign_id")?);
                let kind: MessageKind = parsed(&row, "kind")?;
                changes.of(key, kind).add(count, 1);
                let accepted_day: Option<NaiveDate> = get(&row, "accepted_day")?;
                if let Some(first) = uses.get(&(account_id, get(&row, "message_id")?))
                    && count == Count::Answered
                    && let Some(day) = accepted_day
                {
                    let status: MessageStatus = parsed(&row, "status")?;
                    let is_delivered = status == MessageStatus::Delivered;
                    let before = DayCounts::message(is_delivered, false);
                    let more = DayCounts::message(is_delivered, true) + -before;
                    let (form, ids) = (first.form(), &first.bus_prop_ids);
                    changes.reported.add_messages(form, day, ids, more);
                }
            }
        }
        self.append_counts(changes).await
    }
}
