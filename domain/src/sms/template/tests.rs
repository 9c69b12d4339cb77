use proptest::prelude::*;

use super::*;
use crate::invalid::code;
use crate::sms::Parts;

const URL: &str = "https://s.example/0aB";

/// Fills a template with the value of one name; `docid` is `D-7`.
fn filled(source: &str, name: &str, value: &str) -> Option<String> {
    let field = |asked: &str| match asked {
        "docid" => Some("D-7"),
        _ => (asked == name).then_some(value),
    };
    Template::parse(source).unwrap().fill(field, URL)
}

#[test]
fn fields_defaults_and_the_link_are_filled() {
    for (source, expected) in [
        ("{link}", "URL"),
        ("Hi {name}: {link}", "Hi Anna: URL"),
        ("Hi {name|you}!\n{link}\n}", "Hi Anna!\nURL\n}"),
        ("Hi {other|you}! {link}", "Hi you! URL"),
        ("Hi{other|}! {link}", "Hi! URL"),
        ("{link} {name}{docid} {name}", "URL AnnaD-7 Anna"),
        ("{{name} {{{name}}} {link} {{", "{name} {Anna}} URL {"),
        ("{other|{{a|b\n} {link}", "{a|b\n URL"),
        (
            "für {name}\u{a0}{link}\u{2028}",
            "für Anna\u{a0}URL\u{2028}",
        ),
    ] {
        let message = filled(source, "name", "Anna").unwrap();
        assert_eq!(message, expected.replace("URL", URL), "{source}");
    }
}

#[test]
fn a_name_is_any_that_an_import_takes_without_braces_and_bars() {
    let longest = "é".repeat(32);
    for name in ["a", " ", "order id", "Straße", "a=b/c", longest.as_str()] {
        let message = filled(&format!("{{{name}}} {{link}}"), name, "x").unwrap();
        assert_eq!(message, format!("x {URL}"), "{name}");
    }
}

#[test]
fn what_is_no_template_is_refused_with_its_place() {
    let apart = "has no white space around the {link}";
    let control = "holds a control character that is no line break";
    let default = "has a default text for the {link}, which is never missing,";
    let empty = "names no field between braces ({{ is a brace in the message)";
    let unclosed = "has a { that no } closes ({{ is a brace in the message)";
    for (source, detail, at) in [
        ("a\tb {link}", control, 2),
        ("é\r\n{link}", control, 2),
        ("{link} \u{85}", control, 8),
        ("é {link} {link}", "has a second {link}", 10),
        ("é{link}", apart, 2),
        ("{link}.", apart, 1),
        ("{name}{link}", apart, 7),
        ("{name|a }{link}", apart, 10),
        ("{link}{name}", apart, 1),
        ("{{{link}", apart, 3),
        ("é {link|here}", default, 3),
        ("é {link", unclosed, 3),
        ("{", unclosed, 1),
        ("{name {link}", unclosed, 1),
        ("{name{{ {link}", unclosed, 1),
        ("{name\n} {link}", unclosed, 1),
        ("{name|you {link}", unclosed, 1),
        ("{link} {}", empty, 8),
        ("{link} {|a}", empty, 8),
    ] {
        let detail = format!("{detail} at character {at}");
        assert_eq!(Template::parse(source).unwrap_err().detail, detail);
    }
    for (source, detail) in [
        ("", "is empty or white space only"),
        (" \n", "is empty or white space only"),
        ("Hi {name}", "has no {link}"),
        ("Hi {{link}} {Link}", "has no {link}"),
    ] {
        assert_eq!(Template::parse(source).unwrap_err().detail, detail);
    }
}

#[test]
fn lengths_are_limited() {
    let name = |bytes: usize| Template::parse(&format!("{{link}} {{{}}}", "n".repeat(bytes)));
    assert!(name(64).is_ok());
    assert_eq!(
        name(65).unwrap_err().detail,
        "has a name of more than 64 bytes at character 8"
    );
    let of = |chars: usize| Template::parse(&format!("{{link}} {}", "é".repeat(chars - 7)));
    assert!(of(2_000).is_ok());
    assert_eq!(of(2_001).unwrap_err().code, code::TOO_LONG);
}

#[test]
fn errors_are_sentences_for_people() {
    for (source, code, detail) in [
        (" ", code::BLANK, "is empty or white space only"),
        ("Hi", code::MALFORMED, "has no {link}"),
        (
            "{link}!",
            code::MALFORMED,
            "has no white space around the {link} at character 1",
        ),
        (
            "a {b",
            code::MALFORMED,
            "has a { that no } closes ({{ is a brace in the message) at character 3",
        ),
        (
            "a\0",
            code::CONTROL_CHARACTER,
            "holds a control character that is no line break at character 2",
        ),
    ] {
        let error = Template::parse(source).unwrap_err();
        assert_eq!(error, Fault::new(code, detail));
    }
}

