//! What a campaign would do if it started now.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

use super::message::SkipReason;
use crate::sms::Encoding;

/// What a campaign would do now.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
#[schema(as = CampaignPreview)]
pub struct Preview {
    /// The sum of `eligible` and all that is skipped.
    pub recipients: u64,
    pub eligible: u64,
    /// By reason.
    #[schema(value_type = BTreeMap<String, u64>)]
    pub skipped: BTreeMap<SkipReason, u64>,
    /// Messages by how many parts they have.
    #[schema(value_type = BTreeMap<String, u64>, example = json!({"1": 950, "2": 50}))]
    pub parts: BTreeMap<usize, u64>,
    pub encodings: Encodings,
    /// Messages by the country of their phone.
    #[schema(example = json!({"DE": 1000}))]
    pub countries: BTreeMap<String, u64>,
    pub samples: Vec<Sample>,
    /// The audience is larger than what was judged.
    pub partial: bool,
}

/// Messages by how they are encoded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct Encodings {
    pub gsm7: u64,
    pub ucs2: u64,
}

/// A message as it would be; its link is not one yet.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = SampleMessage)]
pub struct Sample {
    pub docid: String,
    pub text: String,
    pub parts: usize,
    #[schema(value_type = String, example = "gsm7")]
    pub encoding: Encoding,
}
