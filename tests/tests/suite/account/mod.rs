//! Keys, what they may do and how often; what the audit log has; and whose the pages behind links are.

mod access;
mod audit;
mod audit_rows;
mod authentication;
mod branding;
mod ending;
mod no_phones;
mod rate_limit;
mod retention;
mod settings;
