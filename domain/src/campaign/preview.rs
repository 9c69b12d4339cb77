//! What a campaign would do if it started now.

use std::collections::BTreeMap;

use serde::Serialize;

use super::message::SkipReason;
use crate::sms::Encoding;

/// What a campaign would do now.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Preview {
    /// The sum of `eligible` and all that is skipped.
    pub recipients: u64,
    pub eligible: u64,
    /// By reason.
    pub skipped: BTreeMap<SkipReason, u64>,
    /// Messages by how many parts they have.
    pub parts: BTreeMap<usize, u64>,
    pub encodings: Encodings,
    /// Messages by the country of their phone.
    pub countries: BTreeMap<String, u64>,
    pub samples: Vec<Sample>,
    /// The audience is larger than what was judged.
    pub partial: bool,
}

/// Messages by how they are encoded.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Encodings {
    pub gsm7: u64,
    pub ucs2: u64,
}

/// A message as it would be; its link is not one yet.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sample {
    pub docid: String,
    pub text: String,
    pub parts: usize,
    pub encoding: Encoding,
}
