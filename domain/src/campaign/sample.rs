//! Which recipients a campaign asks that does not ask all.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;

const ALL: u32 = 1_000_000;

/// The share of recipients that a campaign asks. In JSON a number from 0 to 1, of which six decimals count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct SampleShare {
    millionths: u32,
}

impl SampleShare {
    /// Whether a campaign asks the recipient of a docid: always the same answer. Of another campaign it is independent.
    pub fn has(self, campaign_id: Uuid, docid: &str) -> bool {
        let hash = Sha256::new()
            .chain_update(campaign_id.as_bytes())
            .chain_update(docid)
            .finalize();
        let [a, b, c, d, ..] = hash[..] else {
            return false;
        };
        let random = u64::from(u32::from_be_bytes([a, b, c, d]));
        (random * u64::from(ALL)) >> u32::BITS < u64::from(self.millionths)
    }
}

impl TryFrom<f64> for SampleShare {
    type Error = &'static str;

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 0 to a million"
    )]
    fn try_from(share: f64) -> Result<Self, &'static str> {
        if !(0.0..=1.0).contains(&share) {
            return Err("is not from 0 to 1");
        }
        let millionths = (share * f64::from(ALL)).round() as u32;
        Ok(Self { millionths })
    }
}

impl From<SampleShare> for f64 {
    fn from(share: SampleShare) -> Self {
        Self::from(share.millionths) / Self::from(ALL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(share: f64) -> SampleShare {
        share.try_into().unwrap()
    }

    #[test]
    fn a_share_is_a_number_from_0_to_1_that_reads_back() {
        for text in ["0.0", "0.2", "0.333333", "1.0"] {
            let read: SampleShare = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), text);
        }
        for text in ["-0.1", "1.000001", "2", "\"0.2\"", "null"] {
            assert!(serde_json::from_str::<SampleShare>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_campaign_asks_about_its_share_and_always_the_same() {
        let [one, other] = [1, 2].map(Uuid::from_u128);
        let asked = |of: f64, campaign| {
            let docids = (0..10_000).map(|n| format!("D-{n}"));
            docids
                .filter(|docid| share(of).has(campaign, docid))
                .collect::<Vec<_>>()
        };
        assert_eq!(asked(0.0, one).len(), 0);
        assert_eq!(asked(1.0, one).len(), 10_000);
        let fifth = asked(0.2, one);
        assert!((1_850..2_150).contains(&fifth.len()), "{}", fifth.len());
        assert_eq!(fifth, asked(0.2, one));
        // Of two campaigns a twenty-fifth is asked by both.
        let both = asked(0.2, other);
        let both = both.iter().filter(|docid| fifth.contains(docid)).count();
        assert!((300..500).contains(&both), "{both}");
        // A larger share has the smaller one.
        let half = asked(0.5, one);
        assert!(fifth.iter().all(|docid| half.contains(docid)));
    }
}
