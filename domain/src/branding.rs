//! Branding: what makes the pages behind an account's links its own.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::invalid::{Fault, Invalid, code};
use crate::members::read_body;

/// Characters of a name.
pub const MAX_NAME_CHARS: usize = 100;
/// Bytes of a logo.
pub const MAX_LOGO_BYTES: usize = 100_000;

const PNG: &str = "data:image/png;base64,";
const SVG: &str = "data:image/svg+xml;base64,";
/// With what a PNG begins (ISO/IEC 15948, 5.2).
const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
/// Elements of SVG that run or bring something else.
const ACTIVE_ELEMENTS: [&str; 7] = [
    "script",
    "foreignobject",
    "iframe",
    "handler",
    "listener",
    "!entity",
    "!attlist",
];
/// The relative luminance from which on black stands out from a colour more than white does.
const LIGHT: f64 = 0.179;

/// An account's own; what is `None` is as the service has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Branding {
    /// Whose pages they are, as their readers know it.
    #[schema(max_length = 100, example = "Acme")]
    pub name: Option<String>,
    /// A PNG, or an SVG without script, of at most 100,000 bytes, as a `data:` URL in base64.
    #[schema(value_type = Option<String>, pattern = "^data:image/(png|svg\\+xml);base64,")]
    pub logo: Option<Logo>,
    /// Of buttons and the edge of the page.
    #[schema(value_type = Option<String>, pattern = "^#[0-9a-fA-F]{6}$", example = "#2c4cc4")]
    pub color: Option<Color>,
    /// Of the pages' own words, for readers whose own languages the service does not have.
    #[schema(pattern = "^[a-z]{2}$", example = "en")]
    pub language: Option<String>,
}

impl Branding {
    /// Reads a request's body, in which the language is one of `languages`.
    ///
    /// # Errors
    /// Everything that is wrong.
    pub fn parse(body: &Value, languages: &[&str]) -> Result<Self, Vec<Invalid>> {
        let one_of = |text: &str| {
            let detail = || format!("is not one of {}", languages.join(", "));
            let known = languages.contains(&text).then(|| text.to_owned());
            known.ok_or_else(|| Fault::new(code::NOT_OFFERED, detail()))
        };
        read_body(body, &[], |body| {
            let [has_name, has_logo, has_color, has_language] =
                ["name", "logo", "color", "language"].map(|name| body.get(name).is_some());
            Some(Self {
                name: has_name
                    .then(|| body.line("name", MAX_NAME_CHARS))
                    .flatten(),
                logo: has_logo.then(|| body.parsed("logo", Logo::parse)).flatten(),
                color: has_color
                    .then(|| body.parsed("color", Color::parse))
                    .flatten(),
                language: has_language
                    .then(|| body.parsed("language", one_of))
                    .flatten(),
            })
        })
    }
}

/// A PNG, or an SVG that runs nothing, as a `data:` URL in base64.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Logo(String);

impl Logo {
    /// # Errors
    /// It is no such URL, it has more than 100,000 bytes, or it is not what it says it is.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let malformed = |detail: &str| Fault::new(code::MALFORMED, detail);
        let logo = Self(text.to_owned());
        let (kind, bytes) = logo.image().ok_or_else(|| {
            malformed("is not a data: URL in base64 of image/png or image/svg+xml")
        })?;
        if bytes.len() > MAX_LOGO_BYTES {
            let detail = format!("has more than {MAX_LOGO_BYTES} bytes");
            return Err(Fault::new(code::TOO_LONG, detail));
        }
        match kind {
            "image/png" if !bytes.starts_with(PNG_SIGNATURE) => Err(malformed("is not a PNG")),
            "image/svg+xml" if !is_still(&bytes) => Err(malformed(
                "is not an SVG, or has a script or a part from elsewhere",
            )),
            _ => Ok(logo),
        }
    }

    /// Its media type and its bytes.
    pub fn image(&self) -> Option<(&'static str, Vec<u8>)> {
        let (kind, bytes) = match self.0.strip_prefix(PNG) {
            Some(bytes) => ("image/png", bytes),
            None => ("image/svg+xml", self.0.strip_prefix(SVG)?),
        };
        Some((kind, STANDARD.decode(bytes).ok()?))
    }

    /// What was judged before.
    pub fn of_stored(text: String) -> Self {
        Self(text)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether it is an SVG without active elements, handlers of events and `javascript:`. It is a first look: the pages themselves let
/// no image run anything.
fn is_still(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    let text = text.to_ascii_lowercase();
    let elements = text.split('<').skip(1).map(|tag| {
        let name = tag.split(|c: char| c.is_whitespace() || c == '>' || c == '/');
        let name = name.into_iter().next().unwrap_or_default();
        name.rsplit(':').next().unwrap_or_default()
    });
    let mut attributes = text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '/'));
    let is_handler = |text: &str| {
        let name = text.split('=').next().unwrap_or_default();
        name.len() > 2 && name.starts_with("on") && text.len() > name.len()
    };
    elements.clone().any(|name| name == "svg")
        && !elements.clone().any(|name| ACTIVE_ELEMENTS.contains(&name))
        && !attributes.any(is_handler)
        && !text.contains("javascript:")
}

