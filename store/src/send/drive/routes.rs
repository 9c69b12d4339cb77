//! Which due messages the driver's own sender takes: a campaign may name others by now, or the phone is of another country.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use domain::campaign::{CampaignContent, SkipReason};
use domain::sms::Country;
use sea_orm::FromQueryResult;
use uuid::Uuid;

use super::claims::Candidate;
use super::{CHANGE_DUE, DueChange, DueKey, LockedCampaign, StepTx};
use crate::Result;
use crate::send::due::{CARRIED_BY, Carrier, GO_TO, NO_OTHER, OWN_SENDER, Route, Routes};
use crate::send::{CampaignKey, MessageKey};
use crate::tx::{BatchStatement, statement};

/// A message that is due again.
pub(super) struct Again {
    pub(super) key: DueKey,
    pub(super) until: DateTime<Utc>,
    pub(super) failures: i64,
    /// No other sender takes it.
    pub(super) stays: bool,
}

const PHONES: &BatchStatement<MessageKey> = statement!(MessageKey:
    "SELECT m.message_id, r.phone FROM batch
       JOIN message m ON m.account_id = batch.account_id AND m.message_id = batch.message_id
       JOIN recipient r ON r.account_id = m.account_id AND r.docid = m.docid
      WHERE m.kind <> 'test' AND r.phone IS NOT NULL"
);

#[derive(FromQueryResult)]
struct PhoneOfMessage {
    message_id: Uuid,
    phone: String,
}

impl LockedCampaign {
    pub(super) fn routes(&self) -> Routes<'_> {
        Routes {
            content: &self.content.0,
            names_several: self.names_several,
        }
    }
}

impl<'a> StepTx<'a> {
    /// Gives those that the sender takes. Others go to the first of their list: those of another one than the list that they came here
    /// by, and those whose list does not have it.
    pub(super) fn follow_routes(
        &mut self,
        campaign: &LockedCampaign,
        candidates: Vec<Candidate>,
    ) -> Vec<Candidate> {
        if !campaign.names_several {
            return candidates;
        }
        let name = self.driver.lease.name.as_str();
        let (mut own, routes) = (Vec::with_capacity(candidates.len()), campaign.routes());
        for candidate in candidates {
            let phone = candidate.due.phone.as_deref().unwrap_or_default();
            let first = routes.to(phone);
            let list = routes.content.sender.of(phone);
            let mut names = list.iter().flat_map(|(_, list)| list.names());
            let is_of_list = candidate.sender_list == first.sender_list
                || candidate.sender_list.as_deref() == Some(NO_OTHER);
            let is_named = is_of_list && names.any(|one| one == name);
            if candidate.stays() || is_named || first.sender == name {
                own.push(candidate);
            } else {
                self.give(candidate.key, first);
            }
        }
        own
    }

    /// Lets messages be due again. Their campaign may have got other senders while they were handed over, so that they were left out
    /// when what waits was moved.
    pub(super) async fn put_off_by_routes(
        &mut self,
        again: Vec<Again>,
        campaigns: &BTreeMap<CampaignKey, LockedCampaign>,
    ) -> Result<()> {
        let of_several = |again: &Again| {
            let campaign = campaigns.get(&again.key.campaign());
            campaign.filter(|campaign| campaign.names_several && !again.stays)
        };
        let to_route = again.iter().filter(|again| of_several(again).is_some());
        let to_route: Vec<MessageKey> = to_route.map(|again| again.key.message()).collect();
        let mut phones: HashMap<Uuid, String> = HashMap::new();
        if !to_route.is_empty() {
            let found: Vec<PhoneOfMessage> = self.tx.fetch_batch(PHONES, to_route).await?;
            phones.extend(found.into_iter().map(|row| (row.message_id, row.phone)));
        }
        let name = self.driver.lease.name.as_str();
        for again in again {
            let message = again.key.message();
            let phone = phones.get(&message.message_id);
            let route = match of_several(&again).zip(phone) {
                Some((campaign, phone)) => Some(campaign.routes().keeping(phone, Some(name))),
                None => again.stays.then(|| Route {
                    sender: name.to_owned(),
                    sender_list: Some(OWN_SENDER.to_owned()),
                }),
            };
            if let Some(route) = route.as_ref().filter(|route| route.sender != name) {
                let sender = route.sender.clone();
                self.writes.add(CARRIED_BY, Carrier { message, sender });
            }
            self.put_off(again.key, again.until, again.failures, route);
        }
        Ok(())
    }

    /// Lets a message be due again, after so many failures, by another route if there is one.
    pub(super) fn put_off(
        &mut self,
        key: DueKey,
        until: DateTime<Utc>,
        failures: i64,
        route: Option<Route>,
    ) {
        let (sender, sender_list) = route.map_or((None, None), |route| {
            (Some(route.sender), route.sender_list)
        });
        let row = DueChange {
            key,
            fence: 0,
            next_due_at: until,
            failures,
            echo: None,
            sender,
            sender_list,
            charge: None,
        };
        self.writes.add(CHANGE_DUE, row);
    }

    /// Skips a message for good, unless it came here because the first of its list is away, and only this sender does not serve its
    /// phone: then it goes back, and waits.
    pub(super) fn skip_here(
        &mut self,
        campaign: &LockedCampaign,
        candidate: &Candidate,
        reason: SkipReason,
    ) {
        let phone = candidate.due.phone.as_deref().unwrap_or_default();
        let route = campaign.routes().to(phone);
        let is_of_sender = matches!(
            reason,
            SkipReason::CountryNotAllowed | SkipReason::NumberType
        );
        if !is_of_sender || candidate.stays() || route.sender == self.driver.lease.name {
            return self.skip(candidate, reason);
        }
        self.give(
            candidate.key,
            Route {
                sender_list: Some(NO_OTHER.to_owned()),
                ..route
            },
        );
    }

    /// Gives a message to another sender.
    fn give(&mut self, key: DueKey, route: Route) {
        let carrier = Carrier {
            message: key.message(),
            sender: route.sender.clone(),
        };
        self.writes.add(CARRIED_BY, carrier);
        self.writes.add(GO_TO, route.due(key));
    }

    /// The countries to which the sender may take a message of a campaign; `None`: all.
    pub(super) fn served(&self, content: &CampaignContent, phone: &str) -> Option<&'a [Country]> {
        match content.sender.of(phone) {
            Some(_) => self.driver.countries,
            None => Some(&[]),
        }
    }
}
