//! Why messages of a campaign did not arrive: by status, by the provider's code and by the country of the phone.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use domain::campaign::{Count, MessageSet, MessageStatus};
use sea_orm::FromQueryResult;
use serde::Serialize;
use tokio::task::yield_now;

use super::CampaignKey;
use super::message::{MessageFilter, NONE, country, is_wanted};
use super::resend::MAY_BE_RESENT;
use crate::retention::Sealed;
use crate::tx::{Parsed, Sql, Statement, statement, values};
use crate::{Result, Store};

/// So many messages that did not arrive are told apart, the newest …
const MOST: i64 = 20_000;
/// … among so many of the campaign: no index has the status, so that an update of it stays in its page. Of a campaign of a million
/// messages these take 0.1 s, all of them 1.3 s (PostgreSQL 15 on 2 cores, from memory).
const LOOKED_AT: i64 = 100_000;
/// The messages whose countries are looked up at once.
const SLICE: usize = 1_000;

/// Those of [`MAY_BE_RESENT`].
const LOST: &Statement = statement!(
    "SELECT lost.status, lost.code, (
            SELECT r.phone FROM recipient r WHERE r.account_id = $1 AND r.docid = lost.docid) AS phone
       FROM (SELECT newest.status, newest.code, newest.docid
               FROM (SELECT message_id, kind, status, code, docid FROM message
                      WHERE account_id = $1 AND campaign_id = $2 ORDER BY message_id DESC LIMIT $4) AS newest
              WHERE newest.kind <> 'test' AND newest.status IN ('unknown', 'failed', 'undelivered', 'expired')
              ORDER BY newest.message_id DESC LIMIT $3) AS lost"
);

#[derive(FromQueryResult)]
struct LostRow {
    status: Parsed<MessageStatus>,
    code: Option<String>,
    phone: Option<String>,
}

/// Messages of a campaign that did not arrive for the same reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// One of [`MAY_BE_RESENT`].
    pub status: MessageStatus,
    /// The provider's; `None`: it gave none.
    pub code: Option<String>,
    /// The ISO code of the country of the phone that the recipient has now; `None`: it is not known, such as of a person who was erased.
    pub country: Option<String>,
    pub messages: i64,
}

/// Why messages of a campaign did not arrive.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Failures {
    /// Most messages first.
    pub items: Vec<Failure>,
    /// There are more messages than were told apart.
    pub partial: bool,
    /// The campaign's messages are kept no longer, so that none are told apart.
    pub sealed: bool,
}

impl Failure {
    /// Whether its messages are in the list of a filter.
    pub fn is_in(&self, filter: &MessageFilter) -> bool {
        filter.set == MessageSet::Counted(Count::Status(self.status))
            && is_wanted(&filter.code, self.code.as_deref())
            && is_wanted(&filter.country, self.country.as_deref())
    }
}

/// Reasons, and how many messages each has.
#[derive(Default)]
struct Reasons(BTreeMap<(MessageStatus, Option<String>, Option<String>), i64>);

impl Reasons {
    fn add(&mut self, row: &LostRow) {
        // A code that is nothing but this says nothing.
        let code = row.code.clone().filter(|code| code != NONE);
        let reason = (row.status.0, code, country(row.phone.as_deref()));
        *self.0.entry(reason).or_default() += 1;
    }

    /// Most messages first, then by status, code and country.
    fn failures(self) -> Vec<Failure> {
        let reasons = self.0.into_iter();
        let failure = |((status, code, country), messages)| Failure {
            status,
            code,
            country,
            messages,
        };
        let mut failures: Vec<Failure> = reasons.map(failure).collect();
        failures.sort_by_key(|failure| Reverse(failure.messages));
        failures
    }
}

impl Store {
    /// Why messages of a campaign did not arrive, tests excepted: of the newest 20,000 that did not, among its newest 100,000.
    pub async fn campaign_failures(&self, key: CampaignKey) -> Result<Failures> {
        let tx = self.snapshot().await?;
        let counts = tx.counts(key).await?;
        let kinds = [&counts.first, &counts.reminder].into_iter();
        let lost = kinds.flat_map(|counts| MAY_BE_RESENT.map(|status| counts.status(status)));
        let all: i64 = lost.sum();
        if all == 0 {
            return Ok(Failures::default());
        }
        if tx.is_campaign_sealed(key).await? {
            return Ok(Failures {
                items: Vec::new(),
                partial: true,
                sealed: true,
            });
        }
        // Nothing is looked for any more once all are found.
        let values = values![key, all.min(MOST), LOOKED_AT];
        let rows: Vec<LostRow> = tx.fetch_all(LOST, values).await?;
        drop(tx);
        let mut reasons = Reasons::default();
        for slice in rows.chunks(SLICE) {
            for row in slice {
                reasons.add(row);
            }
            yield_now().await;
        }
        Ok(Failures {
            items: reasons.failures(),
            partial: (rows.len() as u64) < all.unsigned_abs(),
            sealed: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(status: MessageStatus, code: Option<&str>, phone: Option<&str>) -> LostRow {
        LostRow {
            status: Parsed(status),
            code: code.map(str::to_owned),
            phone: phone.map(str::to_owned),
        }
    }

    #[test]
    fn messages_are_told_apart_by_status_code_and_country() {
        use MessageStatus::{Failed, Undelivered};
        let (german, french) = (Some("+4915112345678"), Some("+33612345678"));
        let mut reasons = Reasons::default();
        for row in [
            row(Failed, None, german),
            row(Undelivered, Some("30003"), german),
            row(Undelivered, Some("30003"), Some("+4915112345679")),
            row(Undelivered, Some("30003"), french),
            row(Undelivered, Some(NONE), french),
            row(Undelivered, None, None),
            row(Undelivered, None, Some("+888123456")),
        ] {
            reasons.add(&row);
        }
        let failures = reasons.failures();
        let told = failures.iter().map(|failure| {
            let (code, country) = (failure.code.as_deref(), failure.country.as_deref());
            (failure.status, code, country, failure.messages)
        });
        let expected = [
            (Undelivered, None, None, 2),
            (Undelivered, Some("30003"), Some("DE"), 2),
            (Undelivered, None, Some("FR"), 1),
            (Undelivered, Some("30003"), Some("FR"), 1),
            (Failed, None, Some("DE"), 1),
        ];
        assert_eq!(told.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_filter_has_the_messages_of_its_reason() {
        let failure = Failure {
            status: MessageStatus::Expired,
            code: None,
            country: Some("DE".to_owned()),
            messages: 1,
        };
        let is_in = |set: &str, code: &str, country: &str| {
            failure.is_in(&MessageFilter {
                campaign_id: None,
                kind: None,
                set: set.parse().unwrap(),
                code: code.to_owned(),
                country: country.to_owned(),
                days: None,
            })
        };
        assert!(is_in("expired", "", "") && is_in("expired", NONE, "DE"));
        assert!(!is_in("failed", NONE, "DE") && !is_in("expired", NONE, NONE));
        assert!(!is_in("expired", "30003", "DE"));
    }
}
