//! The pages that people see who open a link: the form, what comes after it, and what is said instead of it.
//!
//! - `page`: a page with its placeholders, filled for one reader; the headers that keep it safe.
//! - `form`: the form, empty ([`prepare`], [`preview`]) or with all that was typed ([`form_again`]); `question` is one field of
//!   it, `wording` what a problem is called there.
//! - `message`: pages without questions. `qr`: a link as a QR code.
//!
//! The templates, styles and the script are in `api/collect/templates`, taken in at compile time. Style and script stand in the
//! page itself, so that a page is one request and nothing in it comes from elsewhere. All texts of a form and all that
//! was typed go through askama's HTML escaping.
//!
//! Their own words are in `api-language`; an account's name, logo and colour come with the link (`Frame`).
//!
//! What is *not* here: routes, statuses, and what an answer must be (in `domain`).

mod form;
mod message;
mod page;
mod qr;
mod question;
#[cfg(test)]
mod tests;
mod wording;

pub use self::form::{FormNotice, Reader, form_again, prepare, preview};
pub use self::message::{
    form_closed, gone, not_found, not_stopped, send_again, stopped, thanks, trouble,
};
pub use self::page::{Frame, HtmlPage, Prepared, logo};
pub use self::qr::{qr_code, qr_svg};
