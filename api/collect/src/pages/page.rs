//! A page as text with holes, and the response that fills them.
//!
//! Templates write a hole as `<:name>`. Nothing else in a rendered page can look like that, because every `<` of a text
//! is escaped.

use api_language::{Text, of_request};
use axum::body::Body;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use store::account::Look;
use strum::EnumString;
use uuid::Uuid;

/// Whose a page is, and the language of its own words.
#[derive(Clone, Copy)]
pub struct Frame<'a> {
    pub t: &'static Text,
    pub look: &'a Look,
}

impl Frame<'static> {
    /// Of a page that is nobody's, for whoever asks.
    pub fn of_request(headers: &HeaderMap) -> Self {
        Self::plain(of_request(headers))
    }

    /// Of a page that is nobody's.
    pub fn plain(t: &'static Text) -> Self {
        const NOBODY: &Look = &Look {
            name: None,
            color: None,
            language: None,
            has_logo: false,
        };
        Self { t, look: NOBODY }
    }
}

const X_ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");

/// What is only known when a page is sent.
#[derive(Debug, EnumString)]
#[strum(serialize_all = "snake_case")]
enum Hole {
    /// Names the style and the script as ours, see [`policy`].
    Nonce,
    /// The link that was opened.
    Token,
    /// The visit that the answers will belong to.
    Visit,
}

/// A rendered page, cut at its holes. (A search for them in each page that is sent took the bench `page` from 58,000 pages a
/// second to 30,000, on two cores.)
#[derive(Debug)]
pub struct Prepared {
    begin: String,
    /// Holes, each with the text after it.
    pieces: Vec<(Hole, String)>,
    /// Bytes of a filled page, about.
    size: usize,
}

impl Prepared {
    pub(super) fn new(rendered: &str) -> Self {
        let mut texts = rendered.split("<:");
        let begin = texts.next().unwrap_or_default().to_owned();
        // Templates have no holes but these.
        let piece = |text: &str| {
            let (hole, text) = text.split_once('>')?;
            Some((hole.parse().ok()?, text.to_owned()))
        };
        let pieces: Vec<_> = texts.filter_map(piece).collect();
        Self {
            size: rendered.len() + 40 * pieces.len(),
            begin,
            pieces,
        }
    }

    /// Bytes of a filled page, about.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The page for one reader who opened this link, and whose answers will belong to this visit.
    pub fn fill(&self, token: &str, visit: Uuid) -> Page {
        self.fill_with(
            token,
            visit,
            "connect-src 'self'; form-action 'self'; frame-ancestors 'none'",
        )
    }

    /// The page in a frame of another one of the service, at a path that ends with `preview`, below which is the logo. It sends
    /// nothing.
    pub(super) fn preview(&self) -> Page {
        self.fill_with(
            "preview",
            Uuid::nil(),
            "form-action 'none'; frame-ancestors 'self'",
        )
    }

    /// With a nonce of its own.
    fn fill_with(&self, token: &str, visit: Uuid, sends: &str) -> Page {
        let nonce = URL_SAFE_NO_PAD.encode(rand::random::<[u8; 16]>());
        let mut visit_text = Uuid::encode_buffer();
        let visit = visit.hyphenated().encode_lower(&mut visit_text);
        let mut html = String::with_capacity(self.size);
        html.push_str(&self.begin);
        for (hole, text) in &self.pieces {
            html.push_str(match hole {
                Hole::Nonce => &nonce,
                Hole::Token => token,
                Hole::Visit => visit,
            });
            html.push_str(text);
        }
        Page {
            kind: "text/html; charset=utf-8",
            text: html,
            policy: policy(&nonce, sends),
        }
    }
}

/// A whole page for one reader, or a drawing: as a response 200, unless a status is put before it.
#[derive(Debug)]
pub struct Page {
    kind: &'static str,
    /// UTF-8.
    text: String,
    policy: HeaderValue,
}

impl Page {
    /// An SVG, which has no style and no script.
    pub(super) fn drawing(svg: String) -> Self {
        Self {
            kind: "image/svg+xml",
            text: svg,
            policy: NOTHING_RUNS,
        }
    }

    #[cfg(test)]
    pub(super) fn html(&self) -> &str {
        &self.text
    }
}

impl IntoResponse for Page {
    /// The token of the link is a secret of its reader: it is not passed on to other places, not kept by caches, and not listed by
    /// search engines.
    fn into_response(self) -> Response {
        let headers = [
            (CONTENT_TYPE, HeaderValue::from_static(self.kind)),
            (CONTENT_SECURITY_POLICY, self.policy),
            (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
            (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
            (CACHE_CONTROL, HeaderValue::from_static("no-store")),
            (X_ROBOTS_TAG, HeaderValue::from_static("noindex")),
        ];
        (headers, self.text).into_response()
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

/// Nothing runs and nothing looks but what carries the nonce; nothing is fetched but the logo, and what `sends` says.
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
