//! The JSON body against `serde_json` on the whole document: same verdict, same records, same problems.

use std::fmt;

use proptest::prelude::*;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::*;
use crate::record::{Member, MemberValue as Held, check};

/// A document as it is written: members in order, none lost.
enum Node {
    Object(Vec<(String, Node)>),
    Array(Vec<Node>),
    Text(String),
    Null,
    Other,
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Node;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("JSON")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Node::Object(members))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Node, A::Error> {
                let mut elements = Vec::new();
                while let Some(element) = seq.next_element()? {
                    elements.push(element);
                }
                Ok(Node::Array(elements))
            }
            fn visit_str<E>(self, text: &str) -> Result<Node, E> {
                Ok(Node::Text(text.to_owned()))
            }
            fn visit_unit<E>(self) -> Result<Node, E> {
                Ok(Node::Null)
            }
            fn visit_bool<E>(self, _: bool) -> Result<Node, E> {
                Ok(Node::Other)
            }
            fn visit_u64<E>(self, _: u64) -> Result<Node, E> {
                Ok(Node::Other)
            }
            fn visit_i64<E>(self, _: i64) -> Result<Node, E> {
                Ok(Node::Other)
            }
            fn visit_f64<E>(self, _: f64) -> Result<Node, E> {
                Ok(Node::Other)
            }
        }
        json.deserialize_any(Any)
    }
}

/// What the whole document says: its records and the pointer prefix, or that it is refused.
fn whole(body: &[u8]) -> Option<(Vec<Judged>, &'static str)> {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    serde_json::from_slice::<Value>(body).ok()?;
    let (elements, prefix) = match serde_json::from_slice(body).unwrap() {
        Node::Array(elements) => (elements, ""),
        Node::Object(mut members) => match members.pop() {
            Some((name, Node::Array(elements))) if name == "data" && members.is_empty() => {
                (elements, "/data")
            }
            _ => return None,
        },
        _ => return None,
    };
    Some((elements.iter().map(judge).collect(), prefix))
}

fn judge(element: &Node) -> Judged {
    let Node::Object(members) = element else {
        let detail = "the record is not an object".to_owned();
        return Err(BrokenRecord::whole(None, RecordCode::NotAnObject, detail));
    };
    let members = members.iter().map(|(name, value)| Member {
        name,
        value: match value {
            Node::Text(text) => Held::Text(text),
            Node::Null => Held::Null,
            Node::Object(_) | Node::Array(_) | Node::Other => Held::Other,
        },
    });
    owned(check(members, &mut Vec::new()))
}

/// Pieces of strings: plain, escaped, and some that no string may have.
fn string() -> impl Strategy<Value = Vec<u8>> {
    let good = prop::sample::select(vec![
        &b"a"[..],
        b"docid",
        b"+491701234521",
        b"\xc3\xa9",
        b"\\n",
        b"\\\"",
        b"\\\\",
        b"\\/",
        b"\\u0041",
        b"\\ud83d\\ude00",
        b"\\u0000",
        b"{",
        b"]",
        b",",
        b"\x7f",
        b"\xf0\x9f\x98\x80",
    ]);
    let bad = prop::sample::select(vec![
        &b"\\ud800"[..],
        b"\\udc00",
        b"\\x",
        b"\\u12",
        b"\xff",
        b"\xc3",
        b"\xed\xa0\x80",
        b"\n",
        b"\0",
        b"\\",
    ]);
    let piece = prop_oneof![150 => good, 1 => bad];
    prop::collection::vec(piece, 0..5).prop_map(|pieces| {
        let mut text = b"\"".to_vec();
        for piece in pieces {
            text.extend_from_slice(piece);
        }
        text.push(b'"');
        text
    })
}

fn scalar() -> impl Strategy<Value = Vec<u8>> {
    let long = "9".repeat(350);
    let words: Vec<Vec<u8>> = [
        "null",
        "true",
        "false",
        "0",
        "-1",
        "1.5e-3",
        "18446744073709551616",
    ]
    .into_iter()
    .map(Into::into)
    .chain([format!("{long}e-300").into(), format!("0.{long}e99").into()])
    .collect();
    let broken: Vec<Vec<u8>> = [
        "01", "1.", "-", "1e999", "nul", "tru", "+1", ".5", "NaN", "",
    ]
    .into_iter()
    .map(Into::into)
    .chain([long.into_bytes()])
    .collect();
    prop_oneof![
        30 => string(),
        20 => prop::sample::select(words),
        1 => prop::sample::select(broken),
    ]
}