#[test]
fn a_missing_or_blank_value_needs_a_text_instead() {
    for value in ["", " ", "\u{a0}\n", "\0\u{7f}"] {
        assert_eq!(filled("{name} {link}", "name", value), None);
        let message = filled("{name|you} {link}", "name", value).unwrap();
        assert_eq!(message, format!("you {URL}"));
    }
}

#[test]
fn what_is_longer_than_any_message_is_filled_no_further() {
    let value = "é".repeat(512);
    let heavy = format!("{{link}} {}", "{name}".repeat(300));
    let message = filled(&heavy, "name", &value).unwrap();
    let whole = format!("{URL} {}", value.repeat(300));
    assert!(message.len() > MAX_FILLED && message.len() <= MAX_FILLED + value.len());
    assert!(whole.starts_with(&message));
    // A campaign may allow ten parts at most.
    assert!(Parts::of(&message).texts.len() > 10);
    // What stands behind is not looked at.
    let heavy = format!("{heavy} {{other}}");
    assert_eq!(filled(&heavy, "name", &value), Some(message));
}

#[test]
fn in_json_a_template_is_its_text() {
    let source = "Hi {name|{{}\n{link}";
    let template = Template::parse(source).unwrap();
    let json = serde_json::to_string(&template).unwrap();
    assert_eq!(json, serde_json::to_string(source).unwrap());
    assert_eq!(serde_json::from_str::<Template>(&json).unwrap(), template);
    let refused = serde_json::from_str::<Template>(r#""Hi""#).unwrap_err();
    assert_eq!(refused.to_string(), "has no {link}");
}

#[test]
fn what_is_shown_of_a_template_is_not_its_text() {
    let template = Template::parse("secret {name|secret} {link}").unwrap();
    let shown = format!("{template:?}");
    assert_eq!(shown, "Template(…)");
}

/// A piece of a template and of the message that it gives where the fields are `a` and `b`, with the values `1` and `{b}`.
fn piece() -> impl Strategy<Value = (String, String)> {
    let field = ("[abc]", "[a-z|{\n ]{0,5}").prop_map(|(name, default)| {
        let value = match name.as_str() {
            "a" => "1",
            "b" => "{b}",
            _ => &default,
        };
        let source = format!("{{{name}|{}}}", default.replace('{', "{{"));
        (source, value.to_owned())
    });
    let text = "[a-z{}|é\n ]{0,10}".prop_map(|text| (text.replace('{', "{{"), text));
    prop_oneof![field, text]
}

proptest! {
    #[test]
    fn values_are_never_read_as_a_template(value in "([{}|a-z\\PC\\x00-\\x1f]|\\{link\\}){0,30}") {
        prop_assume!(!is_blank(&value));
        let message = filled("{name} {link} {name|x}", "name", &value).unwrap();
        let shown = value.replace(char::is_control, " ");
        prop_assert_eq!(message, format!("{shown} {URL} {shown}"));
    }

    #[test]
    fn a_message_is_its_pieces(
        before in prop::collection::vec(piece(), 0..6),
        after in prop::collection::vec(piece(), 0..6),
    ) {
        let link = (" {link}\n".to_owned(), format!(" {URL}\n"));
        let pieces = before.into_iter().chain([link]).chain(after);
        let (sources, messages): (Vec<_>, Vec<_>) = pieces.unzip();
        let template = Template::parse(&sources.concat()).unwrap();
        let field = |name: &str| match name {
            "a" => Some("1"),
            "b" => Some("{b}"),
            _ => None,
        };
        prop_assert_eq!(template.fill(field, URL).unwrap(), messages.concat());
    }

    #[test]
    fn a_template_keeps_its_text(source in "([{}|a-c é\n]|\\{[ab]\\}| \\{link\\} ){0,12}") {
        if let Ok(template) = Template::parse(&source) {
            prop_assert_eq!(template.as_str(), &source);
            prop_assert_eq!(Template::parse(template.as_str()), Ok(template.clone()));
            let message = template.fill(|_| Some("x"), URL).unwrap();
            prop_assert_eq!(message.matches(URL).count(), 1);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(source in any::<String>()) {
        let error = Template::parse(&source).err();
        let detail = error.map(|fault| fault.detail).unwrap_or_default();
        if let Some((_, at)) = detail.rsplit_once("at character ") {
            prop_assert!((1..=source.chars().count()).contains(&at.parse().unwrap()));
        }
    }
}
