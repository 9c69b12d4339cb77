//! When messages are due: once the window of their recipient is open, in the recipient's time zone or the account's. And by whom: the
//! first of the senders that their campaign names for the country of the phone.

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use domain::campaign::{ANY_COUNTRY, CampaignContent};
use domain::sms;
use sea_orm::FromQueryResult;
use uuid::Uuid;

use super::drive::DueKey;
use super::{Campaign, CampaignKey, MessageKey};
use crate::tx::{BatchStatement, Parsed, Sql, Statement, batch_row, statement, values};
use crate::{Error, Result, Tx};

batch_row! {
    /// A message that is due at a moment.
    pub(super) struct NewDue {
        key: DueKey,
        sender: String,
        sender_list: Option<String>,
        /// Of a reminder.
        link_id: Option<Uuid>,
    }
}

pub(super) const MAKE_DUE: &BatchStatement<NewDue> = statement!(NewDue:
    "INSERT INTO message_due ({columns}) SELECT {columns} FROM batch"
);

/// What waits goes to another sender. A reminder keeps its link.
pub(super) const GO_TO: &BatchStatement<NewDue> = statement!(NewDue:
    "UPDATE message_due AS d SET sender = batch.sender, sender_list = batch.sender_list
       FROM batch WHERE d.account_id = batch.account_id AND d.campaign_id = batch.campaign_id AND d.due_at = batch.due_at
        AND d.message_id = batch.message_id"
);

batch_row! {
    #[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
    pub(super) struct Carrier {
        message: MessageKey,
        sender: String,
    }
}

pub(super) const CARRIED_BY: &BatchStatement<Carrier> = statement!(Carrier:
    "UPDATE message AS m SET sender = batch.sender
       FROM batch WHERE m.account_id = batch.account_id AND m.message_id = batch.message_id"
);

/// The list of a message whose sender stays: it may have been sent by that one, or is a test.
pub(super) const OWN_SENDER: &str = "";
/// The list of a message that waits for the first sender of its own, because another one does not serve its phone.
pub(super) const NO_OTHER: &str = "-";

/// Which senders the messages of a campaign have.
#[derive(Clone, Copy)]
pub(super) struct Routes<'a> {
    pub(super) content: &'a CampaignContent,
    /// Its messages have senders of their own.
    pub(super) names_several: bool,
}

/// The sender of a message, and the list that has it.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult)]
pub(super) struct Route {
    pub(super) sender: String,
    pub(super) sender_list: Option<String>,
}

impl<'a> Routes<'a> {
    pub(super) fn of(campaign: &'a Campaign) -> Self {
        Self {
            content: &campaign.content,
            names_several: campaign.names_several,
        }
    }

    /// How a message to a phone goes: by the first sender of its list. Where none is for its country, whoever is to send it finds out.
    pub(super) fn to(&self, phone: &str) -> Route {
        let choice = &self.content.sender;
        let (key, sender) = match choice.of(phone) {
            Some((key, list)) => (key, list.names().first().map(String::as_str)),
            None => (ANY_COUNTRY, None),
        };
        Route {
            sender: sender.unwrap_or_else(|| choice.first()).to_owned(),
            sender_list: self.names_several.then(|| key.to_owned()),
        }
    }

    /// The same by a sender that the list may have at another place.
    pub(super) fn keeping(&self, phone: &str, sender: Option<&str>) -> Route {
        let list = self.content.sender.of(phone);
        let mut names = list.iter().flat_map(|(_, list)| list.names());
        let kept = names.find(|name| Some(name.as_str()) == sender).cloned();
        let first = self.to(phone);
        Route {
            sender: kept.unwrap_or(first.sender),
            ..first
        }
    }
}

impl Route {
    /// The sender that the message notes as its own.
    pub(super) fn own(&self) -> Option<String> {
        self.sender_list.as_ref().map(|_| self.sender.clone())
    }

    pub(super) fn due(self, key: DueKey) -> NewDue {
        NewDue {
            key,
            sender: self.sender,
            sender_list: self.sender_list,
            link_id: None,
        }
    }
}

const TIME_ZONE: &Statement = statement!("SELECT time_zone FROM account WHERE account_id = $1");

/// What follows from a campaign for its messages.
pub(super) struct Planning<'a> {
    key: CampaignKey,
    routes: Routes<'a>,
    account_zone: Tz,
    /// Messages are scheduled from this moment on.
    pub(super) from: DateTime<Utc>,
}

impl Planning<'_> {
    /// The row of a message that is due once the window of its recipient is open.
    pub(super) fn due(&self, message_id: Uuid, time_zone: Option<&str>, phone: &str) -> NewDue {
        let zones = sms::zones_for(time_zone, phone, self.account_zone);
        let window = self.routes.content.send_window.as_ref();
        let slot = zones.slot(window, self.from);
        let key = DueKey {
            campaign: self.key,
            due_at: slot.opens_at,
            message_id,
        };
        self.routes.to(phone).due(key)
    }

    /// The sender that a message to a phone notes as its own.
    pub(super) fn carrier(&self, phone: &str) -> Option<String> {
        let is_own = self.routes.names_several;
        is_own.then(|| self.routes.to(phone).sender)
    }
}

impl Tx {
    /// When messages of a campaign are due that are planned now.
    pub(super) async fn planning<'a>(
        &self,
        key: CampaignKey,
        routes: Routes<'a>,
    ) -> Result<Planning<'a>> {
        let content = routes.content;
        let account_zone = self.account_zone(key.account_id).await?;
        let from = self.now().await? + TimeDelta::minutes(content.delay_minutes.into());
        Ok(Planning {
            key,
            routes,
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
