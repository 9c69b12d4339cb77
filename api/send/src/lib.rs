//! Sending: campaigns, the messages that they plan, the senders that carry them, and whom an account may not send to.
//!
//! # Layout
//! - [`operations`]: what all of these do, for routes and for the dashboard.
//! - `campaign`: campaigns and their life. `message`: what became of each message, and
//!   `message_sheet`: as a table.
//! - `sender`: who carries messages. `suppression`: who gets none. `setting`: how texts from phones are taken.
//!   `usage`: what was handed over, and what it cost.
//! - `hook`: what providers report, at addresses that only they know. `state`: what these routes share.
//!
//! What is *not* here: what a campaign can be (in `domain`), planning and judging messages (in `store`), handing them over
//! (in `worker`), how providers speak (in `sender`), links of messages (in `api-collect`).

mod campaign;
mod hook;
mod message;
mod message_sheet;
pub mod operations;
mod receipts;
mod schema;
mod sender;
mod setting;
mod state;
mod suppression;
mod usage;

use api_http::scoped::scoped;
use axum::routing::{MethodFilter, on};
use domain::scope::Scope;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::campaign::{change, preview};
pub use self::operations::{CampaignBody, CampaignItem, MessageHistory, SenderItem};
pub use self::state::SendState;

/// Where campaigns are.
const PATH: &str = "/api_v1/sms/campaign";
/// Of all operations here.
const SCOPE: Scope = Scope::Send;

/// Everything about sending under `/api_v1/sms`, documented, and the hooks of senders, which are not: each provider says itself
/// what it sends there.
pub fn routes(state: SendState) -> OpenApiRouter {
    let campaigns = OpenApiRouter::new()
        .routes(routes!(campaign::create_campaign))
        .routes(routes!(campaign::list_campaigns))
        .routes(routes!(campaign::read_campaign))
        .routes(routes!(change::replace_campaign))
        .routes(routes!(change::delete_campaign))
        .routes(routes!(change::start_campaign))
        .routes(routes!(change::pause_campaign))
        .routes(routes!(change::resume_campaign))
        .routes(routes!(change::finish_campaign))
        .routes(routes!(change::cancel_campaign))
        .routes(routes!(preview::preview_campaign))
        .routes(routes!(preview::preview_draft))
        .routes(routes!(change::resend_messages))
        .routes(routes!(preview::test_campaign))
        .routes(routes!(message::list_messages))
        .routes(routes!(message::list_failures))
        .routes(routes!(message::list_recipient_messages))
        .routes(routes!(sender::list_senders))
        .routes(routes!(usage::list_usage))
        .routes(routes!(suppression::list_suppressed))
        .routes(routes!(suppression::suppress, suppression::unsuppress))
        .routes(routes!(setting::read_setting))
        .routes(routes!(setting::replace_setting));
    let sent = MethodFilter::GET.or(MethodFilter::POST);
    let hooks = OpenApiRouter::new()
        .route(
            "/hooks/{sender}/{key}/status",
            on(sent, hook::take_receipts),
        )
        .route(
            "/hooks/{sender}/{key}/inbound",
            on(sent, hook::take_inbound),
        )
        .with_state(state.clone());
    scoped(SCOPE, "send", campaigns)
        .with_state(state)
        .merge(hooks)
}
