//! The business properties of a link, by their ids in the form.

use std::fmt;
use std::str::FromStr;

use crate::form::{BusProp, FormContent, MAX_BUS_PROPS};

/// Ids of a form's business properties, each once, in the order given. As text `1_2`; none is the empty text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct BusPropIds(Vec<u32>);

/// Why a text is no list of ids, or a list none for a new link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BusPropIdsError {
    #[error("not numbers from 1 in plain digits, joined by `_`")]
    Malformed,
    #[error("the id {0} comes twice")]
    Duplicate(u32),
    #[error("more than {MAX_BUS_PROPS} ids")]
    TooMany,
    #[error("the form has no bus_prop_id {0}")]
    Unknown(u32),
}

impl BusPropIds {
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.0.iter().copied()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a new link of the form can carry these ids: it has each, and none is retired.
    pub fn check_for_new_link(&self, form: &FormContent) -> Result<(), BusPropIdsError> {
        let offered = |id| form.bus_prop(id).is_some_and(|entry| !entry.retired);
        match self.iter().find(|id| !offered(*id)) {
            Some(id) => Err(BusPropIdsError::Unknown(id)),
            None => Ok(()),
        }
    }

    /// The texts of these ids in the form, retired or not, in this order.
    pub fn texts<'a>(&'a self, form: &'a FormContent) -> impl Iterator<Item = &'a BusProp> {
        self.iter()
            .filter_map(|id| form.bus_prop(id).map(|entry| &entry.text))
    }
}

impl FromStr for BusPropIds {
    type Err = BusPropIdsError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut ids = Vec::new();
        if text.is_empty() {
            return Ok(Self(ids));
        }
        for part in text.split('_') {
            let id = parse_id(part).ok_or(BusPropIdsError::Malformed)?;
            if ids.contains(&id) {
                return Err(BusPropIdsError::Duplicate(id));
            }
            if ids.len() == MAX_BUS_PROPS {
                return Err(BusPropIdsError::TooMany);
            }
            ids.push(id);
        }
        Ok(Self(ids))
    }
}

impl fmt::Display for BusPropIds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, id) in self.0.iter().enumerate() {
            if n > 0 {
                f.write_str("_")?;
            }
            write!(f, "{id}")?;
        }
        Ok(())
    }
}

/// A number from 1 in plain digits: no sign, no leading zero.
pub(crate) fn parse_id(text: &str) -> Option<u32> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    text.parse().ok().filter(|_| plain)
}
