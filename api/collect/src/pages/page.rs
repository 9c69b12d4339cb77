//! A page as text with placeholders, and the response that fills them.
//!
//! Templates write a placeholder as `<:name>`. Nothing else in a rendered page can look like that, because every `<` of a text
//! is escaped.

use std::convert::Infallible;
use std::fmt;

use api_language::{Text, of_request};
use askama::Template;
use axum::body::Body;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName,
    REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::{Bytes, BytesMut};
use futures::stream;
use store::account::PageBranding;
use strum::EnumString;
use uuid::Uuid;

/// The account that a page shows, and the language of the page's own words.
#[derive(Clone, Copy)]
pub struct Frame<'a> {
    pub t: &'static Text,
    pub look: &'a PageBranding,
}

impl Frame<'static> {
    /// The frame of a page without an account, in the language of the request.
    pub fn of_request(headers: &HeaderMap) -> Self {
        Self::plain(of_request(headers))
    }

    /// The frame of a page without an account.
    pub fn plain(t: &'static Text) -> Self {
        const NOBODY: &PageBranding = &PageBranding {
            name: None,
            color: None,
            language: None,
            has_logo: false,
        };
        Self { t, look: NOBODY }
    }
}

const X_ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");

/// Values that are only known when a page is sent.
#[derive(Debug, EnumString)]
#[strum(serialize_all = "snake_case")]
enum Placeholder {
    /// Names the style and the script as ours, see [`policy`].
    Nonce,
    /// The link that was opened.
    Token,
    /// The visit that the answers will belong to.
    Visit,
}

/// A text of so many bytes between two placeholders is shared by all who read the page; shorter ones are copied, which is cheaper
/// than to send them by themselves.
const SHARED: usize = 16 << 10;

/// A rendered page, cut at its placeholders. (A search for them in each page that is sent took the bench `page` from 58,000 pages a
/// second to 30,000, on two cores.)
#[derive(Debug)]
pub struct Prepared {
    begin: Bytes,
    /// Placeholders, each with the text after it.
    pieces: Vec<(Placeholder, Bytes)>,
    /// Bytes of a filled page, about.
    size: usize,
    /// Bytes that are copied for each reader, about.
    copied: usize,
}

/// Counts the bytes that are written.
#[derive(Default)]
struct Count(usize);

impl fmt::Write for Count {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.len();
        Ok(())
    }
}

impl Prepared {
    /// Renders a page of at most so many bytes. They are counted before, so that it takes no more memory than it has bytes.
    ///
    /// # Errors
    /// So many bytes it has, which are more.
    pub(super) fn draw(page: &impl Template, most: usize) -> Result<Self, usize> {
        let mut count = Count::default();
        // Neither to count nor to write to a string can fail.
        let _ = page.render_into(&mut count);
        if count.0 > most {
            return Err(count.0);
        }
        let mut rendered = String::with_capacity(count.0);
        let _ = page.render_into(&mut rendered);
        Ok(Self::new(rendered))
    }

    pub(super) fn new(rendered: String) -> Self {
        let rendered = Bytes::from(rendered);
        let mut texts = str::from_utf8(&rendered).unwrap_or_default().split("<:");
        // A part of the same memory.
        let text = |text: &str| rendered.slice_ref(text.as_bytes());
        let begin = text(texts.next().unwrap_or_default());
        // Templates have no placeholders but these.
        let piece = |piece: &str| {
            let (placeholder, after) = piece.split_once('>')?;
            Some((placeholder.parse().ok()?, text(after)))
        };
        let pieces: Vec<(Placeholder, Bytes)> = texts.filter_map(piece).collect();
        let texts = [&begin]
            .into_iter()
            .chain(pieces.iter().map(|(_, text)| text));
        let copied = texts.map(Bytes::len).filter(|length| *length < SHARED);
        let placeholders = 40 * pieces.len();
        Self {
            size: rendered.len() + placeholders,
            copied: copied.sum::<usize>() + placeholders,
            begin,
            pieces,
        }
    }

    /// Bytes of a filled page, about.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The page for one reader who opened this link, and whose answers will belong to this visit.
    pub fn fill(&self, token: &str, visit: Uuid) -> HtmlPage {
        self.fill_with(
            token,
            visit,
            "connect-src 'self'; form-action 'self'; frame-ancestors 'none'",
        )
    }

    /// The page in a frame of another one of the service, at a path that ends with `preview`, below which is the logo. It sends
    /// nothing.
    pub(super) fn preview(&self) -> HtmlPage {
        self.fill_with(
            "preview",
            Uuid::nil(),
            "form-action 'none'; frame-ancestors 'self'",
        )
    }

