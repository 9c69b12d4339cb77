//! How long an account keeps what it collected.

use std::ops::RangeInclusive;

use chrono::{Days, NaiveDate};
use serde::Serialize;
use serde_json::{Value, json};

use crate::changes::Logged;
use crate::invalid::Invalid;
use crate::members::read_body;

/// Days that answers, visits and messages may be kept.
pub const KEPT_DAYS: RangeInclusive<u16> = 1..=36_500;
/// Days that rows of the audit log may be kept.
pub const KEPT_AUDIT_DAYS: RangeInclusive<u16> = 90..=36_500;

/// For how many days an account keeps what; `None`, as is all by default: for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Retention {
    pub answers_days: Option<u16>,
    pub visits_days: Option<u16>,
    /// Of campaigns that are over.
    pub messages_days: Option<u16>,
    pub audit_days: Option<u16>,
}

impl Retention {
    /// Reads the members of a retention.
    ///
    /// # Errors
    /// Everything that is wrong.
    pub fn parse(body: &Value) -> Result<Self, Vec<Invalid>> {
        read_body(body, &[], |retention| {
            Some(Self {
                answers_days: retention.number("answers_days", KEPT_DAYS),
                visits_days: retention.number("visits_days", KEPT_DAYS),
                messages_days: retention.number("messages_days", KEPT_DAYS),
                audit_days: retention.number("audit_days", KEPT_AUDIT_DAYS),
            })
        })
    }
}

impl Logged for Retention {
    fn logged(&self) -> Value {
        json!(self)
    }
}

/// The last day that is not kept any more: today and as many days before it as are to be kept are. What was begun before
/// midnight is over when its day goes.
pub fn last_let_go(days: Option<u16>, today: NaiveDate) -> Option<NaiveDate> {
    today.checked_sub_days(Days::new(u64::from(days?) + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invalid::code;

    #[test]
    fn what_is_left_out_is_kept_for_ever_and_the_log_for_90_days_at_least() {
        let parsed = Retention::parse(&json!({"answers_days": 365, "visits_days": null}));
        let expected = Retention {
            answers_days: Some(365),
            ..Retention::default()
        };
        assert_eq!(parsed, Ok(expected));
        let wrong = json!({"answers_days": 0, "visits_days": "1", "audit_days": 89, "days": 1});
        let wrong = Retention::parse(&wrong).unwrap_err();
        let found: Vec<_> = wrong
            .iter()
            .map(|one| (one.pointer.as_str(), one.code))
            .collect();
        let expected = [
            ("/answers_days", code::OUT_OF_RANGE),
            ("/visits_days", code::WRONG_TYPE),
            ("/audit_days", code::OUT_OF_RANGE),
            ("/days", code::UNKNOWN_MEMBER),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn yesterday_is_kept_for_a_day() {
        let day = |day| NaiveDate::from_ymd_opt(2026, 3, day);
        let today = day(10).unwrap();
        assert_eq!(last_let_go(Some(1), today), day(8));
        assert_eq!(last_let_go(None, today), None);
    }
}
