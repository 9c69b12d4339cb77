//! Contract §1: keys, what they may do and how often; and whose the pages behind links are (§9).

mod authentication;
mod branding;
mod rate_limit;
