//! What a campaign would do if it started now.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::columns::Columns;
use super::message::SkipReason;
use super::unknown::UnknownBusProps;
use crate::price::Money;
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
    /// What the messages cost; `None` of a sender without a price.
    pub cost: Option<Money>,
    pub bus_props_unknown: UnknownBusProps,
    /// Of the texts, what recipients lack.
    pub fields_missing: Vec<MissingField>,
    pub samples: Vec<Sample>,
    /// The audience is larger than what was judged.
    pub partial: bool,
    /// When the first message could go: at the start of the campaign, or once the hours of a recipient begin. For pages.
    #[serde(skip)]
    pub first_at: Option<DateTime<Utc>>,
    /// Of the eligible, those whom another campaign wrote to in the last 7 days. For pages.
    #[serde(skip)]
    pub contacted_lately: u64,
    /// For pages.
    #[serde(skip)]
    pub columns: Columns,
}

/// A tracking field of a text that recipients lack, or have without a visible character.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MissingField {
    pub name: String,
    pub recipients: u64,
    /// A tracking field that recipients have, and whose name is nearly the same.
    pub similar: Option<String>,
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
