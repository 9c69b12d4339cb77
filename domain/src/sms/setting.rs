//! How an account sends to phones, and takes texts that come from them.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::changes::Logged;
use crate::invalid::{Invalid, read_line};
use crate::members::read_body;
use crate::price::Money;

pub const MAX_STOP_WORDS: usize = 50;
pub const MAX_STOP_WORD_CHARS: usize = 40;
pub const MAX_REPLY_CHARS: usize = 480;
pub const MIN_GAP_DAYS: RangeInclusive<u32> = 0..=365;

/// How an account sends to phones, and takes texts that come from them. The default has no words, no replies, no gap and no
/// budget.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SendSetting {
    /// What opts out besides the usual words: the whole text, of which letters and digits count, in any case.
    pub stop_words: Vec<String>,
    /// What whoever opts out is told, once a day.
    pub stop_reply: Option<String>,
    /// What whoever asks for help is told, once a day.
    pub help_reply: Option<String>,
    /// The least time between first messages of any campaigns to a phone.
    pub min_gap_days: u32,
    /// What all messages of a month may cost, by days of the account; `None`: no limit.
    pub month_budget: Option<Money>,
}

impl SendSetting {
    /// Reads the members of a setting.
    ///
    /// # Errors
    /// Everything that is wrong.
    pub fn parse(body: &Value) -> Result<Self, Vec<Invalid>> {
        read_body(body, &[], |setting| {
            let word = |text: &str| read_line(text, MAX_STOP_WORD_CHARS);
            let reply = |text: &str| read_line(text, MAX_REPLY_CHARS);
            Some(Self {
                stop_words: setting.strings("stop_words", MAX_STOP_WORDS, "the word", word),
                stop_reply: setting.optional("stop_reply", reply),
                help_reply: setting.optional("help_reply", reply),
                min_gap_days: setting.number("min_gap_days", MIN_GAP_DAYS).unwrap_or(0),
                month_budget: Money::read(setting, "month_budget"),
            })
        })
    }
}

impl Logged for SendSetting {
    fn logged(&self) -> Value {
        json!(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invalid::code;

    #[test]
    fn a_setting_is_read_and_what_is_left_out_is_nothing() {
        assert_eq!(SendSetting::parse(&json!({})), Ok(SendSetting::default()));
        let full = json!({"stop_words": ["no more", "Ende!"], "stop_reply": "Bye", "help_reply": null, "min_gap_days": 30,
            "month_budget": {"amount": 99.5, "currency": "EUR"}});
        let setting = SendSetting::parse(&full).unwrap();
        assert_eq!(serde_json::to_value(&setting).unwrap(), full);
    }

    #[test]
    fn everything_that_is_wrong_is_told() {
        let long = "x".repeat(MAX_REPLY_CHARS + 1);
        let wrong = json!({"stop_words": [" ", 1, "ok", ""], "stop_reply": long, "help_reply": 5, "x": 0, "min_gap_days": 366,
            "month_budget": {"amount": -1, "currency": "EUR"}});
        let wrong = SendSetting::parse(&wrong).unwrap_err();
        let found: Vec<_> = wrong
            .iter()
            .map(|wrong| (wrong.pointer.as_str(), wrong.code))
            .collect();
        let expected = [
            ("/stop_words/0", code::BLANK),
            ("/stop_words/1", code::WRONG_TYPE),
            ("/stop_words/3", code::BLANK),
            ("/stop_reply", code::TOO_LONG),
            ("/help_reply", code::WRONG_TYPE),
            ("/min_gap_days", code::OUT_OF_RANGE),
            ("/month_budget/amount", code::OUT_OF_RANGE),
            ("/x", code::UNKNOWN_MEMBER),
        ];
        assert_eq!(found, expected);
    }
}
