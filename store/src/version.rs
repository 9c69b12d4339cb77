//! What counts are labelled with.

use std::iter::Sum;

use sea_orm::FromQueryResult;

/// What counts are labelled with. Equal versions are equal counts, also after a failover that lost commits, and between a
/// database and its clone: each commit that changes a count raises the number and draws another stamp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, FromQueryResult)]
pub struct Version {
    /// Rises with every change.
    pub number: i64,
    /// 64 random bits. Those of a sum are the wrapping sum.
    pub stamp: i64,
}

impl Sum for Version {
    fn sum<I: Iterator<Item = Self>>(versions: I) -> Self {
        versions.fold(Self::default(), |sum, version| Self {
            number: sum.number.wrapping_add(version.number),
            stamp: sum.stamp.wrapping_add(version.stamp),
        })
    }
}
