//! Branding: what makes the pages behind an account's links its own.

use std::fmt;
use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use svg_hush::Filter;
use svg_hush::data_url_filter::DataUrlFilterResult;

use crate::changes::Logged;
use crate::invalid::{Fault, Invalid, code, read_line};
use crate::members::read_body;
use crate::svg::{Drawing, MAX_DRAWN};

/// Characters of a name.
pub const MAX_NAME_CHARS: usize = 100;
/// Bytes of a logo.
pub const MAX_LOGO_BYTES: usize = 100_000;

/// The media types of logos, and with what their files begin (ISO/IEC 15948, 5.2; ITU-T T.81, B.1.1.3; RFC 9649, 2.4).
const PNG: &str = "image/png";
const JPEG: &str = "image/jpeg";
const WEBP: &str = "image/webp";
const SVG: &str = "image/svg+xml";
const KINDS: [&str; 4] = [PNG, JPEG, WEBP, SVG];
const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
const JPEG_SIGNATURE: &[u8] = b"\xff\xd8\xff";
/// The relative luminance from which on black stands out from a colour more than white does.
const LIGHT: f64 = 0.179;
/// The contrast of texts to what is behind them on the pages of links.
const CONTRAST: f64 = 7.0;
/// Per cent of a card behind what is chosen on it.
const TINT: u32 = 88;
/// How often an SVG is cleaned until that changes nothing: most twice, of which the second finds nothing.
const PASSES: usize = 4;

/// An account's own; what is `None` is as the service has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Branding {
    /// Whose pages they are, as their readers know it.
    pub name: Option<String>,
    /// A PNG, JPEG, WebP or SVG of at most 100,000 bytes, as a `data:` URL in base64. Of an SVG what images need stays, and of its parts at most 10,000 are drawn.
    pub logo: Option<Logo>,
    /// Of buttons, the edge of the page, and, so that it stands out, of what is chosen, links and the focus.
    pub color: Option<Color>,
    /// Of the pages' own words, for readers whose own languages the service does not have.
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
        let name = |text: &str| read_line(text, MAX_NAME_CHARS);
        read_body(body, &[], |body| {
            Some(Self {
                name: body.optional("name", name),
                logo: body.optional("logo", Logo::parse),
                color: body.optional("color", Color::parse),
                language: body.optional("language", one_of),
            })
        })
    }
}

impl Logged for Branding {
    /// The logo by its kind, its size and its SHA-256.
    fn logged(&self) -> Value {
        let mut content = json!(self);
        if let Some((kind, bytes)) = self.logo.as_ref().and_then(Logo::image) {
            let hash = hex::encode(Sha256::digest(&bytes));
            content["logo"] = format!("{kind}, {} bytes, SHA-256 {hash}", bytes.len()).into();
        }
        content
    }
}

/// An image that runs nothing and leads nowhere, as a `data:` URL in base64.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Logo(String);

