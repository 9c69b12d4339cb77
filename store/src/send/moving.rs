//! What waits, after a running campaign was changed: it gets the place that it would have if it were planned now.

use chrono::{DateTime, TimeDelta, Utc};
use domain::campaign::{CampaignContent, Count, MessageKind, MessageStatus};
use domain::sms;
use entity::campaign;
use sea_orm::FromQueryResult;
use uuid::Uuid;

use super::drive::{CHANGE_DUE, DELETE_DUE, DueChange, DueKey};
use super::due::{CARRIED_BY, Carrier, GO_TO, OWN_SENDER, Route, Routes};
use super::end::CANCEL;
use super::tally::Changes;
use super::{Campaign, CampaignKey, MessageKey};
use crate::tx::{BatchStatement, Parsed, Sql, Statement, batch_row, statement, values};
use crate::{Error, Result, Tx};

/// Those that are handed over stay where they are.
const WAITING: &Statement = statement!(
    "SELECT d.account_id, d.campaign_id, d.due_at, d.message_id, d.failures, d.sender, d.sender_list, m.kind, m.scheduled_at, r.phone,
            r.fields ->> 'time_zone' AS time_zone
       FROM message_due d
       JOIN message m ON m.account_id = d.account_id AND m.message_id = d.message_id
       LEFT JOIN recipient r ON r.account_id = m.account_id AND r.docid = m.docid
      WHERE d.account_id = $1 AND d.campaign_id = $2 AND (d.due_at, d.message_id) > ($3, $4) AND d.fence = 0 AND d.phone IS NULL
      ORDER BY d.due_at, d.message_id LIMIT $5"
);

#[derive(FromQueryResult)]
struct WaitingMessage {
    #[sea_orm(nested)]
    key: DueKey,
    failures: i64,
    #[sea_orm(nested)]
    route: Route,
    kind: Parsed<MessageKind>,
    scheduled_at: DateTime<Utc>,
    phone: Option<String>,
    time_zone: Option<String>,
}

batch_row! {
    struct NewTime {
        message: MessageKey,
        scheduled_at: DateTime<Utc>,
    }
}

const RESCHEDULE: &BatchStatement<NewTime> = statement!(NewTime:
    "UPDATE message AS m SET scheduled_at = batch.scheduled_at
       FROM batch WHERE m.account_id = batch.account_id AND m.message_id = batch.message_id"
);

/// A place among what waits: nothing up to it is moved.
type Place = (DateTime<Utc>, Uuid);

fn read_place(place: &str) -> Result<Place> {
    serde_json::from_str(place).map_err(Error::broken)
}

fn write_place(place: Place) -> Result<String> {
    serde_json::to_string(&place).map_err(Error::broken)
}

/// From where on what waits is moved, by another content: what is overdue goes to another sender, but has no other time. What was still
/// to be moved by an earlier change is.
pub(super) fn moves_from(
    before: &CampaignContent,
    after: &CampaignContent,
    now: DateTime<Utc>,
    moved_to: Option<String>,
) -> Result<Option<String>> {
    let days = |content: &CampaignContent| content.reminder.as_ref().map(|one| one.after_days);
    let from = if before.sender != after.sender {
        DateTime::UNIX_EPOCH
    } else if before.send_window != after.send_window || days(before) != days(after) {
        now
    } else {
        return Ok(moved_to);
    };
    let mut place = (from, Uuid::nil());
    if let Some(moved_to) = moved_to {
        place = place.min(read_place(&moved_to)?);
    }
    write_place(place).map(Some)
}

/// When a reminder is due by the content, if that is not when it was. Its id has the moment at which it was planned.
fn reminder_time(content: &CampaignContent, message: &WaitingMessage) -> Option<DateTime<Utc>> {
    let days = content.reminder.as_ref()?.after_days;
    let (seconds, nanos) = message.key.message().message_id.get_timestamp()?.to_unix();
    let planned_at = DateTime::from_timestamp(i64::try_from(seconds).ok()?, nanos)?;
    let wanted = planned_at + TimeDelta::days(days.into());
    let is_same_day = (wanted - message.scheduled_at).abs() < TimeDelta::hours(12);
    (!is_same_day).then_some(wanted)
}

impl Tx {
    /// Moves the next messages of a campaign, whose row this transaction holds, so that nobody claims them meanwhile. How many
    /// were looked at; 0: all have their place.
    pub(super) async fn move_waiting(
        &self,
        row: &mut campaign::Model,
        campaign: &Campaign,
        limit: u64,
    ) -> Result<u64> {
        let key = CampaignKey::new(row.account_id, row.campaign_id);
        let content = &campaign.content;
        let place_before = row.moved_to.as_deref().unwrap_or_default();
        let (due_at, message_id) = read_place(place_before)?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let waiting = values![key, due_at, message_id, limit];
        let waiting: Vec<WaitingMessage> = self.fetch_all(WAITING, waiting).await?;
        let looked_at = waiting.len() as u64;
        row.moved_to = match waiting.last() {
            Some(last) => Some(write_place((
                last.key.due_at,
                last.key.message().message_id,
            ))?),
            None => None,
        };
        let account_zone = self.account_zone(key.account_id).await?;
        let now = self.now().await?;
        let mut changes = Changes::default();
        let (mut moved, mut times, mut withdrawn) = (vec![], vec![], vec![]);
        let routes = Routes::of(campaign);
        let (mut rerouted, mut carriers) = (vec![], vec![]);
        for message in waiting {
            let kind = message.kind.0;
            let is_reminder = kind == MessageKind::Reminder;
            if is_reminder && content.reminder.is_none() {
                let cancelled = Count::Status(MessageStatus::Cancelled);
                changes.moved((key, kind), MessageStatus::Scheduled, cancelled);
                withdrawn.push(message.key);
                continue;
            }
            let new_time = is_reminder
                .then(|| reminder_time(content, &message))
                .flatten();
            times.extend(new_time.map(|scheduled_at| NewTime {
                message: message.key.message(),
                scheduled_at,
            }));
            let from = new_time.unwrap_or(message.scheduled_at).max(now);
            let phone = message.phone.as_deref().unwrap_or_default();
            let route = routes.to(phone);
            let stays = message.route.sender_list.as_deref() == Some(OWN_SENDER);
            if !stays && route != message.route {
                carriers.push(Carrier {
                    message: message.key.message(),
                    sender: route.sender.clone(),
                });
                rerouted.push(route.due(message.key));
            }
            let zones = sms::zones_for(message.time_zone.as_deref(), phone, account_zone);
            let window = content.send_window.as_ref();
            let next_due_at = zones.slot(window, from).opens_at;
            // What is overdue and may be sent now keeps its turn.
            if next_due_at != message.key.due_at && next_due_at.max(message.key.due_at) > now {
                moved.push(DueChange {
                    key: message.key,
                    fence: 0,
                    next_due_at,
                    failures: message.failures,
                    echo: None,
                    sender: None,
                    sender_list: None,
                    charge: None,
                });
            }
        }
        self.execute_batch(GO_TO, rerouted).await?;
        self.execute_batch(CARRIED_BY, carriers).await?;
        self.execute_batch(CHANGE_DUE, moved).await?;
        self.execute_batch(RESCHEDULE, times).await?;
        let messages = withdrawn.iter().map(|due| due.message()).collect();
        self.execute_batch(DELETE_DUE, withdrawn).await?;
        self.execute_batch(CANCEL, messages).await?;
        self.append_counts(changes).await?;
        Ok(looked_at)
    }
}
