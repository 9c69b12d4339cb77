//! Bodies of names and values: `application/x-www-form-urlencoded` and `multipart/form-data`.

use std::convert::Infallible;

use bytes::Bytes;
use futures::stream;
use multer::Multipart;
use percent_encoding::percent_decode;

use crate::{Code, Problem, Result};

/// Names and values in the order in which they came; a name may come again.
pub type Pairs = Vec<(String, String)>;

/// More than the largest form sends: 100 fields with 100 choices each.
const MAX_PAIRS: usize = 20_000;

/// Reads `application/x-www-form-urlencoded`. A `%` that no two hexadecimal digits follow stands for itself.
///
/// # Errors
/// 400 `invalid_form` with the place of what is not UTF-8.
pub fn urlencoded(bytes: &[u8]) -> Result<Pairs> {
    let mut pairs = Vec::new();
    let mut at = 0;
    for piece in bytes.split(|byte| *byte == b'&') {
        if !piece.is_empty() {
            let mut halves = piece.splitn(2, |byte| *byte == b'=');
            let name = halves.next().unwrap_or_default();
            let value = halves.next().unwrap_or_default();
            let pair = (decode(name, at)?, decode(value, at + name.len() + 1)?);
            push(&mut pairs, pair)?;
        }
        at += piece.len() + 1;
    }
    Ok(pairs)
}

/// One name or value that begins at byte `at` of the body.
fn decode(text: &[u8], at: usize) -> Result<String> {
    let spaced: Vec<u8> = text
        .iter()
        .map(|byte| if *byte == b'+' { b' ' } else { *byte })
        .collect();
    String::from_utf8(percent_decode(&spaced).collect())
        .map_err(|_| invalid(format!("not UTF-8 in what begins at byte {at}")))
}

/// Reads `multipart/form-data`, whose parts are all text.
///
/// # Errors
/// 400 `invalid_form` for a body that is cut short or not UTF-8, and for a header that names no boundary.
pub async fn multipart(content_type: &str, bytes: Bytes) -> Result<Pairs> {
    let boundary = multer::parse_boundary(content_type)
        .map_err(|_| invalid("Content-Type names no boundary of the parts".to_owned()))?;
    if let Err(error) = str::from_utf8(&bytes) {
        let at = error.valid_up_to();
        return Err(invalid(format!("not UTF-8 at byte {at}")));
    }
    let length = bytes.len();
    let broken = |error: multer::Error| invalid(format!("of {length} bytes: {error}"));
    let whole = stream::iter([Ok::<_, Infallible>(bytes)]);
    let mut parts = Multipart::new(whole, boundary);
    let mut pairs = Vec::new();
    while let Some(part) = parts.next_field().await.map_err(broken)? {
        let name = part.name().unwrap_or_default().to_owned();
        let value = part.bytes().await.map_err(broken)?;
        let value = String::from_utf8(value.into())
            .map_err(|_| invalid(format!("the part {name:?} is not UTF-8")))?;
        push(&mut pairs, (name, value))?;
    }
    Ok(pairs)
}

fn push(pairs: &mut Pairs, pair: (String, String)) -> Result<()> {
    if pairs.len() == MAX_PAIRS {
        return Err(invalid(format!("more than {MAX_PAIRS} members")));
    }
    pairs.push(pair);
    Ok(())
}

fn invalid(detail: String) -> Problem {
    Problem::new(Code::InvalidForm, detail)
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    fn read(body: &str) -> Vec<(String, String)> {
        urlencoded(body.as_bytes()).unwrap()
    }

    fn pairs(pairs: &[(&str, &str)]) -> Pairs {
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn names_and_values_are_decoded_in_their_order() {
        assert_eq!(
            read("a=1&b=2+%2B&a=%C3%A4=%3D&&c&=d"),
            pairs(&[("a", "1"), ("b", "2 +"), ("a", "ä=="), ("c", ""), ("", "d")])
        );
        assert_eq!(
            read("a=%&b=%2&c=%zz"),
            pairs(&[("a", "%"), ("b", "%2"), ("c", "%zz")])
        );
        assert!(read("").is_empty() && read("&&").is_empty());
    }

    #[test]
    fn what_is_not_utf_8_is_told_with_its_place() {
        for (body, at) in [(&b"a=1&bc=%FF"[..], "byte 7"), (b"a=1&\xff=x", "byte 4")] {
            let problem = urlencoded(body).unwrap_err();
            assert_eq!(problem.code(), Code::InvalidForm);
            assert!(problem.detail().contains(at), "{}", problem.detail());
        }
    }

    #[test]
    fn the_number_of_pairs_is_bounded() {
        assert!(urlencoded("a&".repeat(MAX_PAIRS).as_bytes()).is_ok());
        assert!(urlencoded("a&".repeat(MAX_PAIRS + 1).as_bytes()).is_err());
    }

    #[test]
    fn whatever_a_form_is_it_is_read_as_by_others() {
        bolero::check!().for_each(|bytes: &[u8]| {
            let others: Pairs = url::form_urlencoded::parse(bytes).into_owned().collect();
            match urlencoded(bytes) {
                Ok(pairs) => assert_eq!(pairs, others),
                Err(_) => assert!(String::from_utf8_lossy(bytes).contains(['%', '\u{fffd}'])),
            }
        });
    }

    const KIND: &str = "multipart/form-data; boundary=x";
    const BODY: &str = "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n2\r\n\
        --x\r\nContent-Disposition: form-data; name=\"b\"; filename=\"f.txt\"\r\nContent-Type: text/plain\r\n\r\nä\r\n--x--\r\n";

    #[tokio::test]
    async fn parts_are_read_to_the_closing_boundary() {
        let read = async |body: &str| multipart(KIND, Bytes::from(body.to_owned())).await;
        assert_eq!(
            read(BODY).await.unwrap(),
            pairs(&[("a", "1\r\n2"), ("b", "ä")])
        );
        assert!(read("--x--\r\n").await.unwrap().is_empty());
        assert!(read("--x--").await.unwrap().is_empty());
        let whole = BODY.trim_end().len();
        for end in (0..whole).filter(|end| BODY.is_char_boundary(*end)) {
            let cut = read(&BODY[..end]).await;
            assert_eq!(cut.unwrap_err().code(), Code::InvalidForm, "{end}");
        }
    }

    #[test]
    fn whatever_parts_are_they_are_no_more_than_what_was_sent() {
        bolero::check!().for_each(|bytes: &[u8]| {
            let read = multipart(KIND, Bytes::copy_from_slice(bytes));
            // All of it is there, so nothing is waited for.
            let Some(Ok(pairs)) = read.now_or_never() else {
                return;
            };
            let sizes = pairs.iter().map(|(name, value)| name.len() + value.len());
            assert!(sizes.sum::<usize>() <= bytes.len());
        });
    }

    #[tokio::test]
    async fn parts_without_a_boundary_or_not_in_utf_8_are_refused() {
        let body = || Bytes::from_static(BODY.as_bytes());
        for kind in ["multipart/form-data", "multipart/form-data; boundary=y"] {
            assert!(multipart(kind, body()).await.is_err(), "{kind}");
        }
        let latin = BODY.replace('ä', "?").into_bytes();
        let latin: Vec<u8> = latin
            .into_iter()
            .map(|byte| if byte == b'?' { 0xe4 } else { byte })
            .collect();
        let problem = multipart(KIND, latin.into()).await.unwrap_err();
        assert!(problem.detail().contains("byte"), "{}", problem.detail());
    }
}
