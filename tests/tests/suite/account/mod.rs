//! Contract §1: keys and what they may do, and how often.

mod authentication;
mod rate_limit;
