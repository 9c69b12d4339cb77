//! What the headers and the query of an import say, and the campaign that it is for.

use axum::http::{HeaderMap, HeaderName};
use domain::body::BodyKind;
use domain::campaign::{Audience, CampaignStatus};
use domain::scope::Scope;
use store::send::{Campaign, CampaignKey};
use uuid::Uuid;

use crate::ingest::OnError;
use api_http::body::{ContentEncoding, ContentType};
use api_http::extract::header;
use api_http::{Caller, Code, Parameters, Problem, Result, found, parse_id};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// At most this many bytes.
const MAX_KEY_BYTES: usize = 255;

/// An import, apart from its body.
pub struct ImportRequest {
    pub(super) kind: BodyKind,
    pub(super) encoding: ContentEncoding,
    pub(super) on_error: OnError,
    /// The idempotency key.
    pub(super) key: Option<String>,
}

impl ImportRequest {
    /// The query in one fixed form, which tells whether an import is the same again.
    pub(super) fn query(&self, campaign_id: Option<Uuid>) -> String {
        let on_error = self.on_error.into_str();
        match campaign_id {
            None => on_error.to_owned(),
            Some(campaign_id) => format!("{on_error}&campaign={campaign_id}"),
        }
    }

    /// An import of a body of this kind, of which the valid records are stored.
    ///
    /// # Errors
    /// 415.
    pub fn of_body(headers: &HeaderMap) -> Result<Self> {
        let unsupported = |detail| Problem::new(Code::UnsupportedMediaType, detail);
        let kind = body_kind(headers).ok_or_else(|| {
            unsupported(
                "Content-Type must be application/json, text/csv or application/x-ndjson, in UTF-8",
            )
        })?;
        let encoding = ContentEncoding::of(headers)
            .ok_or_else(|| unsupported("Content-Encoding must be gzip or zstd, or left out"))?;
        Ok(Self {
            kind,
            encoding,
            on_error: OnError::AcceptValid,
            key: None,
        })
    }

    /// Checks the kind of the body (415), then the input.
    ///
    /// # Errors
    /// 415, or 400 `invalid_parameter`.
    pub(super) fn read(headers: &HeaderMap, parameters: Result<Parameters>) -> Result<Self> {
        let (mut request, parameters) = (Self::of_body(headers)?, parameters?);
        if let Some(name) = parameters.one("on_error")? {
            request.on_error = name.parse().map_err(|_| {
                Problem::invalid_parameter("on_error must be accept_valid or reject_all")
            })?;
        }
        let campaign_id = parameters.one("campaign")?;
        campaign_id
            .map(|text| parse_id("campaign", text))
            .transpose()?;
        request.key = idempotency_key(headers)?;
        Ok(request)
    }
}

/// The kind that Content-Type names, if it is one that is taken here.
fn body_kind(headers: &HeaderMap) -> Option<BodyKind> {
    match ContentType::of(headers)?.essence.as_str() {
        "application/json" => Some(BodyKind::Json),
        "text/csv" => Some(BodyKind::Csv),
        "application/x-ndjson" => Some(BodyKind::Ndjson),
        _ => None,
    }
}

fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>> {
    let is_key = |key: &str| {
        (1..=MAX_KEY_BYTES).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic())
    };
    match header(headers, IDEMPOTENCY_KEY) {
        Ok(None) => Ok(None),
        Ok(Some(key)) if is_key(key) => Ok(Some(key.to_owned())),
        _ => Err(Problem::invalid_parameter(
            "Idempotency-Key must be 1 to 255 visible ASCII characters, once",
        )),
    }
}

/// The id of the import's campaign, which is looked for before the rest is read: what there is not is 404 whatever comes with
/// it. What is no id is input, which [`ImportRequest::read`] refuses.
pub fn named_campaign(parameters: &Result<Parameters>) -> Option<Uuid> {
    let campaign_id = parameters.as_ref().ok()?.one("campaign").ok()??;
    parse_id("campaign", campaign_id).ok()
}

