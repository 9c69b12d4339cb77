//! What the headers and the query of an import say, and the campaign that it is for.

use axum::http::{HeaderMap, HeaderName};
use domain::body::{BodyKind, FileKind, Mapping};
use domain::campaign::{Audience, BusPropsCheck, CampaignStatus};
use domain::scope::Scope;
use domain::sms::Country;
use domain::text::has_control;
use store::send::{Campaign, CampaignKey};
use uuid::Uuid;

use crate::ingest::{FileRequest, OnError};
use api_http::accept::XLSX;
use api_http::body::{ContentEncoding, ContentType};
use api_http::extract::header;
use api_http::{Caller, Code, Parameters, Problem, QUICK, Result, found, parse_id, within};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// At most this many bytes.
const MAX_KEY_BYTES: usize = 255;

/// A name is at most so long, in characters.
pub(crate) const MAX_NAME_CHARS: usize = 255;
/// So many digits in a row may be those of a phone.
const PHONE_DIGITS: usize = 5;

/// A file's name as the audit log has it: without what the log cannot show, and without what may be a phone.
pub(crate) fn audited_name(name: &str) -> String {
    let shown = name.chars().filter(|letter| !letter.is_control());
    let shown: Vec<char> = shown.take(MAX_NAME_CHARS).collect();
    let runs = shown.chunk_by(|one, next| one.is_numeric() == next.is_numeric());
    let masked = runs.map(|run| match run {
        [first, ..] if first.is_numeric() && run.len() >= PHONE_DIGITS => "…".to_owned(),
        run => run.iter().collect(),
    });
    masked.collect()
}

/// An import, apart from its body.
pub struct ImportRequest {
    /// What is asked for beyond the strict way.
    pub(super) file: Option<FileRequest>,
    pub(super) is_preview: bool,
    /// Of the file.
    pub(super) name: Option<String>,
    pub(super) kind: BodyKind,
    pub(super) encoding: ContentEncoding,
    pub(super) on_error: OnError,
    /// The idempotency key.
    pub(crate) key: Option<String>,
}

impl ImportRequest {
    /// The query in one fixed form, which tells whether an import is the same again.
    pub(super) fn query(&self, campaign_id: Option<Uuid>) -> String {
        let mut query = self.on_error.into_str().to_owned();
        if let Some(campaign_id) = campaign_id {
            query = format!("{query}&campaign={campaign_id}");
        }
        if let Some(file) = &self.file {
            // Debug quotes, so no two requests look the same.
            query = format!("{query}&file={file:?}");
        }
        if let Some(name) = &self.name {
            query = format!("{query}&name={name:?}");
        }
        query
    }

    /// An import of a body of this kind, of which the valid records are stored.
    ///
    /// # Errors
    /// 415.
    pub fn of_body(headers: &HeaderMap) -> Result<Self> {
        let unsupported = |detail| Problem::new(Code::UnsupportedMediaType, detail);
        let kind = body_kind(headers).ok_or_else(|| {
            unsupported(
                "Content-Type must be application/json, text/csv or application/x-ndjson, in UTF-8, or that of XLSX",
            )
        })?;
        let encoding = ContentEncoding::of(headers)
            .ok_or_else(|| unsupported("Content-Encoding must be gzip or zstd, or left out"))?;
        let file = (kind == FileKind::Sheet).then(|| FileRequest {
            kind,
            mapping: Mapping::default(),
        });
        Ok(Self {
            file,
            is_preview: false,
            name: None,
            kind: kind.body(),
            encoding,
            on_error: OnError::AcceptValid,
            key: None,
        })
    }

    /// An import of a file of this name, of which the valid records are stored.
    pub(crate) fn of_file(file: FileRequest, encoding: ContentEncoding, name: String) -> Self {
        Self {
            kind: file.kind.body(),
            file: Some(file),
            is_preview: false,
            name: Some(name),
            encoding,
            on_error: OnError::AcceptValid,
            key: None,
        }
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
        request.read_file(&parameters)?;
        request.key = idempotency_key(headers)?;
        if request.is_preview && request.key.is_some() {
            let detail = "a preview stores nothing, so it takes no Idempotency-Key";
            return Err(Problem::invalid_parameter(detail));
        }
        Ok(request)
    }

