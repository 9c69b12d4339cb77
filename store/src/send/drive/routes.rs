//! Which due messages the driver's own sender takes: a campaign may name others by now, or the phone is of another country.

use domain::campaign::{CampaignContent, SkipReason};
use domain::sms::Country;

use super::claims::Candidate;
use super::{DueKey, LockedCampaign, StepTx};
use crate::send::due::{CARRIED_BY, Carrier, GO_TO, NO_OTHER, Route, Routes};

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