fn blank() -> impl Strategy<Value = &'static [u8]> {
    prop::sample::select(vec![&b""[..], b"", b"", b" ", b"\n", b"\r\n\t "])
}

fn joined(open: u8, items: Vec<Vec<u8>>, blank: &[u8], close: u8) -> Vec<u8> {
    let mut text = vec![open];
    for (n, item) in items.into_iter().enumerate() {
        if n > 0 {
            text.push(b',');
        }
        text.extend_from_slice(blank);
        text.extend(item);
        text.extend_from_slice(blank);
    }
    text.push(close);
    text
}

fn member(value: impl Strategy<Value = Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    let names = prop::sample::select(vec![
        &b"\"docid\""[..],
        b"\"phone\"",
        b"\"a\"",
        b"\"\\u0061\"",
    ]);
    let name = prop_oneof![names.prop_map(<[u8]>::to_vec), string()];
    (name, blank(), value)
        .prop_map(|(name, blank, value)| [&name, blank, b":", blank, &value].concat())
}

fn value() -> impl Strategy<Value = Vec<u8>> {
    scalar().prop_recursive(4, 24, 5, |inner| {
        let elements = prop::collection::vec(inner.clone(), 0..4);
        let members = prop::collection::vec(member(inner), 0..4);
        prop_oneof![
            (elements, blank()).prop_map(|(items, blank)| joined(b'[', items, blank, b']')),
            (members, blank()).prop_map(|(items, blank)| joined(b'{', items, blank, b'}')),
        ]
    })
}

fn record() -> impl Strategy<Value = Vec<u8>> {
    let more = prop::collection::vec(member(string()), 0..3);
    (string(), more, blank()).prop_map(|(docid, more, blank)| {
        let mut members = vec![
            [b"\"docid\":", docid.as_slice()].concat(),
            b"\"phone\":\"+491701234521\"".to_vec(),
        ];
        members.extend(more);
        joined(b'{', members, blank, b'}')
    })
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    let element = prop_oneof![3 => record(), 1 => value()];
    let array = (prop::collection::vec(element, 0..6), blank())
        .prop_map(|(items, blank)| joined(b'[', items, blank, b']'))
        .boxed();
    let wrapped = |array: Vec<u8>| [b"{\"data\":", array.as_slice(), b"}"].concat();
    let outer = prop_oneof![
        10 => array.clone(),
        10 => array.clone().prop_map(wrapped),
        2 => array.prop_map(|array| [b"\xef\xbb\xbf", array.as_slice(), b"\n"].concat()),
        1 => value(),
    ];
    (outer, prop::collection::vec(mutation(), 0..3)).prop_map(|(mut body, mutations)| {
        for (kind, at, length, byte) in mutations {
            let at = at.index(body.len() + 1);
            let end = (at + length).min(body.len());
            match kind {
                0 => body.truncate(at),
                1 => drop(body.splice(at..end, [byte])),
                2 => body.insert(at, byte),
                3 => drop(body.drain(at..end)),
                _ => {
                    let copy = body[at..end].to_vec();
                    body.splice(at..at, copy);
                }
            }
        }
        body
    })
}

fn mutation() -> impl Strategy<Value = (u8, prop::sample::Index, usize, u8)> {
    let bytes = prop_oneof![
        prop::sample::select(b"[]{},:\"\\ \n01eE.-\0\xff".to_vec()),
        any::<u8>(),
    ];
    (0_u8..5, any::<prop::sample::Index>(), 0_usize..9, bytes)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn the_verdict_is_that_of_the_whole_document(
        body in body(),
        window in 1_usize..80,
        sizes in prop::collection::vec(0_usize..9, 1..4).prop_filter("all zero", |s| s.iter().any(|n| *n > 0)),
    ) {
        let expected = whole(&body);
        for seen in [
            read(BodyKind::Json, &body, window, &sizes),
            drain(RecordReader::new(BodyKind::Json, &body[..])),
        ] {
            match (seen, &expected) {
                (Ok(seen), Some(expected)) => prop_assert_eq!(&seen, expected),
                (Err(BodyError::Syntax { offset, .. }), None) => {
                    prop_assert!(offset <= body.len() as u64);
                }
                (seen, expected) => prop_assert!(false, "{seen:?} is not {expected:?}"),
            }
        }
    }

    #[test]
    fn the_offset_does_not_depend_on_the_pieces(body in body(), window in 1_usize..80, size in 1_usize..9) {
        let at_once = drain(RecordReader::new(BodyKind::Json, &body[..]));
        let in_pieces = read(BodyKind::Json, &body, window, &[size]);
        prop_assert_eq!(format!("{at_once:?}"), format!("{in_pieces:?}"));
    }
}
