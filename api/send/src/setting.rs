//! The routes of how the account sends to phones, and takes texts that come from them.

use axum::Json;
use axum::extract::{Request, State};
use domain::sms::SendSetting;
use serde_json::Value;

use crate::state::{FEW, SendState};
use crate::{operations, schema};
use api_http::{Caller, Problem, Result};

/// Read how phones are sent to, and texts from them taken.
#[utoipa::path(
    get,
    path = "/api_v1/sms/setting",
    responses((status = 200, description = "The setting", body = schema::SendSetting)),
)]
pub async fn read_setting(caller: Caller) -> Result<Json<SendSetting>> {
    operations::read_setting(&caller).await.map(Json)
}

/// Change how phones are sent to, and texts from them taken, as a whole.
///
/// `min_gap_days` holds for first messages of all campaigns, also of those that run; for tests, replies and reminders it does not.
/// `month_budget` is what all messages of a month may cost: what does not fit waits until the next month, or until more may be spent.
/// Replies go through the sender that the text came by, once a phone and day; through Twilio none, because it replies itself.
#[utoipa::path(
    put,
    path = "/api_v1/sms/setting",
    request_body = schema::SendSettingRequest,
    responses(
        (status = 200, description = "The setting as it is now", body = schema::SendSetting),
        (status = 409, description = "`upgrade_unfinished`: programs of an older release would not keep `min_gap_days` and `month_budget`"),
    ),
)]
pub async fn replace_setting(
    State(state): State<SendState>,
    caller: Caller,
    request: Request,
) -> Result<Json<SendSetting>> {
    let body = caller.json(request, FEW).await?;
    let setting = SendSetting::parse(&Value::Object(body)).map_err(Problem::invalid)?;
    operations::replace_setting(&state, &caller, &setting).await?;
    Ok(Json(setting))
}