impl Logo {
    /// An SVG is written anew with what images need and nothing else.
    ///
    /// # Errors
    /// It is no such URL, it has more than 100,000 bytes, it is not what it says it is, or of an SVG more is drawn than a page should.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let malformed = |detail: String| Fault::new(code::MALFORMED, detail);
        let logo = Self(text.to_owned());
        let (kind, bytes) = logo.image().ok_or_else(|| {
            let kinds = KINDS.join(", ");
            malformed(format!("is not a data: URL in base64 of one of {kinds}"))
        })?;
        let too_long = || {
            let detail = format!("has more than {MAX_LOGO_BYTES} bytes");
            Fault::new(code::TOO_LONG, detail)
        };
        if bytes.len() > MAX_LOGO_BYTES {
            return Err(too_long());
        }
        if kind != SVG {
            let is = is_raster(kind, &bytes);
            return is
                .then_some(logo)
                .ok_or_else(|| malformed(format!("is not {kind}")));
        }
        let clean = cleaned(&bytes).map_err(malformed)?.ok_or_else(too_long)?;
        if Drawing::read(&clean).map_err(malformed)?.is_endless() {
            let detail = format!("repeats its parts until it draws more than {MAX_DRAWN} of them");
            return Err(Fault::new(code::TOO_MANY, detail));
        }
        Ok(Self(format!(
            "data:{SVG};base64,{}",
            STANDARD.encode(clean)
        )))
    }

    /// Its media type and its bytes.
    pub fn image(&self) -> Option<(&'static str, Vec<u8>)> {
        let (given, bytes) = self.0.strip_prefix("data:")?.split_once(";base64,")?;
        let kind = KINDS.into_iter().find(|kind| *kind == given)?;
        Some((kind, STANDARD.decode(bytes).ok()?))
    }

    /// An image that was checked when it was stored.
    pub fn of_stored(text: String) -> Self {
        Self(text)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether the bytes begin with the signature of this media type.
fn is_raster(kind: &str, bytes: &[u8]) -> bool {
    match kind {
        PNG => bytes.starts_with(PNG_SIGNATURE),
        JPEG => bytes.starts_with(JPEG_SIGNATURE),
        WEBP => bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP"),
        _ => false,
    }
}

/// What is written of an SVG, up to as much as a logo may have: each element is indented by its depth, so a deep one becomes a
/// thousand times as large.
#[derive(Default)]
struct Written {
    bytes: Vec<u8>,
    is_too_long: bool,
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.is_too_long |= self.bytes.len() + bytes.len() > MAX_LOGO_BYTES;
        if self.is_too_long {
            return Err(io::Error::other("too long"));
        }
        self.bytes.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The SVG without scripts, styles from elsewhere and whatever else an image does not need; `Err`: why there is none; `None`: it is
/// too long. Cleaning it again changes nothing: a browser reads what was looked at.
fn cleaned(bytes: &[u8]) -> Result<Option<Vec<u8>>, String> {
    let mut before = bytes.to_vec();
    for _ in 0..PASSES {
        let Some(clean) = filtered(&before)? else {
            return Ok(None);
        };
        if clean == before {
            return Ok(Some(clean));
        }
        before = clean;
    }
    Err("reads differently each time that it is cleaned".to_owned())
}

fn filtered(bytes: &[u8]) -> Result<Option<Vec<u8>>, String> {
    let mut filter = Filter::new();
    filter.set_data_url_filter(|url| {
        let kind = url.mime_type();
        let is_image = kind.type_ == "image";
        if is_image && matches!(kind.subtype.as_str(), "png" | "jpeg" | "webp") {
            DataUrlFilterResult::Keep
        } else {
            DataUrlFilterResult::Drop
        }
    });
    let mut clean = Written::default();
    let read = filter.filter(&mut &*bytes, &mut clean);
    if clean.is_too_long {
        return Ok(None);
    }
    let clean = clean.bytes;
    read.map_err(|error| {
        format!("is not an SVG, of the namespace http://www.w3.org/2000/svg: {error}")
    })?;
    // What is left of a reference to elsewhere is a path of the service, in styles too.
    let text = String::from_utf8_lossy(&clean).to_ascii_lowercase();
    let of_styles = text.split("url(").skip(1).filter(|to| !to.starts_with(')'));
    let mut references = text.split("href=\"").skip(1).chain(of_styles);
    let leads_away = |to: &str| !to.starts_with('#') && !to.starts_with("data:image/");
    if references.any(leads_away) {
        return Err("refers to something that is not in it".to_owned());
    }
    Ok(Some(clean))
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
        if self.luminance() > LIGHT {
            "#000"
        } else {
            "#fff"
        }
    }

    /// As what is chosen, links and the focus have it on a card, a colour as `#rrggbb`: mixed with black or white by as little as gives it
    /// a contrast of 7:1.
    #[must_use]
    pub fn readable_on(&self, card: &str) -> Self {
        let card = Self(card.to_owned());
        let end = match card.text_on() {
            "#000" => "#000000",
            _ => "#ffffff",
        };
        let mut mixed = (0..=20).map(|step| self.mixed(end, 5 * step));
        let found = mixed.find(|one| one.contrast(&card) >= CONTRAST);
        found.unwrap_or_else(|| Self(end.to_owned()))
    }

    /// A little of it on a card, a colour as `#rrggbb`: behind what is chosen.
    #[must_use]
    pub fn tint_on(&self, card: &str) -> Self {
        self.readable_on(card).mixed(card, TINT)
    }

    /// With so many per cent of another.
    fn mixed(&self, other: &str, share: u32) -> Self {
        let other = Self(other.to_owned());
        let channels = [1, 3, 5].map(|place| {
            let (own, other) = (self.channel(place), other.channel(place));
            let mixed = (u32::from(own) * (100 - share) + u32::from(other) * share) / 100;
            format!("{mixed:02x}")
        });
        Self(format!("#{}", channels.concat()))
    }

    fn contrast(&self, other: &Self) -> f64 {
        let (one, other) = (self.luminance(), other.luminance());
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    fn luminance(&self) -> f64 {
        let linear = |place: usize| {
            let value = f64::from(self.channel(place)) / 255.0;
            if value <= 0.04045 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * linear(1) + 0.7152 * linear(3) + 0.0722 * linear(5)
    }

    /// The value of the two digits at this place.
    fn channel(&self, place: usize) -> u8 {
        let digits = self.0.get(place..place + 2).unwrap_or_default();
        u8::from_str_radix(digits, 16).unwrap_or_default()
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

    const BEGIN: &str =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\">";

    fn logo(kind: &str, bytes: impl AsRef<[u8]>) -> Result<Logo, Fault> {
        Logo::parse(&format!("data:{kind};base64,{}", STANDARD.encode(bytes)))
    }

    fn svg(text: &str) -> Result<String, &'static str> {
        let logo = logo(SVG, text).map_err(|fault| fault.code)?;
        Ok(String::from_utf8(logo.image().unwrap().1).unwrap())
    }

    #[test]
    fn a_logo_is_what_it_says_it_is() {
        let webp = b"RIFF\x04\0\0\0WEBPVP8 ".as_slice();
        let files = [(PNG, PNG_SIGNATURE), (JPEG, JPEG_SIGNATURE), (WEBP, webp)];
        for (kind, bytes) in files {
            assert_eq!(logo(kind, bytes).unwrap().image().unwrap().0, kind);
            for (other, _) in files.into_iter().filter(|(other, _)| *other != kind) {
                assert!(logo(other, bytes).is_err(), "{kind} as {other}");
            }
        }
        for text in ["", "data:image/gif;base64,AAAA", "data:image/png;base64,!"] {
            assert!(Logo::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn of_an_svg_stays_what_an_image_needs() {
        let doctype = "<?xml version=\"1.0\"?><!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"svg11.dtd\">";
        let still =
            format!("{doctype}{BEGIN}<path id=\"a\" d=\"M0 0\"/><use xlink:href=\"#a\"/></svg>");
        let clean = svg(&still).unwrap();
        assert!(
            clean.contains("M0 0") && clean.contains("\"#a\""),
            "{clean}"
        );
        for hostile in [
            "<script>evil</script>",
            "<path onload=\"evil\"/>",
            "<foreignObject><meta xmlns=\"http://www.w3.org/1999/xhtml\" http-equiv=\"refresh\" content=\"0;url=//evil\"/></foreignObject>",
            "<style>@import '//evil';</style>",
            "<style>@font-face{src:url(//evil)}</style>",
            "<path fill=\"url(//evil)\" style=\"fill:url(//evil)\"/>",
            "<?xml-stylesheet href=\"//evil\"?>",
            "<a href=\"javascript:evil\"/>",
            "<image href=\"data:image/svg+xml,evil\"/>",
        ] {
            let clean = svg(&format!("{BEGIN}{hostile}<path d=\"M0 0\"/></svg>")).unwrap();
            assert!(!clean.contains("evil") && clean.contains("M0 0"), "{clean}");
        }
        for hostile in ["image", "use", "feImage"] {
            let away =
                format!("{BEGIN}<{hostile} xlink:href=\"https://a.example/evil.svg#a\"/></svg>");
            assert_eq!(svg(&away), Err(code::MALFORMED), "{hostile}");
        }
        for away in ["https://a.example/evil.svg#a", "evil.svg"] {
            let style = format!("{BEGIN}<path style=\"fill:url({away})\"/></svg>");
            assert_eq!(svg(&style), Err(code::MALFORMED), "{away}");
        }
        for none in ["", "<p>none</p>", BEGIN] {
            assert_eq!(svg(none), Err(code::MALFORMED), "{none}");
        }
        let long = format!("{BEGIN}{}</svg>", " ".repeat(MAX_LOGO_BYTES));
        assert_eq!(svg(&long), Err(code::TOO_LONG));
        let deep = format!("{BEGIN}{}", "<g>".repeat(24_500));
        assert_eq!(svg(&deep), Err(code::TOO_LONG));
        let groups = (0..10).map(|n| {
            let uses = format!("<use href=\"#l{n}\"/>").repeat(10);
            format!("<g id=\"l{}\">{uses}</g>", n + 1)
        });
        let laughs = groups.collect::<Vec<_>>().concat();
        let laughs = format!("{BEGIN}<path id=\"l0\" d=\"M0 0\"/>{laughs}</svg>");
        assert_eq!(svg(&laughs), Err(code::TOO_MANY));
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
    fn a_colour_is_told_apart_from_every_card() {
        for card in ["#ffffff", "#171d27"] {
            for color in [
                "#000000", "#2c4cc4", "#ffd400", "#777777", "#c8102e", "#ffffff",
            ] {
                let color = Color::parse(color).unwrap();
                let card_color = Color::parse(card).unwrap();
                let shown = color.readable_on(card);
                assert!(shown.contrast(&card_color) >= CONTRAST, "{color} on {card}");
                let ink = Color::parse(if card == "#ffffff" {
                    "#1a2233"
                } else {
                    "#e8ecf3"
                });
                let tint = color.tint_on(card);
                assert!(
                    ink.unwrap().contrast(&tint) >= CONTRAST,
                    "{color} on {card}"
                );
            }
        }
        // What stands out already stays.
        let blue = Color::parse("#1f389b").unwrap();
        assert_eq!(blue.readable_on("#ffffff"), blue);
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
