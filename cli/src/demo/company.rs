//! The demo's company: twelve stores, three forms, three campaigns.

use anyhow::bail;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{TimeDelta, Utc};
use domain::branding::{Branding, Color, Logo};
use domain::campaign::{CampaignContent, CampaignStatus};
use domain::form::{FormContent, FormInput};
use serde_json::{Value, json};
use store::Store;
use store::form::{Form, FormChange, FormEdit};
use store::send::CampaignKey;
use uuid::Uuid;

use super::ACCOUNT;

/// The sender that every demo has.
pub(crate) const SENDER: &str = "demo";
/// The campaign that guests come to while somebody looks.
pub(super) const RUNNING: &str = "After the visit";

const LOGO: &str = include_str!("logo.svg");

/// City and quarter, and the language that is spoken there.
pub(super) const STORES: [(&str, &str); 12] = [
    ("Berlin Mitte", "de"),
    ("Berlin Kreuzberg", "de"),
    ("Hamburg Altona", "de"),
    ("Hamburg Eimsbüttel", "de"),
    ("Köln Ehrenfeld", "de"),
    ("München Glockenbach", "de"),
    ("Wien Neubau", "de"),
    ("London Soho", "en"),
    ("London Camden", "en"),
    ("Manchester", "en"),
    ("Paris Marais", "fr"),
    ("Lyon Croix-Rousse", "fr"),
];

/// The store that slides.
pub(super) const SLIDES: &str = "Hamburg Altona";

/// A form and the campaign that asks for it.
pub(super) struct Survey {
    pub(super) form: Form,
    pub(super) campaign: CampaignKey,
    /// Messages on an ordinary day.
    pub(super) a_day: usize,
    /// Its first and its last day, counted back from today.
    pub(super) days: (i64, i64),
}

pub(super) async fn create_company(store: &Store, account_id: Uuid) -> anyhow::Result<Vec<Survey>> {
    let visit = json!({
        "title": "Your visit",
        "language": "en",
        "labels": {"de": "Ihr Besuch"},
        "piping": true,
        "bus_props": bus_props(),
        "fields": [
            {"key": "recommend", "type": "nps", "label": "Would you recommend us to a friend?",
             "labels": {"de": "Würden Sie uns weiterempfehlen?"}, "required": true},
            {"key": "mood", "type": "happiness", "label": "How happy were you with {store|your visit}?",
             "labels": {"de": "Wie zufrieden waren Sie mit {store|Ihrem Besuch}?"}, "required": false},
            {"key": "good", "type": "choices", "label": "What did you like?", "labels": {"de": "Was hat Ihnen gefallen?"},
             "required": false, "options": [
                {"value": "coffee", "label": "The coffee", "labels": {"de": "Der Kaffee"}},
                {"value": "food", "label": "The food", "labels": {"de": "Das Essen"}},
                {"value": "people", "label": "The people", "labels": {"de": "Die Menschen"}},
                {"value": "place", "label": "The place", "labels": {"de": "Der Ort"}}]},
            {"key": "more", "type": "comment", "label": "What should we know?",
             "labels": {"de": "Was sollen wir wissen?"}, "required": false}],
    });
    let delivery = json!({
        "title": "Your delivery",
        "language": "en",
        "bus_props": bus_props(),
        "fields": [
            {"key": "recommend", "type": "nps", "label": "Would you order with us again and tell others?", "required": true},
            {"key": "stars", "type": "rating", "scale": 5, "label": "How was the coffee when it arrived?", "required": false},
            {"key": "time", "type": "choice", "label": "Did it come on time?", "required": false, "options": [
                {"value": "early", "label": "Early"}, {"value": "on_time", "label": "On time"}, {"value": "late", "label": "Late"}]},
            {"key": "more", "type": "comment", "label": "What should we know?", "required": false}],
    });
    let loyalty = json!({
        "title": "The loyalty card",
        "language": "en",
        "bus_props": [],
        "fields": [
            {"key": "recommend", "type": "nps", "label": "Would you recommend the card?", "required": true},
            {"key": "mood", "type": "happiness", "label": "How happy are you with the card?", "required": false},
            {"key": "more", "type": "comment", "label": "What should we know?", "required": false}],
    });
    let plans = [
        (visit, RUNNING, CampaignStatus::Running, 95, (120, 0)),
        (
            delivery,
            "After the delivery",
            CampaignStatus::Paused,
            40,
            (120, 2),
        ),
        (
            loyalty,
            "Loyalty card, autumn",
            CampaignStatus::Finished,
            110,
            (24, 18),
        ),
    ];
    let logo = format!("data:image/svg+xml;base64,{}", STANDARD.encode(LOGO));
    let branding = Branding {
        name: Some(ACCOUNT.to_owned()),
        logo: Some(Logo::parse(&logo)?),
        color: Some(Color::parse("#0f5132")?),
        language: None,
    };
    store.set_branding(account_id, &branding).await?;
    let mut surveys = Vec::new();
    for (form, name, status, a_day, days) in plans {
        let (form, campaign) = begin(store, account_id, &form, name).await?;
        let (first, last) = days;
        let started = Utc::now() - TimeDelta::days(first);
        let ended =
            (status == CampaignStatus::Finished).then(|| Utc::now() - TimeDelta::days(last));
        store
            .backdate_campaign(campaign, status, started, ended)
            .await?;
        surveys.push(Survey {
            form,
            campaign,
            a_day,
            days,
        });
    }
    Ok(surveys)
}

fn bus_props() -> Vec<Value> {
    STORES
        .iter()
        .map(|(store, _)| json!(format!("store:{store}")))
        .collect()
}

/// A published form, and a campaign that asks for it.
async fn begin(
    store: &Store,
    account_id: Uuid,
    form: &Value,
    name: &str,
) -> anyhow::Result<(Form, CampaignKey)> {
    let input = FormInput::parse(form).map_err(|wrong| anyhow::anyhow!("{wrong:?}"))?;
    let content = FormContent::new(input).map_err(|wrong| anyhow::anyhow!("{wrong:?}"))?;
    let form = store.create_form(account_id, &content).await?;
    let published = store
        .edit_form(account_id, form.form_id, None, FormEdit::Publish)
        .await?;
    let FormChange::Done(form) = published else {
        bail!("the form was not published");
    };
    let campaign = json!({
        "name": name,
        "form_id": form.form_id,
        "sender": SENDER,
        "text": "Hello {first_name|there}, thank you for choosing Northlight Coffee {store|}! How was it? {link}",
        "audience": {"on_import": true},
        "track_fields": ["store", "first_name"],
        "bus_props_from": {"store": "store"},
        "link_expires_after_days": 60,
        "send_window": null,
    });
    let content =
        CampaignContent::parse(&campaign).map_err(|wrong| anyhow::anyhow!("{wrong:?}"))?;
    let campaign = store.create_campaign(account_id, &content).await?;
    Ok((*form, CampaignKey::new(account_id, campaign.campaign_id)))
}
