//! When messages are due: once the window of their recipient is open, in the recipient's time zone or the account's.

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use domain::campaign::CampaignContent;
use domain::sms;
use uuid::Uuid;

use super::CampaignKey;
use super::drive::DueKey;
use crate::tx::{BatchStatement, Parsed, Sql, Statement, batch_row, statement, values};
use crate::{Error, Result, Tx};

batch_row! {
    /// A message that is due at a moment.
    pub(super) struct NewDue {
        key: DueKey,
        sender: String,
        /// Of a reminder.
        link_id: Option<Uuid>,
    }
}

pub(super) const MAKE_DUE: &BatchStatement<NewDue> = statement!(NewDue:
    "INSERT INTO message_due ({columns}) SELECT {columns} FROM batch"
);

const TIME_ZONE: &Statement = statement!("SELECT time_zone FROM account WHERE account_id = $1");

/// What follows from a campaign for its messages.
pub(super) struct Planning<'a> {
    key: CampaignKey,
    content: &'a CampaignContent,
    account_zone: Tz,
    /// Messages are scheduled from this moment on.
    pub(super) from: DateTime<Utc>,
}

impl Planning<'_> {
    /// The row of a message that is due once the window of its recipient is open.
    pub(super) fn due(&self, message_id: Uuid, time_zone: Option<&str>, phone: &str) -> NewDue {
        let zones = sms::zones_for(time_zone, phone, self.account_zone);
        let slot = zones.slot(self.content.send_window.as_ref(), self.from);
        let key = DueKey {
            campaign: self.key,
            due_at: slot.opens_at,
            message_id,
        };
        NewDue {
            key,
            sender: self.content.sender.clone(),
            link_id: None,
        }
    }
}

impl Tx {
    /// When messages of a campaign are due that are planned now.
    pub(super) async fn planning<'a>(
        &self,
        key: CampaignKey,
        content: &'a CampaignContent,
    ) -> Result<Planning<'a>> {
        let account_zone = self.account_zone(key.account_id).await?;
        let from = self.now().await? + TimeDelta::minutes(content.delay_minutes.into());
        Ok(Planning {
            key,
            content,
            account_zone,
            from: content.starts_at.map_or(from, |starts| starts.max(from)),
        })
    }

    /// The time zone of the account of a campaign.
    pub(super) async fn account_zone(&self, account_id: Uuid) -> Result<Tz> {
        let zone = self.fetch_value(TIME_ZONE, values![account_id]).await?;
        let Parsed(zone) = zone.ok_or_else(|| Error::broken("a campaign without an account"))?;
        Ok(zone)
    }
}
