//! Keys, what they may do and how often; and whose the pages behind links are.

mod authentication;
mod branding;
mod rate_limit;