    /// With a nonce of its own.
    fn fill_with(&self, token: &str, visit: Uuid, sends: &str) -> HtmlPage {
        let nonce = URL_SAFE_NO_PAD.encode(rand::random::<[u8; 16]>());
        let mut visit_text = Uuid::encode_buffer();
        let visit = visit.hyphenated().encode_lower(&mut visit_text);
        let mut text = PageText {
            parts: Vec::new(),
            copied: BytesMut::with_capacity(self.copied),
        };
        text.push(&self.begin);
        for (placeholder, after) in &self.pieces {
            text.copied.extend_from_slice(match placeholder {
                Placeholder::Nonce => nonce.as_bytes(),
                Placeholder::Token => token.as_bytes(),
                Placeholder::Visit => visit.as_bytes(),
            });
            text.push(after);
        }
        HtmlPage {
            kind: "text/html; charset=utf-8",
            text,
            policy: policy(&nonce, sends),
        }
    }
}

/// A whole page for one reader, or a drawing: as a response 200, unless a status is put before it.
#[derive(Debug)]
pub struct HtmlPage {
    kind: &'static str,
    text: PageText,
    policy: HeaderValue,
}

/// The text of a page in UTF-8.
#[derive(Debug, Default)]
struct PageText {
    parts: Vec<Bytes>,
    /// What follows them.
    copied: BytesMut,
}

impl PageText {
    /// Appends a text of the prepared page.
    fn push(&mut self, text: &Bytes) {
        if text.len() < SHARED {
            self.copied.extend_from_slice(text);
        } else {
            let before = self.copied.split().freeze();
            self.parts.extend([before, text.clone()]);
        }
    }

    fn into_parts(mut self) -> Vec<Bytes> {
        self.parts.push(self.copied.freeze());
        self.parts
    }
}

impl HtmlPage {
    /// An SVG, which has no style and no script.
    pub(super) fn drawing(svg: String) -> Self {
        Self {
            kind: "image/svg+xml",
            text: PageText {
                parts: vec![svg.into()],
                ..PageText::default()
            },
            policy: NOTHING_RUNS,
        }
    }

    /// Its bytes.
    pub fn size(&self) -> usize {
        let parts = self.text.parts.iter().map(Bytes::len);
        parts.sum::<usize>() + self.text.copied.len()
    }

    #[cfg(test)]
    pub(super) fn html(&self) -> String {
        let last: &[u8] = &self.text.copied;
        let parts = self.text.parts.iter().map(AsRef::as_ref);
        let parts: Vec<&[u8]> = parts.chain([last]).collect();
        String::from_utf8(parts.concat()).unwrap()
    }
}

impl IntoResponse for HtmlPage {
    /// The token of the link is a secret of its reader: it is not passed on to other places, not kept by caches, and not listed by
    /// search engines.
    fn into_response(self) -> Response {
        let length = self.size();
        let headers = [
            (CONTENT_TYPE, HeaderValue::from_static(self.kind)),
            (CONTENT_SECURITY_POLICY, self.policy),
            (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
            (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
            (CACHE_CONTROL, HeaderValue::from_static("no-store")),
            (X_ROBOTS_TAG, HeaderValue::from_static("noindex")),
        ];
        let mut parts = self.text.into_parts();
        if parts.len() == 1 {
            return (headers, parts.remove(0)).into_response();
        }
        let parts = parts.into_iter().map(Ok::<_, Infallible>);
        let body = Body::from_stream(stream::iter(parts));
        ([(CONTENT_LENGTH, length)], headers, body).into_response()
    }
}

/// An account's logo, by itself.
pub fn logo(kind: &'static str, image: impl Into<Body>) -> Response {
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static(kind)),
        (CONTENT_SECURITY_POLICY, IMAGE_ALONE),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (
            CACHE_CONTROL,
            HeaderValue::from_static("private, max-age=300"),
        ),
        (X_ROBOTS_TAG, HeaderValue::from_static("noindex")),
    ];
    (headers, image.into()).into_response()
}

/// Allows only scripts and styles with the nonce, the logo, and what `sends` says.
fn policy(nonce: &str, sends: &str) -> HeaderValue {
    let policy = format!(
        "default-src 'none'; style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'; img-src data: 'self'; \
         base-uri 'none'; {sends}"
    );
    HeaderValue::try_from(policy).unwrap_or(NOTHING_RUNS)
}

/// For an image that somebody may open by itself: also one that was stored before images were cleaned.
const IMAGE_ALONE: HeaderValue = HeaderValue::from_static(
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'",
);

/// For what has no style and no script.
const NOTHING_RUNS: HeaderValue =
    HeaderValue::from_static("default-src 'none'; base-uri 'none'; frame-ancestors 'none'");
