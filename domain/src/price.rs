//! What messages cost. Money is whole millionths of a currency.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::invalid::{Fault, code};
use crate::members::Members;
use crate::sms::{Country, country_of};

/// The digits after the point, at most.
const DECIMALS: usize = 6;
const MILLION: i64 = 1_000_000;
/// What a file of prices calls all countries that it does not name.
const OTHERS: &str = "*";
const HEADER: &str = "country,price";

/// A currency by its three capital letters, such as `EUR`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Currency(String);

/// An amount of a currency, such as `0.05EUR`. In JSON the amount is a number of whole units.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Money {
    pub millionths: i64,
    pub currency: Currency,
}

/// As JSON has it.
#[derive(Serialize, Deserialize)]
struct Written {
    amount: f64,
    currency: Currency,
}

/// It is no number of at most six decimals, or has no three capital letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not like `0.05EUR`")]
pub struct NotMoney;

/// What a part of a message costs: the same everywhere, or by the country of its phone; all in one currency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prices {
    currency: Currency,
    by_country: Vec<(Country, i64)>,
    /// Of all other countries.
    others: Option<i64>,
}

impl TryFrom<String> for Currency {
    type Error = NotMoney;

    fn try_from(text: String) -> Result<Self, NotMoney> {
        let is_currency = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase());
        is_currency.then_some(Self(text)).ok_or(NotMoney)
    }
}

impl From<Currency> for String {
    fn from(currency: Currency) -> Self {
        currency.0
    }
}

impl Currency {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Money {
    pub fn none(currency: Currency) -> Self {
        Self {
            millionths: 0,
            currency,
        }
    }

    /// So many whole units, or `None` if they have more than six decimals, are negative, or are too many.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "what is too large was refused"
    )]
    pub fn of(amount: f64, currency: Currency) -> Option<Self> {
        let millionths = (amount * 1e6).round();
        let money = Self {
            millionths: millionths as i64,
            currency,
        };
        // Up to here each millionth is a number of its own.
        let is_exact =
            (0.0..=9e15).contains(&millionths) && money.amount().total_cmp(&amount).is_eq();
        is_exact.then_some(money)
    }

    /// Adds what is of the same currency.
    pub fn add(&mut self, amount: &Self) {
        if amount.currency == self.currency {
            self.millionths = self.millionths.saturating_add(amount.millionths);
        }
    }

    /// Takes what is of the same currency.
    pub fn take_all(&mut self, amounts: impl IntoIterator<Item = Self>) {
        for amount in amounts {
            if amount.currency == self.currency {
                self.millionths = self.millionths.saturating_sub(amount.millionths);
            }
        }
    }

    /// Adds up what is of a currency.
    pub fn sum_of(currency: &Currency, amounts: impl IntoIterator<Item = Self>) -> Self {
        let mut sum = Self::none(currency.clone());
        for amount in amounts {
            sum.add(&amount);
        }
        sum
    }

    /// Reads a member such as `{"amount": 12.5, "currency": "EUR"}`; `None` if it is left out or wrong.
    pub(crate) fn read(body: &Members, name: &str) -> Option<Self> {
        let members = body.member(name)?;
        let amount = members.require("amount");
        let currency = members.parsed("currency", |text| {
            let what = "is not three capital letters";
            Currency::try_from(text.to_owned()).map_err(|_| Fault::new(code::MALFORMED, what))
        });
        members.no_others(&[]);
        let amount = amount?;
        let Some(amount) = amount.as_f64() else {
            members.note("amount", code::WRONG_TYPE, "amount is not a number");
            return None;
        };
        let money = Self::of(amount, currency?);
        if money.is_none() {
            let what = "amount is from 0 to 9000000000 and has six decimals at most";
            members.note("amount", code::OUT_OF_RANGE, what);
        }
        money
    }

    /// In whole units of the currency.
    #[expect(
        clippy::cast_precision_loss,
        reason = "2^53 millionths are nine billion units"
    )]
    pub fn amount(&self) -> f64 {
        self.millionths as f64 / MILLION as f64
    }
}

impl From<Money> for Written {
    fn from(money: Money) -> Self {
        Self {
            amount: money.amount(),
            currency: money.currency,
        }
    }
}

impl TryFrom<Written> for Money {
    type Error = NotMoney;

    fn try_from(written: Written) -> Result<Self, NotMoney> {
        Self::of(written.amount, written.currency).ok_or(NotMoney)
    }
}

impl FromStr for Money {
    type Err = NotMoney;

    fn from_str(text: &str) -> Result<Self, NotMoney> {
        let end = text.len().checked_sub(3).ok_or(NotMoney)?;
        let (amount, currency) = text.split_at_checked(end).ok_or(NotMoney)?;
        let (units, decimals) = amount.split_once('.').unwrap_or((amount, "0"));
        let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let is_number = are_digits(units) && are_digits(decimals) && decimals.len() <= DECIMALS;
        let number = |text: &str| text.parse::<i64>().ok().filter(|_| is_number);
        let units = number(units).ok_or(NotMoney)?;
        let decimals = number(&format!("{decimals:0<DECIMALS$}")).ok_or(NotMoney)?;
        let millionths = units.checked_mul(MILLION).ok_or(NotMoney)?;
        Ok(Self {
            millionths: millionths.checked_add(decimals).ok_or(NotMoney)?,
            currency: Currency::try_from(currency.to_owned())?,
        })
    }
}

impl Prices {
    /// The same price everywhere.
    pub fn alike(price: Money) -> Self {
        Self {
            currency: price.currency,
            by_country: Vec::new(),
            others: Some(price.millionths),
        }
    }

