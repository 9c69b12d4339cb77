use proptest::prelude::*;

use super::*;

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

fn one(entry: &str) -> Setting {
    let mut settings = parse(entry).unwrap();
    assert_eq!(settings.len(), 1);
    settings.remove(0)
}

fn error(text: &str) -> String {
    parse(text).err().unwrap()
}

#[test]
fn what_is_not_said_has_its_default() {
    let setting = one("demo=demo:");
    assert_eq!((setting.name.as_str(), setting.kind.name), ("demo", "demo"));
    assert_eq!(setting.accounts, ["*"]);
    assert_eq!((setting.rate.get(), setting.window.get()), (10, 10));
    assert_eq!(
        (setting.countries.as_ref(), setting.parts_per_day),
        (None, None)
    );
    assert!(setting.receipts);
    assert_eq!(setting.from_for("+491701234521"), Some(""));
}

#[test]
fn common_parameters_are_read() {
    let setting = one(
        "a-1=demo:?seed=7&accounts=north,south%2Dwest&from=+491701234521&rate=50\
                       &window=20&countries=de,US&types=mobile,premium_rate&parts_per_day=1000&receipts=off&price=0.05EUR",
    );
    assert_eq!(setting.accounts, ["north", "south-west"]);
    assert!(setting.allows("north") && !setting.allows("west"));
    assert_eq!(setting.from.as_deref(), Some("+491701234521"));
    assert_eq!((setting.rate.get(), setting.window.get()), (50, 20));
    let countries = ["DE", "US"].map(|code| code.parse().unwrap());
    assert_eq!(setting.countries.as_deref(), Some(&countries[..]));
    let types = [NumberType::Mobile, NumberType::PremiumRate];
    assert_eq!(setting.types.as_deref(), Some(&types[..]));
    assert_eq!(setting.parts_per_day, Some(1_000));
    assert!(!setting.receipts);
    let price = Prices::alike("0.05EUR".parse().unwrap());
    assert_eq!(setting.prices.as_deref(), Some(&price));
}

#[test]
fn every_kind_is_read_from_entries_between_white_space() {
    let text = format!(
        " a=https://sms.example/send?key=1&accounts=*&secret={SECRET}\n\
         b=http://127.0.0.1:8000/?accounts=*&secret={SECRET}&idempotent=on\t\
         c=twilio://AC1:tok%2Fen@api.twilio.com?accounts=*&from=+15005550006\r\n\
         d=vonage://key:secret@rest.nexmo.com?accounts=*&from=Acme\n\
         e=kannel://user:password@127.0.0.1:13013?accounts=*&tls=off\n\
         f=smpp://me:pass%20word@[::1]:2775?accounts=*\n\
         g=smpps://me:secret@smsc.example:3550?accounts=*&binds=2&mode=txrx&system_type=VMA&charset=latin1&long=sar&ids=decimal\n"
    );
    let settings = parse(&text).unwrap();
    let kinds: Vec<_> = settings.iter().map(|s| s.kind.name).collect();
    let expected = [
        "https", "https", "twilio", "vonage", "kannel", "smpp", "smpp",
    ];
    assert_eq!(kinds, expected);
}

#[test]
fn a_name_is_not_used_for_the_countries_of_one() {
    let from = |from: &str| one(&format!("a=demo:?from={from}"));
    assert_eq!(from("Acme").from_for("+491701234521"), Some("Acme"));
    assert_eq!(from("Acme").from_for("+15005550006"), None);
    assert_eq!(from("12345").from_for("+15005550006"), Some("12345"));
    let phone = from("+15005550006");
    assert_eq!(phone.from_for("+15005550007"), Some("+15005550006"));
}

#[test]
fn entries_may_be_lines() {
    assert_eq!(parse("a=demo:\nb=demo:\n").unwrap().len(), 2);
    assert_eq!(parse(" \n").unwrap().len(), 0);
}

#[test]
fn types_are_those_of_numbering_plans() {
    let expected = "sender a: `types` is not a list of types of numbers";
    for types in ["", "mobile,cell", "Mobile", "mobile,"] {
        assert_eq!(error(&format!("a=demo:?types={types}")), expected);
    }
}

