//! The routes of how the account takes texts that come from phones.

use axum::Json;
use axum::extract::Request;
use domain::sms::{MAX_REPLY_CHARS, MAX_STOP_WORD_CHARS, MAX_STOP_WORDS, SendSetting};
use serde_json::{Value, json};
use utoipa::openapi::{RefOr, Schema};

use crate::operations;
use crate::state::FEW;
use api_http::schema::{line, object, written};
use api_http::{Caller, Problem, Result};

/// A setting, as a whole. `null` is as if left out.
pub struct SendSettingRequest;

impl utoipa::ToSchema for SendSettingRequest {}

impl utoipa::PartialSchema for SendSettingRequest {
    fn schema() -> RefOr<Schema> {
        let (word, mut reply) = (line(MAX_STOP_WORD_CHARS), line(MAX_REPLY_CHARS));
        reply["type"] = json!(["string", "null"]);
        let properties = json!({
            "stop_words": {"type": ["array", "null"], "items": word, "maxItems": MAX_STOP_WORDS},
            "stop_reply": reply,
            "help_reply": reply,
        });
        written(&object(&[], &properties))
    }
}

/// Read how texts from phones are taken.
#[utoipa::path(
    get,
    path = "/api_v1/sms/setting",
    responses((status = 200, description = "The setting", body = SendSetting)),
)]
pub async fn read_setting(caller: Caller) -> Result<Json<SendSetting>> {
    operations::read_setting(&caller).await.map(Json)
}

/// Change how texts from phones are taken, as a whole.
///
/// Replies go through the sender that the text came by, once a phone and day; through Twilio none, because it replies itself.
#[utoipa::path(
    put,
    path = "/api_v1/sms/setting",
    request_body = SendSettingRequest,
    responses((status = 200, description = "The setting as it is now", body = SendSetting)),
)]
pub async fn replace_setting(caller: Caller, request: Request) -> Result<Json<SendSetting>> {
    let body = caller.json(request, FEW).await?;
    let setting = SendSetting::parse(&Value::Object(body)).map_err(Problem::invalid)?;
    operations::replace_setting(&caller, &setting).await?;
    Ok(Json(setting))
}
