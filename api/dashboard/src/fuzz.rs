//! Whatever browsers send becomes a draft, a page of ours or nothing.

use api_http::body::urlencoded;
use axum::http::header::COOKIE;
use axum::http::{HeaderMap, HeaderValue, Uri};
use bolero::check;
use chrono_tz::America::Sao_Paulo;
use url::Url;

use crate::campaign_draft::CampaignDraft;
use crate::cookies::cookie_of;
use crate::form_draft::FormDraft;
use crate::range::{Range, RangeQuery, kept};
use crate::sent::SentPairs;
use crate::session::inside;

fn sent(bytes: &[u8]) -> SentPairs {
    SentPairs(urlencoded(bytes).unwrap_or_default())
}

/// What is written of a form and read again is the same form.
#[test]
fn whatever_an_editor_sends_is_a_draft() {
    check!().for_each(|bytes: &[u8]| {
        let form = FormDraft::from(sent(bytes));
        assert!(form.size() <= 20 * (bytes.len() + 1) * (bytes.len() + 1));
        form.inputs();
        form.retired_text();
        let _ = form.input_to_store();
        let campaign = CampaignDraft::from(sent(bytes));
        campaign.text_columns();
        campaign.kept_columns();
        campaign.group_columns();
        campaign.budget();
        if let Ok(content) = campaign.content(Sao_Paulo) {
            let again = CampaignDraft::read(&content, Sao_Paulo).content(Sao_Paulo);
            assert_eq!(again.ok(), Some(content));
        }
    });
}

#[test]
fn whatever_an_address_says_leads_to_a_page_of_ours() {
    check!().for_each(|bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        let to = Url::parse("https://a.example")
            .unwrap()
            .join(inside(&text))
            .unwrap();
        assert_eq!(to.host_str(), Some("a.example"));
        assert!(to.path().starts_with("/dashboard"));
        if let Ok(value) = HeaderValue::from_bytes(bytes) {
            let cookie = cookie_of(&HeaderMap::from_iter([(COOKIE, value)]), "a");
            assert!(cookie.is_none_or(|cookie| cookie.len() <= bytes.len()));
        }
        if let Ok(uri) = format!("/dashboard?{text}").parse::<Uri>() {
            kept(&uri);
            let query = axum::extract::Query::<RangeQuery>::try_from_uri(&uri);
            if let Ok(query) = query {
                let range = Range::read(&query, Sao_Paulo);
                assert!(range.dates.start() <= range.dates.end());
                range.query();
            }
        }
    });
}