    /// Reads lines such as `DE,0.075EUR`, with `*` for all countries that have none. The first may be `country,price`.
    ///
    /// # Errors
    /// The number of the line that is wrong, and what is wrong with it.
    pub fn read_table(text: &str) -> Result<Self, (usize, &'static str)> {
        let lines = text.trim_start_matches('\u{feff}').lines();
        let mut lines = (1..)
            .zip(lines.map(str::trim))
            .filter(|(_, line)| !line.is_empty())
            .peekable();
        lines.next_if(|(_, line)| *line == HEADER);
        let mut prices: Option<Self> = None;
        for (number, line) in lines {
            let wrong = |what| (number, what);
            let (country, price) = line
                .split_once(',')
                .ok_or_else(|| wrong("is not like `DE,0.075EUR`"))?;
            let price: Money = price
                .trim()
                .parse()
                .map_err(|_| wrong("has no price like `0.075EUR`"))?;
            let prices = prices.get_or_insert_with(|| Self {
                currency: price.currency.clone(),
                by_country: Vec::new(),
                others: None,
            });
            if prices.currency != price.currency {
                return Err(wrong("has another currency than the lines before"));
            }
            let is_new = match country.trim() {
                OTHERS => prices.others.replace(price.millionths).is_none(),
                code => {
                    let country: Country = code
                        .parse()
                        .map_err(|_| wrong("has neither an ISO code nor `*`"))?;
                    let is_new = prices.by_country.iter().all(|(known, _)| *known != country);
                    prices.by_country.push((country, price.millionths));
                    is_new
                }
            };
            if !is_new {
                return Err(wrong("names a country again"));
            }
        }
        prices.ok_or((1, "has no price"))
    }

    pub fn currency(&self) -> &Currency {
        &self.currency
    }

    /// Whether each country of these has a price; `None`: all that there are.
    pub fn cover(&self, countries: Option<&[Country]>) -> bool {
        let has_price = |country: &Country| self.of_country(Some(*country)).is_some();
        self.others.is_some() || countries.is_some_and(|all| all.iter().all(has_price))
    }

    /// What so many parts to a phone cost; `None`: its country has no price.
    pub fn of(&self, phone: &str, parts: u64) -> Option<Money> {
        let price = if self.by_country.is_empty() {
            self.others
        } else {
            self.of_country(country_of(phone))
        };
        Some(self.times(price?, parts))
    }

    /// What so many parts cost where they are dearest.
    pub fn most(&self, parts: u64) -> Money {
        let by_country = self.by_country.iter().map(|(_, price)| *price);
        let dearest = by_country.chain(self.others).max();
        self.times(dearest.unwrap_or_default(), parts)
    }

    fn of_country(&self, country: Option<Country>) -> Option<i64> {
        let mut named = self.by_country.iter();
        let named = named.find(|(known, _)| Some(*known) == country);
        named.map(|(_, price)| *price).or(self.others)
    }

    fn times(&self, price: i64, parts: u64) -> Money {
        Money {
            millionths: price.saturating_mul(i64::try_from(parts).unwrap_or(i64::MAX)),
            currency: self.currency.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const GERMAN: &str = "+4915112345678";
    const FRENCH: &str = "+33612345678";

    #[test]
    fn parts_cost_their_price() {
        for (price, parts, amount) in [
            ("0.05EUR", 3, 0.15),
            ("1USD", 2, 2.0),
            ("0.000001CHF", 1, 0.000_001),
            ("0.0735EUR", 1_000, 73.5),
        ] {
            let prices = Prices::alike(price.parse().unwrap());
            let cost = prices.of(GERMAN, parts).unwrap();
            let currency = &price[price.len() - 3..];
            assert_eq!(json!(cost), json!({"amount": amount, "currency": currency}));
            assert_eq!(serde_json::from_value::<Money>(json!(cost)).unwrap(), cost);
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
            "9999999999999999EUR",
        ] {
            assert_eq!(text.parse::<Money>(), Err(NotMoney), "{text}");
        }
        let euro = || Currency::try_from("EUR".to_owned()).unwrap();
        for amount in [-0.5, 0.000_000_5, 1e10, f64::NAN] {
            assert_eq!(Money::of(amount, euro()), None, "{amount}");
        }
        for (amount, text) in [
            (12.5, "12.5EUR"),
            (123_456_789.123_457, "123456789.123457EUR"),
        ] {
            assert_eq!(Money::of(amount, euro()), text.parse().ok());
        }
    }

    #[test]
    fn a_table_has_a_price_a_country_and_one_for_the_others() {
        let prices = Prices::read_table("country,price\r\nDE, 0.075EUR\n\n*,0.1EUR\n").unwrap();
        let cost = |phone| prices.of(phone, 2).map(|cost| cost.amount());
        assert_eq!((cost(GERMAN), cost(FRENCH)), (Some(0.15), Some(0.2)));
        assert_eq!(prices.most(1), "0.1EUR".parse().unwrap());
        assert!(prices.cover(None));
        let german = Prices::read_table("DE,0.075EUR").unwrap();
        assert_eq!(german.of(FRENCH, 1), None);
        assert!(!german.cover(None));
        assert!(german.cover(Some(&["DE".parse().unwrap()])));
    }

    #[test]
    fn a_wrong_line_is_named() {
        for (table, line) in [
            ("", 1),
            ("DE", 1),
            ("DE,0.075EUR\nDE,0.08EUR", 2),
            ("*,1EUR\n*,2EUR", 2),
            ("DE,0.075EUR\n\nFR,0.08USD", 3),
            ("country,price\nGermany,0.075EUR", 2),
            ("DE,cheap", 1),
        ] {
            let wrong = Prices::read_table(table).unwrap_err();
            assert_eq!(wrong.0, line, "{table}");
        }
    }
}
