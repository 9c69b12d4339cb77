//! A migration.

use crate::step::Step;

/// A file of named steps.
#[derive(Clone, Copy)]
pub struct Migration {
    pub number: u32,
    /// `m`, the number in four digits, `_`, and what it is for.
    pub name: &'static str,
    /// What older programs that are admitted do not notice.
    pub up: &'static [Step],
    /// What they could not do with: only after their number is no longer admitted.
    pub finish: &'static [Step],
}
