//! What a person answered: read from a body and checked by the form (`read`), or read back from the store (`answers`).
//!
//! `value` is the answer to one field, `counted` what figures count. Visits, links and counting are elsewhere.

mod answers;
mod counted;
mod read;
#[cfg(test)]
mod tests;
mod value;

pub use self::answers::Answers;
pub use self::counted::{AnswerMatch, Counted, GradeRange};
pub use self::value::AnswerValue;