/// A colour as `#rrggbb`, in small letters.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Color(String);

impl Color {
    /// # Errors
    /// It is not `#` and six hexadecimal digits.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let digits = text.strip_prefix('#').unwrap_or_default();
        if digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            Ok(Self(text.to_ascii_lowercase()))
        } else {
            let detail = "is not a colour such as #2c4cc4";
            Err(Fault::new(code::MALFORMED, detail))
        }
    }

    /// Black or white: whichever stands out more from it, by the relative luminance of WCAG 2.2.
    pub fn text_on(&self) -> &'static str {
        let channel = |place: usize| {
            let digits = self.0.get(place..place + 2).unwrap_or_default();
            let value = f64::from(u8::from_str_radix(digits, 16).unwrap_or_default()) / 255.0;
            if value <= 0.04045 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        };
        let luminance = 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
        if luminance > LIGHT { "#000" } else { "#fff" }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn svg(text: &str) -> Result<Logo, Fault> {
        Logo::parse(&format!("{SVG}{}", STANDARD.encode(text)))
    }

    #[test]
    fn a_logo_is_a_png_or_a_still_svg() {
        let still = "<?xml version=\"1.0\"?><!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"svg11.dtd\"><svg xmlns=\"http://www.w3.org/2000/svg\" font-size=\"1\"><path d=\"M0 0\"/></svg>";
        assert_eq!(svg(still).unwrap().image().unwrap().0, "image/svg+xml");
        let png = STANDARD.encode([PNG_SIGNATURE, b"rest"].concat());
        assert!(Logo::parse(&format!("{PNG}{png}")).is_ok());
        for hostile in [
            "<p>none</p>",
            "<svg><script>alert(1)</script></svg>",
            "<svg><s:Script/></svg>",
            "<svg onload=\"alert(1)\"/>",
            "<svg/onLoad=alert(1)>",
            "<svg><a href='javascript:alert(1)'/></svg>",
            "<svg><foreignObject/></svg>",
            "<!DOCTYPE svg [<!ENTITY x \"y\">]><svg/>",
        ] {
            assert_eq!(svg(hostile).unwrap_err().code, code::MALFORMED, "{hostile}");
        }
        let long = format!("<svg>{}</svg>", " ".repeat(MAX_LOGO_BYTES));
        assert_eq!(svg(&long).unwrap_err().code, code::TOO_LONG);
        for text in ["", "data:image/gif;base64,AAAA", "data:image/png;base64,!"] {
            assert!(Logo::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_text_on_a_colour_can_be_read() {
        for (color, text) in [
            ("#000000", "#fff"),
            ("#2C4CC4", "#fff"),
            ("#ffd400", "#000"),
            ("#777777", "#000"),
        ] {
            assert_eq!(Color::parse(color).unwrap().text_on(), text, "{color}");
        }
        for text in ["", "red", "#fff", "#12345g", "#1234567", "#ä1234"] {
            assert!(Color::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn all_that_is_wrong_is_told() {
        let wrong = json!({"name": "", "logo": 1, "color": "red", "language": "xx", "more": 1});
        let wrong = Branding::parse(&wrong, &["en", "de"]).unwrap_err();
        let pointers: Vec<_> = wrong.iter().map(|one| one.pointer.as_str()).collect();
        assert_eq!(pointers, ["/name", "/logo", "/color", "/language", "/more"]);
        let empty = Branding::parse(&json!({"name": null}), &[]).unwrap();
        assert_eq!(empty, Branding::default());
    }
}
