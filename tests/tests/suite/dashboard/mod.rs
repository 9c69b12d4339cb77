//! People, what their roles let them do, and the pages that they see.

mod browser;
mod budgets;
mod campaign_previews;
mod demo;
mod door;
mod downloads;
mod editors;
mod failures;
mod figures;
mod form_editor;
mod links;
mod oidc;
mod pages;
mod people;
mod refused;
mod second_factor;
mod senders;
mod share;
mod spreadsheets;
mod stores;
mod uploads;
mod written;
