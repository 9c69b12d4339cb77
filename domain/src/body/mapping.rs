//! Which columns of somebody's file are what, and what their phone numbers look like.

use crate::invalid::NotValid;
use crate::national::{DAMAGED, NO_DIGIT, has_no_digit, international, is_damaged};
use crate::sms::Country;

/// The column of a record with the caller's own id.
const DOCID: &str = "docid";
/// The column of a record with the phone.
const PHONE: &str = "phone";

/// What is asked for of the columns of a file or the members of a record. Names are the file's own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mapping {
    /// The column that is the docid, if that is not `docid`. It may be the phone too.
    pub docid_column: Option<String>,
    /// The column that is the phone, if that is not `phone`.
    pub phone_column: Option<String>,
    /// Columns that are no tracking fields.
    pub skip_columns: Vec<String>,
    /// Phones may be written as people of this country do.
    pub country: Option<Country>,
}

impl Mapping {
    /// Whether a file is read as if there were none.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether one column is both.
    pub fn is_one_column(&self) -> bool {
        self.docid_column.is_some() && self.docid_column == self.phone_column
    }

    /// The names that a record has for a column of the file: none if it is left out, two if it is both.
    pub(super) fn names<'a>(
        &'a self,
        column: &'a str,
        is_same: impl Fn(&str, &str) -> bool,
    ) -> impl Iterator<Item = &'a str> {
        let is =
            |chosen: &Option<String>, usual| is_same(column, chosen.as_deref().unwrap_or(usual));
        let docid = is(&self.docid_column, DOCID).then_some(DOCID);
        let phone = is(&self.phone_column, PHONE).then_some(PHONE);
        let is_field = docid.is_none()
            && phone.is_none()
            && !self
                .skip_columns
                .iter()
                .any(|skipped| is_same(column, skipped));
        let field = is_field.then_some(column);
        [docid, phone, field].into_iter().flatten()
    }

    /// The columns that a file needs: that of the docid, that of the phone.
    pub fn wanted(&self) -> [&str; 2] {
        [
            self.docid_column.as_deref().unwrap_or(DOCID),
            self.phone_column.as_deref().unwrap_or(PHONE),
        ]
    }

    /// The text of the member `name` as it is to be checked and stored, if it is another one. `is_of_a_spreadsheet`: one may
    /// have made a number of a docid.
    ///
    /// # Errors
    /// Why it cannot be valid.
    pub(super) fn value(
        &self,
        name: &str,
        text: &str,
        is_of_a_spreadsheet: bool,
    ) -> Result<Option<String>, NotValid> {
        let is_both = name == DOCID && self.is_one_column();
        let is_phone = name == PHONE || is_both;
        let value = match self.country {
            Some(country) if is_phone && !text.is_empty() => international(text, country).map(Some),
            _ if (is_phone || name == DOCID) && is_of_a_spreadsheet && is_damaged(text) => {
                Err(DAMAGED)
            }
            _ if is_phone && is_of_a_spreadsheet && has_no_digit(text) => Err(NO_DIGIT),
            _ => Ok(None),
        };
        match value {
            // What is wrong with a cell is told once, of the phone.
            Err(_) if is_both => Ok(None),
            value => value,
        }
    }
}
