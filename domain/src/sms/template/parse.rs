//! From the text of a template to its pieces.

use super::{MAX_TEMPLATE_CHARS, Piece, TemplateError as Error};
use crate::record::MAX_NAME_BYTES;

/// A field cannot have this name in a template.
const LINK: &str = "link";

pub(super) fn parse(source: &str) -> Result<Vec<Piece>, Error> {
    if source.trim().is_empty() {
        return Err(Error::Blank);
    }
    if source.chars().nth(MAX_TEMPLATE_CHARS).is_some() {
        return Err(Error::TooLong);
    }
    let is_refused = |c: char| c.is_control() && c != '\n';
    if let Some(index) = source.chars().position(is_refused) {
        return Err(Error::ControlCharacter { at: index + 1 });
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
        if piece == Piece::Link {
            if pieces.contains(&Piece::Link) {
                return Err(Error::LinkTwice { at });
            }
            let is_apart = |next: Option<char>| next.is_none_or(char::is_whitespace);
            if !is_apart(head.chars().next_back()) || !is_apart(after.chars().next()) {
                return Err(Error::LinkNotApart { at });
            }
        }
        pieces.push(Piece::Text(std::mem::take(&mut text)));
        pieces.push(piece);
        rest = after;
    }
    text.push_str(rest);
    pieces.push(Piece::Text(text));
    if pieces.contains(&Piece::Link) {
        Ok(pieces)
    } else {
        Err(Error::NoLink)
    }
}

/// Reads what comes after a `{`, which is the character `at`, and gives what comes after its `}`.
fn placeholder(text: &str, at: usize) -> Result<(Piece, &str), Error> {
    let unclosed = Error::Unclosed { at };
    // A brace or a new line in a name shows that the `}` was forgotten.
    let end = text.find(['}', '|', '{', '\n']).ok_or(unclosed)?;
    let (name, rest) = text.split_at(end);
    let (default, rest) = if let Some(rest) = rest.strip_prefix('}') {
        (None, rest)
    } else {
        let (default, rest) = rest.strip_prefix('|').and_then(default).ok_or(unclosed)?;
        (Some(default), rest)
    };
    let piece = match (name, default) {
        ("", _) => return Err(Error::EmptyName { at }),
        (LINK, Some(_)) => return Err(Error::LinkDefault { at }),
        (LINK, None) => Piece::Link,
        (name, _) if name.len() > MAX_NAME_BYTES => return Err(Error::NameTooLong { at }),
        (name, default) => Piece::Field {
            name: name.to_owned(),
            default,
        },
    };
    Ok((piece, rest))
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