    /// Reads what is asked for beyond the strict way.
    fn read_file(&mut self, parameters: &Parameters) -> Result<()> {
        let text = |name| Ok::<_, Problem>(parameters.one(name)?.map(str::to_owned));
        let mapping = Mapping {
            docid_column: text("docid_column")?,
            phone_column: text("phone_column")?,
            skip_columns: parameters.all("skip_column").map(str::to_owned).collect(),
            country: parameters.one("country")?.map(country).transpose()?,
        };
        let kind = match (&self.file, parameters.one("dialect")?) {
            (Some(sheet), None | Some("auto")) => Some(sheet.kind),
            (None, Some("auto")) if self.kind == BodyKind::Csv => Some(FileKind::AnyCsv),
            // Of the others there is one dialect.
            (None, Some("auto") | None) => None,
            (_, Some(_)) => return Err(Problem::invalid_parameter("dialect must be auto")),
        };
        self.is_preview = match parameters.one("preview")? {
            None | Some("false") => false,
            Some("true") => true,
            Some(_) => return Err(Problem::invalid_parameter("preview must be true or false")),
        };
        self.name = text("name")?;
        let is_name = |name: &String| {
            (1..=MAX_NAME_CHARS).contains(&name.chars().count()) && !has_control(name)
        };
        if !self.name.as_ref().is_none_or(is_name) {
            let detail = "name must have 1 to 255 characters, without control characters";
            return Err(Problem::invalid_parameter(detail));
        }
        if kind.is_some() || !mapping.is_empty() || self.is_preview {
            let kind = kind.unwrap_or(FileKind::Strict(self.kind));
            self.file = Some(FileRequest { kind, mapping });
        }
        Ok(())
    }
}

fn country(code: &str) -> Result<Country> {
    let known = code
        .parse()
        .ok()
        .filter(|country| *country != Country::World);
    known.ok_or_else(|| {
        Problem::invalid_parameter("country must be the code of a country by ISO 3166, such as DE")
    })
}

/// The kind that Content-Type names, if it is one that is taken here.
fn body_kind(headers: &HeaderMap) -> Option<FileKind> {
    match ContentType::of(headers)?.essence.as_str() {
        "application/json" => Some(FileKind::Strict(BodyKind::Json)),
        "text/csv" => Some(FileKind::Strict(BodyKind::Csv)),
        "application/x-ndjson" => Some(FileKind::Strict(BodyKind::Ndjson)),
        XLSX => Some(FileKind::Sheet),
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

/// What counts the business properties that the form of an import's campaign does not have.
///
/// # Errors
/// 503.
pub async fn bus_props(
    caller: &Caller,
    campaign: Option<&Campaign>,
) -> Result<Option<BusPropsCheck>> {
    let Some(content) = campaign.map(|campaign| &campaign.content) else {
        return Ok(None);
    };
    let form = caller.app.store.form(caller.account_id(), content.form_id);
    let form = within(QUICK, form).await?;
    Ok(form.map(|form| BusPropsCheck::new(content, &form.content)))
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

    #[test]
    fn a_file_s_name_has_no_phone_in_the_audit_log() {
        for (name, expected) in [
            ("people 2026.csv", "people 2026.csv"),
            ("+4915112345678.csv", "+….csv"),
            ("a\u{7}b-0151 2345.xlsx", "ab-0151 2345.xlsx"),
        ] {
            assert_eq!(audited_name(name), expected);
        }
    }

    fn headers<const N: usize>(fields: [(HeaderName, &'static str); N]) -> HeaderMap {
        fields
            .into_iter()
            .map(|(name, value)| (name, HeaderValue::from_static(value)))
            .collect()
    }

    #[test]
    fn kinds_of_bodies_are_taken_in_utf_8() {
        let kind = |value| body_kind(&headers([(CONTENT_TYPE, value)]));
        assert_eq!(
            kind("application/json"),
            Some(FileKind::Strict(BodyKind::Json))
        );
        assert_eq!(
            kind("Application/JSON; Charset=\"UTF-8\""),
            Some(FileKind::Strict(BodyKind::Json))
        );
        assert_eq!(
            kind("text/csv;header=present; charset=utf-8"),
            Some(FileKind::Strict(BodyKind::Csv))
        );
        assert_eq!(
            kind("application/x-ndjson"),
            Some(FileKind::Strict(BodyKind::Ndjson))
        );
        assert_eq!(kind(XLSX), Some(FileKind::Sheet));
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
