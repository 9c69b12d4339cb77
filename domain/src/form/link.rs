//! The links at the end of a form: privacy, imprint.

use serde::{Deserialize, Serialize};

use super::label::{FormTexts, Labels, TextKind};
use super::limits::{MAX_LINK_LABEL_CHARS, MAX_LINKS, MAX_URL_BYTES};
use crate::invalid::{Fault, code};
use crate::members::Members;

/// A link at the end of a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormLink {
    pub label: String,
    /// In other languages.
    #[serde(default, skip_serializing_if = "Labels::is_empty")]
    pub labels: Labels,
    /// Begins with `https://`.
    pub url: String,
}

/// Reads the member `links`; left out, there are none.
pub(super) fn read_links(form: &Members, texts: FormTexts<'_>) -> Vec<FormLink> {
    let entries = form.list("links", MAX_LINKS).into_iter().flatten();
    let kind = TextKind::Line(MAX_LINK_LABEL_CHARS);
    let links = entries.filter_map(|entry| {
        let entry = form.object(entry)?;
        let label = texts.text(&entry, "label", kind);
        let labels = texts.labels(&entry, "labels", kind);
        let url = entry.parsed("url", read_url);
        entry.no_others(&[]);
        Some(FormLink {
            label: label?,
            labels,
            url: url?,
        })
    });
    links.collect()
}

/// An address of a page that anybody may be led to: `https://`, a host, and nothing that is no part of a URL.
fn read_url(text: &str) -> Result<String, Fault> {
    let malformed = |detail| Err(Fault::new(code::MALFORMED, detail));
    let Some(rest) = text.strip_prefix("https://") else {
        return malformed("does not begin with https://");
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_host = host.contains('.') && !host.contains('@') && !host.starts_with(['.', ':']);
    let is_url = |byte: &u8| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(byte);
    if !is_host {
        malformed("has no host, such as www.example.com")
    } else if !text.as_bytes().iter().all(is_url) {
        malformed("holds a character that a URL cannot have")
    } else if text.len() > MAX_URL_BYTES {
        let detail = format!("has more than {MAX_URL_BYTES} bytes");
        Err(Fault::new(code::TOO_LONG, detail))
    } else {
        Ok(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_begins_with_https_and_has_a_host() {
        for text in [
            "https://example.com",
            "https://www.example.com:8443/a/b?c=%20#d",
            "https://xn--mnchen-3ya.de/impressum",
        ] {
            assert_eq!(read_url(text).as_deref(), Ok(text));
        }
        for text in [
            "",
            "example.com",
            "http://example.com",
            "javascript:alert(1)",
            "https://",
            "https:///a.b",
            "https://localhost",
            "https://bank.example@evil.example",
            "https://a.example/ b",
            "https://a.example/\"onclick",
            "https://münchen.de",
        ] {
            assert_eq!(read_url(text).unwrap_err().code, code::MALFORMED, "{text}");
        }
        let long = format!("https://a.example/{}", "a".repeat(MAX_URL_BYTES));
        assert_eq!(read_url(&long).unwrap_err().code, code::TOO_LONG);
    }
}
