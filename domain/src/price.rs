//! What messages cost.

use std::str::FromStr;

use serde::Serialize;

/// The digits after the point, at most.
const DECIMALS: usize = 6;
const MILLION: u64 = 1_000_000;

/// The price of one part of a message, such as `0.05EUR`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Price {
    millionths: u64,
    /// Its three letters.
    currency: String,
}

/// What several parts cost.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cost {
    /// In whole units of the currency.
    pub amount: f64,
    pub currency: String,
}

/// It is no number of at most six decimals, and three capital letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAPrice;

impl Price {
    /// The cost of so many parts.
    #[expect(
        clippy::cast_precision_loss,
        reason = "2^53 millionths are nine billion units"
    )]
    pub fn of(&self, parts: u64) -> Cost {
        let millionths = self.millionths.saturating_mul(parts);
        Cost {
            amount: millionths as f64 / MILLION as f64,
            currency: self.currency.clone(),
        }
    }
}

impl FromStr for Price {
    type Err = NotAPrice;

    fn from_str(text: &str) -> Result<Self, NotAPrice> {
        let end = text.len().checked_sub(3).ok_or(NotAPrice)?;
        let (amount, currency) = text.split_at_checked(end).ok_or(NotAPrice)?;
        let (units, decimals) = amount.split_once('.').unwrap_or((amount, "0"));
        let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let is_price = are_digits(units)
            && are_digits(decimals)
            && decimals.len() <= DECIMALS
            && currency.bytes().all(|byte| byte.is_ascii_uppercase());
        let number = |text: &str| text.parse::<u64>().ok().filter(|_| is_price);
        let units = number(units).ok_or(NotAPrice)?;
        let decimals = number(&format!("{decimals:0<DECIMALS$}")).ok_or(NotAPrice)?;
        let millionths = units.checked_mul(MILLION).ok_or(NotAPrice)? + decimals;
        Ok(Self {
            millionths,
            currency: currency.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cost_their_price() {
        for (price, parts, amount) in [
            ("0.05EUR", 3, 0.15),
            ("1USD", 2, 2.0),
            ("0.000001CHF", 1, 0.000_001),
            ("0.0735EUR", 1_000, 73.5),
        ] {
            let cost = price.parse::<Price>().unwrap().of(parts);
            assert_eq!(
                (cost.amount, cost.currency.as_str()),
                (amount, &price[price.len() - 3..])
            );
        }
    }

    #[test]
    fn what_is_no_price_is_refused() {
        for text in [
            "",
            "EUR",
            "0.05",
            "0.05eur",
            "-1EUR",
            ".5EUR",
            "1.EUR",
            "0.1234567EUR",
            "1,5EUR",
            "0.05€",
        ] {
            assert_eq!(text.parse::<Price>(), Err(NotAPrice), "{text}");
        }
    }
}
