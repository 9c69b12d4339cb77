//! What is public.

mod answers;
mod bad_input;
mod browser;
mod limits;
mod strangers;
mod stuffing;
mod texts;
mod views;