#[test]
fn errors_name_the_sender_and_the_parameter() {
    let missing = "is missing";
    for (entry, expected) in [
        (
            "a=demo:?rate=0",
            "sender a: `rate` is not a whole number from 1",
        ),
        (
            "a=demo:?window=x",
            "sender a: `window` is not a whole number from 1",
        ),
        (
            "a=demo:?countries=DEU",
            "sender a: `countries` is not a list of ISO codes",
        ),
        (
            "a=demo:?receipts=no",
            "sender a: `receipts` is neither `on` nor `off`",
        ),
        (
            "a=demo:?accounts=",
            "sender a: `accounts` is not `*` or names",
        ),
        (
            "a=demo:?accounts=a,*",
            "sender a: `accounts` is not `*` or names",
        ),
        (
            "a=demo:?delay=2",
            "sender a: `delay` is not like `500ms`, `2s` or `0`",
        ),
        (
            "a=demo:?failures=101",
            "sender a: `failures` is not a whole number from 0 to 100",
        ),
        (
            "a=demo:?rate=5&rate=6",
            "sender a: `rate` comes more than once",
        ),
        (
            "a=demo:?sead=1",
            "sender a: its URL has a parameter that this kind of sender does not have",
        ),
        (
            "a=demo:x",
            "sender a: its URL has more than `demo:` and parameters",
        ),
        (
            "a=demo:#x",
            "sender a: its URL has a `#`, which is written %23",
        ),
        ("a=demo", "sender a: its URL has no scheme"),
        (
            "a=twilio://u:p@h",
            &format!("sender a: `accounts` {missing}"),
        ),
        (
            "a=twilio://u:p@h?accounts=*",
            &format!("sender a: `from` {missing}"),
        ),
        (
            "a=twilio://u@h?accounts=*&from=123",
            "sender a: its URL has no password",
        ),
        (
            "a=twilio://h?accounts=*&from=123",
            "sender a: its URL has no user",
        ),
        (
            "a=twilio://u:p@h/x?accounts=*&from=123",
            "sender a: its URL has a path",
        ),
        (
            "a=twilio:u:p@h?accounts=*&from=123",
            "sender a: its URL cannot be read",
        ),
        (
            "a=kannel://u:p@?accounts=*",
            "sender a: its URL cannot be read",
        ),
        (
            "a=kannel://u:p%0A@h?accounts=*",
            "sender a: its URL has a user or a password that no header can hold",
        ),
        ("a=smpp://u:p@h?accounts=*", "sender a: its URL has no port"),
        (
            "a=https://h?accounts=*",
            &format!("sender a: `secret` {missing}"),
        ),
        (
            "a=https://u:p@h?accounts=*&secret=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "sender a: its URL has a user or a password: `secret` signs",
        ),
        ("a=demo: a=demo:", "sender a comes more than once"),
    ] {
        assert_eq!(error(entry), expected, "{entry}");
    }
}

#[test]
fn errors_name_what_is_wrong_with_prices() {
    for (entry, expected) in [
        ("a=demo:?price=5", "sender a: `price` is not like `0.05EUR`"),
        (
            "a=demo:?prices=prices.csv",
            "sender a: `prices` is not `@` and a file",
        ),
        (
            "a=demo:?price=1EUR&prices=@prices.csv",
            "sender a: `prices` stands beside `price`",
        ),
        (
            "a=demo:?prices=@nowhere/prices.csv",
            "sender a: `prices`: nowhere/prices.csv cannot be read: entity not found",
        ),
    ] {
        assert_eq!(error(entry), expected, "{entry}");
    }
}

#[test]
fn errors_name_the_parameter_of_a_centre() {
    for (entry, expected) in [
        (
            "a=smpp://u:p@h:1?accounts=*&binds=17",
            "sender a: `binds` is not a whole number from 1 to 16",
        ),
        (
            "a=smpp://u:p@h:1?accounts=*&mode=rx",
            "sender a: `mode` is neither `trx` nor `txrx`",
        ),
        (
            "a=smpp://u:p@h:1?accounts=*&ids=oct",
            "sender a: `ids` is none of `auto`, `same`, `hex` and `decimal`",
        ),
        (
            "a=smpp://u:p@h:1?accounts=*&system_type=much_too_long",
            "sender a: `system_type` is not up to 12 ASCII characters",
        ),
    ] {
        assert_eq!(error(entry), expected, "{entry}");
    }
}

#[test]
fn what_a_message_comes_from_is_a_phone_a_short_code_or_a_name() {
    for text in [
        "+491701234521",
        "123",
        "12345",
        "Acme",
        "4You",
        "AcmeAcmeAcm",
    ] {
        let setting = one(&format!("a=demo:?from={text}"));
        assert_eq!(setting.from.as_deref(), Some(text));
    }
    let from = "is not a phone in E.164, a short code or up to 11 letters and digits";
    for text in ["Acme Ltd", "AcmeAcmeAcme", "+0123", "12", "Ac-me", ""] {
        let text = text.replace(' ', "%20");
        let expected = format!("sender a: `from` {from}");
        assert_eq!(error(&format!("a=demo:?from={text}")), expected);
    }
}

#[test]
fn at_twilio_a_messaging_service_sends() {
    let service = "MG0123456789abcdef0123456789ABCDEF";
    let setting = one(&format!("a=twilio://u:p@h?accounts=*&from={service}"));
    assert_eq!(setting.from_for("+15005550006"), Some(service));
    let kinds = ["vonage://u:p@h", "kannel://u:p@h", "demo:"];
    for entry in kinds.map(|url| format!("a={url}?accounts=*&from={service}")) {
        assert!(parse(&entry).is_err(), "{entry}");
    }
    let short = &service[..33];
    assert!(parse(&format!("a=twilio://u:p@h?accounts=*&from={short}")).is_err());
}

#[test]
fn an_entry_without_a_name_is_named_by_its_position() {
    for entry in [
        "https://u:secret@h?accounts=*",
        "A=demo:",
        "=demo:",
        "a_b=demo:",
        "demo:",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=demo:",
    ] {
        let shown = error(&format!("a=demo: {entry}"));
        assert!(shown.starts_with("entry 2 is not NAME=URL"), "{shown}");
        assert!(!shown.contains("secret"), "{shown}");
    }
}

proptest! {
    #[test]
    fn no_error_shows_what_was_written(
        scheme in "(twilio|vonage|kannel|smpp|https|[a-z]{1,9})",
        sep in "(:|://|)",
        rest in "[!-~]{0,40}",
    ) {
        let secret = "Geheim1Geheim2";
        let entry = format!("a={scheme}{sep}{secret}{rest}:{secret}@{secret}?{secret}={secret}&accounts=*");
        if let Err(error) = parse(&entry) {
            let shown = format!("{error} {error:?}");
            prop_assert!(!shown.to_lowercase().contains("geheim"), "{shown}");
            prop_assert!(!shown.contains('\n'));
        }
    }
}