/// The campaign of an import, if the caller may import for it; `None`: the import is for none.
///
/// # Errors
/// 403; 404.
pub async fn find_campaign(caller: &Caller, campaign_id: Option<Uuid>) -> Result<Option<Campaign>> {
    let Some(campaign_id) = campaign_id else {
        return Ok(None);
    };
    caller.check(Scope::Send)?;
    let key = CampaignKey::new(caller.account_id(), campaign_id);
    found(caller.app.store.campaign(key)).await.map(Some)
}

/// Why a campaign takes no imports. The commit looks again.
pub fn refusal(campaign: &Campaign) -> Option<&'static str> {
    if !matches!(campaign.content.audience, Audience::OnImport { .. }) {
        return Some("the campaign's audience is not on_import");
    }
    match campaign.status {
        CampaignStatus::Draft => Some("the campaign is DRAFT"),
        CampaignStatus::Finished => Some("the campaign is FINISHED"),
        CampaignStatus::Cancelled => Some("the campaign is CANCELLED"),
        CampaignStatus::Running | CampaignStatus::Paused => campaign
            .finishing
            .then_some("the campaign was told to finish"),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};

    use super::*;

    fn headers<const N: usize>(fields: [(HeaderName, &'static str); N]) -> HeaderMap {
        fields
            .into_iter()
            .map(|(name, value)| (name, HeaderValue::from_static(value)))
            .collect()
    }

    #[test]
    fn three_kinds_of_body_are_taken_in_utf_8() {
        let kind = |value| body_kind(&headers([(CONTENT_TYPE, value)]));
        assert_eq!(kind("application/json"), Some(BodyKind::Json));
        assert_eq!(
            kind("Application/JSON; Charset=\"UTF-8\""),
            Some(BodyKind::Json)
        );
        assert_eq!(
            kind("text/csv;header=present; charset=utf-8"),
            Some(BodyKind::Csv)
        );
        assert_eq!(kind("application/x-ndjson"), Some(BodyKind::Ndjson));
        for other in [
            "",
            "text/plain",
            "application/json; charset=latin1",
            "application/jsonx",
            "application",
        ] {
            assert_eq!(kind(other), None, "{other}");
        }
        assert_eq!(body_kind(&HeaderMap::new()), None);
    }

    #[test]
    fn an_idempotency_key_is_visible_ascii() {
        let key = |value| idempotency_key(&headers([(IDEMPOTENCY_KEY, value)]));
        assert_eq!(key("a-1~!").unwrap().as_deref(), Some("a-1~!"));
        assert_eq!(idempotency_key(&HeaderMap::new()).unwrap(), None);
        assert!(key("").is_err());
        assert!(key("two words").is_err());
        let mut twice = headers([(IDEMPOTENCY_KEY, "a")]);
        twice.append(IDEMPOTENCY_KEY, HeaderValue::from_static("b"));
        assert!(idempotency_key(&twice).is_err());
        let mut long = HeaderMap::new();
        long.insert(
            IDEMPOTENCY_KEY,
            HeaderValue::from_str(&"x".repeat(255)).unwrap(),
        );
        assert!(idempotency_key(&long).is_ok());
        long.insert(
            IDEMPOTENCY_KEY,
            HeaderValue::from_str(&"x".repeat(256)).unwrap(),
        );
        assert!(idempotency_key(&long).is_err());
    }

    #[test]
    fn the_kind_is_checked_before_the_input() {
        let invalid = || Err(Problem::invalid_parameter("broken"));
        let refused = |headers| {
            ImportRequest::read(&headers, invalid())
                .err()
                .map(|problem| problem.code())
        };
        assert_eq!(refused(headers([])), Some(Code::UnsupportedMediaType));
        let json = (CONTENT_TYPE, "application/json");
        let encoded = (CONTENT_ENCODING, "br");
        assert_eq!(
            refused(headers([json.clone(), encoded])),
            Some(Code::UnsupportedMediaType)
        );
        assert_eq!(refused(headers([json])), Some(Code::InvalidParameter));
    }
}
