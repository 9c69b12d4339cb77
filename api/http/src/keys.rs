//! Whether a secret belongs to a key, which works still and there.
//!
//! Keys that were found are remembered for a moment, so that a busy caller does not ask the database each time; a
//! revocation takes hold within that moment and the time of one query. Keys that were not found are never
//! remembered, and a secret that does not fit what is remembered is looked up anew: new keys and rotated secrets
//! work at once.
//!
//! An attacker behind the same address does not lock a customer out. What comes from an address that failed too often is
//! looked up as long as not too much of that is under way. A pair of key and secret that was good within the last hour is
//! looked up in any case: whoever guesses the secret of a key makes this instance forget the key with each failure.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use futures::FutureExt;
use moka::future::Cache;
use sha2::{Digest, Sha256};
use store::Store;
use store::account::KeyRecord;
use subtle::{Choice, ConstantTimeEq};

use crate::address::{FailureLimiter, GoodLately};
use crate::{Code, Network, Problem, Result, within};

/// How long a key that was found is fresh. With [`LOOKUP`] it stays below the 5 s in which a revocation holds.
const MAX_AGE: Duration = Duration::from_millis(2_500);
/// How long a lookup may take.
const LOOKUP: Duration = Duration::from_millis(1_800);
/// The most keys that are remembered.
const REMEMBERED: u64 = 10_000;
/// No key is longer, in bytes.
const MAX_KEY_BYTES: usize = 128;

/// How long after its last success a pair is looked up whatever its address did.
const WAS_GOOD: Duration = Duration::from_hours(1);

/// How a key is used: with the secret of a hash, from an address.
#[derive(Clone, Copy)]
pub struct Used {
    pub secret: [u8; 32],
    pub address: IpAddr,
}

/// The keys used lately. Cheap to clone.
#[derive(Clone)]
pub struct Keys {
    records: Cache<String, Arc<KeyRecord>>,
    /// Pairs of key and secret.
    good: GoodLately,
}

impl Default for Keys {
    fn default() -> Self {
        Self {
            records: Cache::builder()
                .max_capacity(REMEMBERED)
                .time_to_live(MAX_AGE)
                .build(),
            good: GoodLately::new(WAS_GOOD),
        }
    }
}

impl Keys {
    /// The key, if it may be used so.
    ///
    /// # Errors
    /// 401; 429 for an address that failed too often; 503 when the database does not answer.
    pub async fn verify(
        &self,
        store: &Store,
        failures: &FailureLimiter,
        (key, used): (&str, &Used),
    ) -> Result<Arc<KeyRecord>> {
        if let Some(Some(record)) = self.records.get(key).now_or_never()
            && fits(&record, used)
        {
            return Ok(record);
        }
        // Boxed, because most requests do not need it.
        Box::pin(async {
            // The secret's hash has a fixed length, so no two pairs run together.
            let pair = Sha256::new_with_prefix(used.secret).chain_update(key);
            let pair: [u8; 32] = pair.finalize().into();
            let was_good = self.good.contains(&pair);
            let network = Network::around(used.address);
            let _permit = failures.lookup_permit(network, was_good)?;
            let found = self.look_up(store, key, used).await?;
            self.good.note(pair, found.is_some());
            if let Some(record) = found {
                return Ok(record);
            }
            failures.take(network)?;
            Err(Problem::unauthenticated())
        })
        .await
    }

    /// As it is in the database, or was less than [`MAX_AGE`] ago. Many who ask for the same key at once make one query.
    pub async fn look_up(
        &self,
        store: &Store,
        key: &str,
        used: &Used,
    ) -> Result<Option<Arc<KeyRecord>>> {
        // What was remembered is looked up once more, not for as long as others do the same.
        for _ in 0..2 {
            let lookup = async {
                if key.is_empty() || key.len() > MAX_KEY_BYTES {
                    return Err(Problem::not_found());
                }
                let record = within(LOOKUP, store.find_key(key)).await?;
                record.map(Arc::new).ok_or_else(Problem::not_found)
            };
            let entry = self.records.entry_by_ref(key).or_try_insert_with(lookup);
            let entry = match entry.await {
                Ok(entry) => entry,
                Err(problem) if problem.code() == Code::NotFound => {
                    // Takes as long as a known key with a wrong secret.
                    let _ = used.secret.ct_eq(&[0; 32]);
                    return Ok(None);
                }
                Err(problem) => return Err(Problem::clone(&problem)),
            };
            let remembered = !entry.is_fresh();
            let record = entry.into_value();
            if fits(&record, used) {
                return Ok(Some(record));
            }
            if !remembered {
                return Ok(None);
            }
            self.records.invalidate(key).await;
        }
        Ok(None)
    }
}

/// Compares with every secret in constant time. Reads the clock only for what expires.
fn fits(record: &KeyRecord, used: &Used) -> bool {
    let lives = |end: Option<DateTime<Utc>>| end.is_none_or(|end| end > Utc::now());
    let fits = record.secrets.iter().fold(Choice::from(0), |fits, secret| {
        let live = Choice::from(u8::from(lives(secret.expires_at)));
        fits | (used.secret.ct_eq(&secret.hash) & live)
    });
    let networks = &record.networks;
    let is_within = networks.is_empty() || networks.contains(used.address);
    bool::from(fits) & is_within & lives(record.expires_at)
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use domain::networks::Networks;
    use domain::scope::Scopes;
    use store::account::{SecretHash, hash_secret as hash};
    use uuid::Uuid;

    use super::*;

    fn record(secrets: &[(&str, Option<DateTime<Utc>>)]) -> KeyRecord {
        KeyRecord {
            account_id: Uuid::nil(),
            account_name: "one".to_owned(),
            api_key: "k".to_owned(),
            time_zone: "UTC".parse().unwrap(),
            scopes: Scopes::ALL,
            expires_at: None,
            networks: Networks::default(),
            secrets: secrets
                .iter()
                .map(|(secret, expires_at)| SecretHash {
                    hash: hash(secret),
                    expires_at: *expires_at,
                })
                .collect(),
        }
    }

    #[test]
    fn any_live_secret_fits_and_no_other() {
        let now = Utc::now();
        let key = record(&[
            ("new", None),
            ("old", Some(now + TimeDelta::hours(1))),
            ("gone", Some(now - TimeDelta::seconds(1))),
        ]);
        let fits = |secret| fits(&key, &used(secret, "192.0.2.1"));
        assert!(fits("new") && fits("old"));
        assert!(!fits("gone") && !fits("other") && !fits(""));
    }

    fn used(secret: &str, address: &str) -> Used {
        Used {
            secret: hash(secret),
            address: address.parse().unwrap(),
        }
    }

    #[test]
    fn a_key_fits_until_its_end_and_within_its_networks() {
        let now = Utc::now();
        let mut key = record(&[("new", None)]);
        key.networks = "192.0.2.0/24,2001:db8:1:2::7".parse().unwrap();
        assert!(fits(&key, &used("new", "192.0.2.1")));
        assert!(fits(&key, &used("new", "2001:db8:1:2::7")));
        for address in ["192.0.3.1", "2001:db8:1:2::8"] {
            assert!(!fits(&key, &used("new", address)), "{address}");
        }
        key.expires_at = Some(now + TimeDelta::hours(1));
        assert!(fits(&key, &used("new", "192.0.2.1")));
        key.expires_at = Some(now - TimeDelta::seconds(1));
        assert!(!fits(&key, &used("new", "192.0.2.1")));
    }
}
