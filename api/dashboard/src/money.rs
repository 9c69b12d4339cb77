//! Amounts of money as people read and type them.

use api_language::Text;
use domain::price::Money;
use serde_json::{Value, json};

/// An amount, such as `12.50 EUR`.
pub fn shown(t: &Text, money: &Money) -> String {
    format!("{} {}", t.real(money.amount(), 2), money.currency.as_str())
}

/// What a field has of an amount.
pub fn typed(money: &Money) -> String {
    money.amount().to_string()
}

/// The amount of two fields as a body has it; an empty one is none. What is no number is said to be wrong by the operation.
pub fn written(amount: &str, currency: &str) -> Value {
    let amount = amount.trim();
    if amount.is_empty() {
        return Value::Null;
    }
    let number = amount.replace(',', ".").parse::<f64>().ok();
    let number = number.filter(|number| number.is_finite());
    let amount = number.map_or_else(|| json!(amount), |number| json!(number));
    json!({"amount": amount, "currency": currency})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_what_was_shown() {
        for text in ["500", "99.5", "0.000001"] {
            let money: Money = format!("{text}EUR").parse().unwrap();
            assert_eq!(typed(&money), text);
            assert_eq!(written(text, "EUR"), json!(money));
        }
        assert_eq!(written(" 1,5 ", "EUR")["amount"], 1.5);
        assert_eq!(written("much", "EUR")["amount"], "much");
        assert_eq!(written(" ", "EUR"), Value::Null);
    }
}
