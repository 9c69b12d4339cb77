//! How receipts write the ids that the centre gave with its answers.

use std::sync::OnceLock;

use strum::EnumString;

/// What a receipt makes of the id of an answer. Zeros in front, and upper and lower case, never count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "snake_case")]
pub(super) enum IdForm {
    /// The same.
    Same,
    /// In hexadecimal digits what is decimal in the answer.
    Hex,
    /// In decimal digits what is hexadecimal in the answer.
    Decimal,
}

/// The form that receipts have, once it is known.
pub(super) struct Ids(OnceLock<IdForm>);

impl Ids {
    /// `None`: it is learned from the first receipt that fits a message.
    pub fn new(form: Option<IdForm>) -> Self {
        Self(form.map_or_else(OnceLock::new, OnceLock::from))
    }

    /// What the id of the answer may be, by the form that the receipt then has.
    pub fn of_answer(&self, receipted: &str) -> Vec<(IdForm, String)> {
        let in_form = |form: IdForm| Some((form, form.of_answer(receipted)?));
        match self.0.get() {
            Some(form) => {
                let read = in_form(*form);
                // It may be no number at all.
                vec![read.unwrap_or_else(|| (*form, receipted.to_owned()))]
            }
            None => [IdForm::Same, IdForm::Decimal, IdForm::Hex]
                .into_iter()
                .filter_map(in_form)
                .collect(),
        }
    }

    /// A receipt of this form fitted a message.
    pub fn learn(&self, form: IdForm) {
        if self.0.set(form).is_ok() {
            let form = match form {
                IdForm::Same => "same",
                IdForm::Hex => "hex",
                IdForm::Decimal => "decimal",
            };
            tracing::info!(
                ids = form,
                "learned how receipts of the SMPP centre write ids"
            );
        }
    }
}

impl IdForm {
    fn of_answer(self, receipted: &str) -> Option<String> {
        match self {
            Self::Same => Some(receipted.to_owned()),
            Self::Hex => Some(u128::from_str_radix(receipted, 16).ok()?.to_string()),
            Self::Decimal => Some(format!("{:x}", receipted.parse::<u128>().ok()?)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(ids: &Ids, receipted: &str) -> Vec<String> {
        let ids = ids.of_answer(receipted).into_iter();
        ids.map(|(_, id)| id).collect()
    }

    #[test]
    fn an_id_is_read_in_each_form_until_one_is_learned() {
        let ids = Ids::new(None);
        assert_eq!(texts(&ids, "0010"), ["0010", "a", "16"]);
        assert_eq!(texts(&ids, "0A1b"), ["0A1b", "2587"]);
        assert_eq!(texts(&ids, "m-1"), ["m-1"]);
        ids.learn(IdForm::Decimal);
        ids.learn(IdForm::Same);
        assert_eq!(texts(&ids, "0010"), ["a"]);
        assert_eq!(texts(&ids, "m-1"), ["m-1"]);
    }

    #[test]
    fn a_form_that_is_set_is_the_only_one() {
        assert_eq!(texts(&Ids::new(Some(IdForm::Same)), "10"), ["10"]);
        assert_eq!(texts(&Ids::new(Some(IdForm::Hex)), "10"), ["16"]);
    }
}
