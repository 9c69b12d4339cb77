//! What a provider says of a message that did not arrive, in words. Providers give codes, of which those that are usual have words;
//! their pages in `docs/senders` say where codes come from.

use std::collections::BTreeSet;

use api_language::Text;
use api_send::SendState;
use domain::campaign::{Message, MessageStatus, SenderChoice};
use store::send::failure::Failure;

/// Kinds of sender with codes, and the names of their texts. Vonage counts its refusals and its receipts from the same numbers.
const CODES: [(&str, &[(&str, &str)]); 5] = [
    (
        "twilio",
        &[
            ("21211", "no-number"),
            ("21408", "country"),
            ("21610", "opted-out"),
            ("21612", "no-route"),
            ("21614", "no-mobile"),
            ("30003", "off"),
            ("30004", "blocked"),
            ("30005", "no-number"),
            ("30006", "no-mobile"),
            ("30007", "spam"),
        ],
    ),
    (
        "vonage",
        &[
            ("2", "off"),
            ("3", "no-number"),
            ("4", "blocked"),
            ("6", "spam"),
            ("7", "off"),
            ("9", "no-number"),
            ("11", "no-route"),
            ("12", "no-route"),
            ("14", "blocked"),
        ],
    ),
    (
        "vonage refused",
        &[("7", "blocked"), ("12", "too-long"), ("33", "no-number")],
    ),
    ("kannel", &[("2", "not-taken"), ("16", "not-taken")]),
    (
        "smpp",
        &[
            ("smpp-0x0b", "no-number"),
            ("smpp-0x01", "too-long"),
            ("smpp-0x0a", "sender-name"),
            ("smpp-charset", "too-long"),
        ],
    ),
];
/// Codes that the service itself gives, whatever the sender.
const OWN: [(&str, &str); 9] = [
    ("simulated", "simulated"),
    ("takeover", "uncertain"),
    ("failover", "uncertain"),
    ("timeout", "uncertain"),
    ("smpp-timeout", "uncertain"),
    ("smpp-lost", "uncertain"),
    ("connection_lost", "uncertain"),
    ("no_id", "uncertain"),
    ("from", "from"),
];

/// Why a message did not arrive, or may not have, if its provider gave a code.
pub fn words(t: &Text, sending: &SendState, message: &Message) -> Option<String> {
    let code = message.provider_code.as_deref()?;
    let is_lost = matches!(
        message.status,
        MessageStatus::Undelivered
            | MessageStatus::Expired
            | MessageStatus::Failed
            | MessageStatus::Unknown
    );
    if !is_lost {
        return None;
    }
    let kind = sending.kind(&message.sender);
    Some(of_code(t, kind, message.status, code))
}

/// Why messages through these senders did not arrive: where their providers mean different things by the code, it stands itself.
pub fn of_failure(
    t: &Text,
    sending: &SendState,
    senders: &SenderChoice,
    failure: &Failure,
) -> String {
    let Some(code) = &failure.code else {
        return t.get("failure-no-code");
    };
    let kinds = senders.names().into_iter().map(|name| sending.kind(name));
    of_kinds(t, kinds, failure.status, code)
}

/// Why a provider of this kind refused a message.
pub fn of_refusal(t: &Text, kind: Option<&str>, code: &str) -> String {
    of_code(t, kind.unwrap_or_default(), MessageStatus::Failed, code)
}

fn of_kinds<'k>(
    t: &Text,
    kinds: impl Iterator<Item = &'k str>,
    status: MessageStatus,
    code: &str,
) -> String {
    let words: BTreeSet<String> = kinds.map(|kind| of_code(t, kind, status, code)).collect();
    match words.first() {
        Some(only) if words.len() == 1 => only.clone(),
        _ => t.with("provider-code-other", code),
    }
}

fn of_code(t: &Text, kind: &str, status: MessageStatus, code: &str) -> String {
    let kind = match (kind, status) {
        ("vonage", MessageStatus::Failed) => "vonage refused",
        (kind, _) => kind,
    };
    let codes = CODES.iter().find(|(known, _)| *known == kind);
    let codes = codes.map_or(&[][..], |(_, codes)| codes);
    let mut known = codes.iter().chain(&OWN);
    match known.find(|(known, _)| *known == code) {
        Some((_, name)) => t.of("provider-code", name),
        None => t.with("provider-code-other", code),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_has_the_words_of_its_provider() {
        let t = api_language::of_code("en");
        let (failed, undelivered) = (MessageStatus::Failed, MessageStatus::Undelivered);
        for (kind, status, code, words) in [
            (
                "twilio",
                undelivered,
                "30003",
                "The phone is off or out of reach.",
            ),
            ("vonage", undelivered, "12", "No network took it."),
            ("vonage", failed, "12", "The text is too long."),
            ("demo", undelivered, "simulated", "(simulated)"),
            (
                "smpp",
                undelivered,
                "27",
                "Your SMS provider’s code 27: ask your SMS provider.",
            ),
            (
                "",
                failed,
                "30003",
                "Your SMS provider’s code 30003: ask your SMS provider.",
            ),
        ] {
            assert_eq!(of_code(t, kind, status, code), words);
        }
        let of_kinds = |kinds: &[&str]| of_kinds(t, kinds.iter().copied(), undelivered, "30003");
        assert_eq!(of_kinds(&["twilio"]), "The phone is off or out of reach.");
        let other = "Your SMS provider’s code 30003: ask your SMS provider.";
        assert_eq!(of_kinds(&["twilio", "smpp"]), other);
        for (_, name) in CODES.iter().flat_map(|(_, codes)| *codes).chain(&OWN) {
            for language in api_language::codes() {
                let t = api_language::of_code(language);
                assert!(
                    t.known("provider-code", name).is_some(),
                    "{language} {name}"
                );
            }
        }
    }
}
