//! From the text of a template to its pieces.

use super::{MAX_TEMPLATE_CHARS, TemplatePart};
use crate::invalid::{Fault, code};
use crate::record::MAX_NAME_BYTES;

/// A field cannot have this name in a template.
const LINK: &str = "link";

pub(super) fn parse(source: &str) -> Result<Vec<TemplatePart>, Fault> {
    if source.trim().is_empty() {
        return Err(Fault::new(code::BLANK, "is empty or white space only"));
    }
    if source.chars().nth(MAX_TEMPLATE_CHARS).is_some() {
        let detail = format!("has more than {MAX_TEMPLATE_CHARS} characters");
        return Err(Fault::new(code::TOO_LONG, detail));
    }
    let is_refused = |c: char| c.is_control() && c != '\n';
    if let Some(index) = source.chars().position(is_refused) {
        let detail = "holds a control character that is no line break at character";
        let detail = format!("{detail} {}", index + 1);
        return Err(Fault::new(code::CONTROL_CHARACTER, detail));
    }
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut rest = source;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        if let Some(after) = after.strip_prefix('{') {
            text.push('{');
            rest = after;
            continue;
        }
        let (head, _) = source.split_at(source.len() - after.len() - 1);
        let at = head.chars().count() + 1;
        let (piece, after) = placeholder(after, at)?;
        if piece == TemplatePart::Link {
            if pieces.contains(&TemplatePart::Link) {
                return Err(malformed("has a second {link}", at));
            }
            let is_apart = |next: Option<char>| next.is_none_or(char::is_whitespace);
            if !is_apart(head.chars().next_back()) || !is_apart(after.chars().next()) {
                return Err(malformed("has no white space around the {link}", at));
            }
        }
        pieces.push(TemplatePart::Text(std::mem::take(&mut text)));
        pieces.push(piece);
        rest = after;
    }
    text.push_str(rest);
    pieces.push(TemplatePart::Text(text));
    Ok(pieces)
}

/// Reads what comes after a `{`, which is the character `at`, and gives what comes after its `}`.
fn placeholder(text: &str, at: usize) -> Result<(TemplatePart, &str), Fault> {
    let unclosed = || {
        malformed(
            "has a { that no } closes ({{ is a brace in the message)",
            at,
        )
    };
    // A brace or a new line in a name shows that the `}` was forgotten.
    let end = text.find(['}', '|', '{', '\n']).ok_or_else(unclosed)?;
    let (name, rest) = text.split_at(end);
    let (default, rest) = if let Some(rest) = rest.strip_prefix('}') {
        (None, rest)
    } else {
        let (default, rest) = rest
            .strip_prefix('|')
            .and_then(default)
            .ok_or_else(unclosed)?;
        (Some(default), rest)
    };
    let piece = match (name, default) {
        ("", _) => {
            return Err(malformed(
                "names no field between braces ({{ is a brace in the message)",
                at,
            ));
        }
        (LINK, Some(_)) => {
            return Err(malformed(
                "has a default text for the {link}, which is never missing,",
                at,
            ));
        }
        (LINK, None) => TemplatePart::Link,
        (name, _) if name.len() > MAX_NAME_BYTES => {
            let what = format!("has a name of more than {MAX_NAME_BYTES} bytes");
            return Err(malformed(&what, at));
        }
        (name, default) => TemplatePart::Field {
            name: name.to_owned(),
            default,
        },
    };
    Ok((piece, rest))
}

/// `at` is the number of the character.
fn malformed(what: &str, at: usize) -> Fault {
    Fault::new(code::MALFORMED, format!("{what} at character {at}"))
}

/// Reads a default text, and gives what comes after its `}`. `None` if there is no such.
fn default(mut rest: &str) -> Option<(String, &str)> {
    let mut text = String::new();
    loop {
        let (before, after) = rest.split_at(rest.find(['{', '}'])?);
        text.push_str(before);
        if let Some(after) = after.strip_prefix('}') {
            return Some((text, after));
        }
        rest = after.strip_prefix("{{")?;
        text.push('{');
    }
}
