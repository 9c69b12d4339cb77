//! What kind of number a phone has.

use rlibphonenumber::{PHONE_NUMBER_UTIL, PhoneNumberType};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// What a number is for. As text in snake case, such as `fixed_line_or_mobile`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum NumberType {
    Mobile,
    /// Of a country whose numbers do not say which.
    FixedLineOrMobile,
    FixedLine,
    TollFree,
    PremiumRate,
    SharedCost,
    Voip,
    PersonalNumber,
    Pager,
    Uan,
    Voicemail,
    /// Of a network that is no country's.
    Satellite,
    /// No plan knows it.
    Unknown,
}

/// What satellite phones begin with: Inmarsat, the global mobile satellite systems, and Thuraya.
const SATELLITE: [&str; 3] = ["+870", "+881", "+88216"];

impl NumberType {
    /// Whether a sender reaches it without being told to: a message to the others costs a multiple, or nobody reads it.
    pub fn is_usual(self) -> bool {
        !matches!(
            self,
            Self::PremiumRate | Self::SharedCost | Self::Satellite | Self::Pager
        )
    }
}

/// What a number in the form of E.164 is for.
pub fn type_of(phone: &str) -> NumberType {
    if SATELLITE.iter().any(|code| phone.starts_with(code)) {
        return NumberType::Satellite;
    }
    let Ok(number) = PHONE_NUMBER_UTIL.parse(phone, None) else {
        return NumberType::Unknown;
    };
    match PHONE_NUMBER_UTIL.get_number_type(&number) {
        PhoneNumberType::Mobile => NumberType::Mobile,
        PhoneNumberType::FixedLineOrMobile => NumberType::FixedLineOrMobile,
        PhoneNumberType::FixedLine => NumberType::FixedLine,
        PhoneNumberType::TollFree => NumberType::TollFree,
        PhoneNumberType::PremiumRate => NumberType::PremiumRate,
        PhoneNumberType::SharedCost => NumberType::SharedCost,
        PhoneNumberType::VoIP => NumberType::Voip,
        PhoneNumberType::PersonalNumber => NumberType::PersonalNumber,
        PhoneNumberType::Pager => NumberType::Pager,
        PhoneNumberType::UAN => NumberType::Uan,
        PhoneNumberType::VoiceMail => NumberType::Voicemail,
        PhoneNumberType::Unknown => NumberType::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_of_the_type_that_its_country_s_plan_says() {
        for (phone, expected) in [
            ("+491701234567", "mobile"),
            ("+4930123456", "fixed_line"),
            ("+12125550123", "fixed_line_or_mobile"),
            ("+18002345678", "toll_free"),
            ("+19002345678", "premium_rate"),
            ("+499001234567", "premium_rate"),
            ("+491801234567", "shared_cost"),
            ("+491641234567", "pager"),
            ("+881612345678", "satellite"),
            ("+870773111632", "satellite"),
            ("+8821612345678", "satellite"),
            ("+11111111111", "unknown"),
            ("+2101234567", "unknown"),
            ("", "unknown"),
        ] {
            assert_eq!(type_of(phone).into_str(), expected, "{phone}");
        }
    }

    #[test]
    fn what_costs_a_multiple_or_nobody_reads_is_not_usual() {
        let unusual = NumberType::VARIANTS.iter().filter(|one| !one.is_usual());
        let unusual: Vec<_> = unusual.map(NumberType::into_str).collect();
        assert_eq!(
            unusual,
            ["premium_rate", "shared_cost", "pager", "satellite"]
        );
    }
}
