//! What is public.

mod answers;
mod bad_input;
mod browser;
mod limits;
mod stuffing;
mod texts;
