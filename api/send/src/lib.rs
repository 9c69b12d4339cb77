//! Sending: campaigns, the messages that they plan, the senders that carry them, and whom an account may not send to.
//!
//! # Layout
//! - `campaign`: campaigns and their life. `message`: what became of each message.
//! - `sender`: who carries messages. `suppression`: who gets none. `setting`: how texts from phones are taken.
//! - `hook`: what providers report, at addresses that only they know. `state`: what these routes share.
//!
//! What is *not* here: what a campaign can be (in `domain`), planning and judging messages (in `store`), handing them over
//! (in `worker`), how providers speak (in `sender`), links of messages (in `api-collect`).

mod campaign;
mod hook;
mod message;
mod receipts;
mod schema;
mod sender;
mod setting;
mod state;
mod suppression;

use api_http::AppState;
use api_http::deadline::{patient, quick};
use api_http::scoped::scoped;
use axum::middleware::from_fn;
use axum::routing::{MethodFilter, on};
use domain::scope::Scope;
use platform::config::Config;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

use self::campaign::{change, preview};
use self::state::SendState;

/// Where campaigns are.
const PATH: &str = "/api_v1/sms/campaign";

/// Everything about sending under `/api_v1/sms`, documented, and the hooks of senders, which are not: each provider says itself
/// what it sends there.
pub fn routes(app: &AppState, config: &Config) -> OpenApiRouter {
    let campaigns = OpenApiRouter::new()
        .routes(routes!(campaign::create_campaign))
        .routes(routes!(campaign::list_campaigns).layer(from_fn(quick)))
        .routes(routes!(campaign::read_campaign).layer(from_fn(quick)))
        .routes(routes!(change::replace_campaign))
        .routes(routes!(change::delete_campaign).layer(from_fn(patient)))
        .routes(routes!(change::start_campaign).layer(from_fn(patient)))
        .routes(routes!(change::pause_campaign).layer(from_fn(patient)))
        .routes(routes!(change::resume_campaign).layer(from_fn(patient)))
        .routes(routes!(change::finish_campaign).layer(from_fn(patient)))
        .routes(routes!(change::cancel_campaign).layer(from_fn(patient)))
        // A large audience takes its time, and so does sending many again.
        .routes(routes!(preview::preview_campaign))
        .routes(routes!(preview::preview_draft))
        .routes(routes!(change::resend_messages))
        .routes(routes!(preview::test_campaign))
        .routes(routes!(message::list_messages))
        .routes(routes!(message::list_recipient_messages).layer(from_fn(quick)))
        .routes(routes!(sender::list_senders).layer(from_fn(quick)))
        .routes(routes!(suppression::list_suppressed).layer(from_fn(quick)))
        .routes(routes!(suppression::suppress, suppression::unsuppress))
        .routes(routes!(setting::read_setting).layer(from_fn(quick)))
        .routes(routes!(setting::replace_setting));
    let state = SendState::new(app, config);
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
    scoped(Scope::Send, "send", campaigns)
        .with_state(state)
        .merge(hooks)
}
