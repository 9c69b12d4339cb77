//! What is wrong with a row of a file, as people read it: never the API's own names.

use api_language::Text;
use domain::national::fault;
use domain::record::{KeptError, RecordCode, RecordError};
use serde::Serialize;

/// A refused row, in the words of a language.
#[derive(Debug, Serialize)]
pub struct Explained {
    /// As a spreadsheet shows it; of JSON the place among the records, from 1.
    pub row: u64,
    pub docid: Option<String>,
    /// The name of the column; empty if that is none.
    pub column: String,
    /// What stood there, as far as it is kept.
    pub value: Option<String>,
    pub reason: String,
    /// What can be done about it.
    pub remedy: String,
}

impl Explained {
    /// A record error as it is kept.
    pub fn new(t: &Text, kept: KeptError) -> Self {
        let (row, error) = (kept.place(), kept.error);
        Self {
            row,
            column: column(t, &error),
            reason: reason(t, &error),
            remedy: remedy(t, &error),
            docid: error.docid,
            value: kept.value,
        }
    }
}

/// What tells apart what has one code: the name of a phone's fault, `other` where it has none, and nothing for other codes.
pub fn kind(code: RecordCode, detail: &str) -> &'static str {
    match (code, fault(detail)) {
        (RecordCode::PhoneInvalid, "") => "other",
        (RecordCode::PhoneInvalid | RecordCode::DocidInvalid, fault) => fault,
        _ => "",
    }
}

/// What is wrong with a record.
pub fn reason(t: &Text, error: &RecordError) -> String {
    let kind = kind(error.code, &error.detail);
    t.refused(error.code.into(), kind, &error.detail)
}

/// What can be done about it.
pub fn remedy(t: &Text, error: &RecordError) -> String {
    let code: &str = error.code.into();
    let kind = kind(error.code, &error.detail);
    let special = t.known("remedy", format!("{code}-{kind}"));
    special.unwrap_or_else(|| t.of("remedy", code))
}

/// The column in which a record is wrong; empty if that is none.
pub fn column(t: &Text, error: &RecordError) -> String {
    let pointer = &error.pointer;
    let place = pointer.strip_prefix("/data").unwrap_or(pointer);
    match place.trim_start_matches('/').split_once('/') {
        Some((_, name @ ("docid" | "phone"))) => t.get(name),
        Some((_, name)) => name.replace("~1", "/").replace("~0", "~"),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use api_language::{codes, of_code};
    use strum::VariantArray;

    use super::*;

    fn error(code: RecordCode, pointer: &str, detail: &str) -> RecordError {
        RecordError {
            index: 1,
            docid: None,
            pointer: pointer.to_owned(),
            code,
            detail: detail.to_owned(),
        }
    }

    #[test]
    fn columns_are_called_as_pages_call_them() {
        let english = of_code("en");
        for (pointer, expected) in [
            ("/data/1/phone", "Phone"),
            ("/1/docid", "Customer number"),
            ("/12/a~1b", "a/b"),
            ("/3", ""),
        ] {
            let error = error(RecordCode::PhoneInvalid, pointer, "");
            assert_eq!(column(english, &error), expected);
        }
    }

    #[test]
    fn each_fault_of_a_phone_has_words_of_its_own() {
        let details = [
            "phone holds no digit",
            "phone has too few digits for a number",
            "phone has too many digits for a number",
            "phone lost digits on the way, because a spreadsheet made a number of it: format its column as text there and enter it again",
            "phone is no number that is possible in its country",
        ];
        for code in codes() {
            let t = of_code(code);
            let told = details.map(|detail| {
                let error = error(RecordCode::PhoneInvalid, "/1/phone", detail);
                (reason(t, &error), remedy(t, &error))
            });
            for (n, (reason, remedy)) in told.iter().enumerate() {
                assert!(
                    !told[..n].iter().any(|(other, _)| other == reason),
                    "{code}: {reason}"
                );
                assert!(!remedy.starts_with("remedy-"), "{code}: {remedy}");
            }
        }
    }

    #[test]
    fn something_can_be_done_about_whatever_is_wrong() {
        for (code, wrong) in
            codes().flat_map(|code| RecordCode::VARIANTS.iter().map(move |wrong| (code, wrong)))
        {
            let told = remedy(of_code(code), &error(*wrong, "/1", ""));
            assert!(!told.starts_with("remedy-"), "{code}: {told}");
        }
    }
}
