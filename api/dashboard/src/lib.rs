//! The dashboard: pages for people who sign in, drawn by the server.
//!
//! # Layout
//! - Who is there: `door` (the layers before all pages), `signed_in`, `session` (and its cookie), `password`, `known` (names that
//!   signed in from a browser before), `sign_in`, `sign_in_link`, `oidc` (through the company's provider), `first_admin` (and `first_admin_page`), `own_password` (with one's
//!   sessions), `second_factor` (asked for by `second_step`), `visitor` (from where somebody signs in).
//! - `sent`: what the forms of pages send; `phone`: a phone as it is typed. `state`: what all pages share.
//! - How pages look: `page` (the frame and the headers), `list` (which page of a list), `reasons` (why something was refused),
//!   `provider_code` (why a message did not arrive), `done` (what was done), `download` (what files are called), `chart` (SVG),
//!   `figure` (a number that leads to what it counts), `maker` (who made something), `asset` (style and script). Their
//!   texts are in `api-language`.
//! - One file a page: `overview` (with the `first_steps` of a new account, and `news`), `form`, `stores`, `answers`, `imports`,
//!   `import_file` (a file before it is imported: `import_upload`, `import_outlook`),
//!   `recipients`, `suppressions`, `campaigns`, `messages`, `senders` (with `sender_alerts`, what all pages tell of them), `forms`, `links` (of a form), `branding`, `people`, `company`, `keys`,
//!   `audit` (`audit_changes`, `access`), `share` (pages of reports for whoever has a link; `shared_pages`: those drawn lately). `comments`, and `analysis` of
//!   them, which costs more than its report.
//! - `editor`: what the editors of forms (`form_edit`, of a `form_draft`) and of campaigns (`campaign_edit`, of a `campaign_draft`,
//!   which `campaign_new` begins; `campaign_columns`: what it tells of columns) share.
//!
//! Reports are read from the crate `report`, as the API's own are, so the figures are the same. Everything else is an operation of
//! another capability: what it checks is checked once. What is *not* here: SQL, and any rule about what may be stored.

mod access;
mod analysis;
mod answers;
mod asset;
mod audit;
mod audit_changes;
mod branding;
mod campaign_columns;
mod campaign_draft;
mod campaign_edit;
mod campaign_new;
mod campaign_senders;
mod campaign_settings;
mod campaigns;
mod chart;
mod comments;
mod company;
mod cookies;
mod done;
mod door;
mod download;
mod editor;
mod figure;
mod figures;
mod first_admin;
mod first_admin_page;
mod first_steps;
mod form;
mod form_draft;
mod form_edit;
mod form_row;
mod form_templates;
mod form_texts;
mod forms;
#[cfg(test)]
mod fuzz;
mod import_file;
mod import_outlook;
mod import_upload;
mod imports;
mod keys;
mod known;
mod links;
mod list;
mod maker;
mod messages;
mod money;
mod names;
mod news;
mod oidc;
mod overview;
mod own_password;
mod page;
mod password;
mod people;
mod phone;
mod provider_code;
mod range;
mod reasons;
mod recipients;
mod retention;
mod second_factor;
mod second_step;
mod sender_alerts;
mod senders;
mod sent;
mod session;
mod share;
mod shared_pages;
mod sign_in;
mod sign_in_link;
mod signed_in;
mod state;
mod stores;
mod suppressions;
mod usage;
mod visitor;

use std::sync::Arc;

use api_http::accept::XLSX;
use api_http::memory::MemoryPool;
use api_http::{AppState, Problem};
use api_import::ImportState;
use api_language::of_request;
use api_send::SendState;
use axum::Router;
use axum::body::HttpBody;
use axum::http::HeaderMap;
use axum::middleware::from_fn_with_state;
use axum::response::{Redirect, Response};
use axum::routing::{get, post};
use domain::person::Role;
use platform::backends::Backends;
use platform::config::Config;
use platform::oidc::RETURN;
use platform::places::Places;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, NotForContentType, Predicate};

use self::campaign_draft::CampaignDraft;
pub use self::first_admin::FirstAdmin;
use self::form_draft::FormDraft;
pub use self::password::hash as hash_password;
use self::sender_alerts::SenderAlerts;
use self::sent::{EDITOR_BYTES, MIDDLE_BYTES, SMALL_BYTES};
use self::session::Sessions;
use self::shared_pages::SharedPages;
pub use self::sign_in_link::{LinkPurpose, sign_in_path};
use self::state::DashboardState;

/// Pages of reports that are drawn at once, and as many changes with large bodies.
const PLACES: usize = 4;
/// Bytes up to which an answer is compressed: a larger one takes a thread of everybody for too long.
const COMPRESSED: u64 = 256 << 10;

/// The page where the dashboard has none.
pub fn nothing_here(headers: &HeaderMap) -> Response {
    page::trouble(of_request(headers), &Problem::not_found())
}

/// `/` and everything under `/dashboard`; `first_admin`: of a service that nobody has signed in to.
pub fn routes(
    app: &AppState,
    config: &Config,
    backends: &Backends,
    imports: ImportState,
    sending: SendState,
    first_admin: Option<FirstAdmin>,
) -> Router {
    let state = DashboardState {
        app: app.clone(),
        cache: backends.cache.clone(),
        imports,
        sending,
        sessions: Arc::new(Sessions::new(&config.public_url, config.session_idle)),
        passwords: Arc::default(),
        oidc: backends.oidc.clone(),
        memory: MemoryPool::new(app.parts.page_bodies),
        places: Places::new(PLACES),
        body_places: Places::new(PLACES),
        analyses: Arc::default(),
        news: Arc::default(),
        counted_values: Arc::default(),
        shared: Arc::new(SharedPages::new(app.parts.shared_pages)),
        first_admin: first_admin.map(Arc::new),
        sender_alerts: SenderAlerts::default(),
    };
    let pages = Router::new()
        .route("/dashboard", get(overview::show))
        .route("/dashboard/form/{form_id}", get(form::show))
        .route("/dashboard/answers", get(answers::show))
        .route("/dashboard/imports", get(imports::list))
        .route("/dashboard/imports/{batch_id}", get(imports::show))
        .merge(recipients::pages())
        .route("/dashboard/suppressions", get(suppressions::show))
        .route("/dashboard/answers.csv", get(answers::export))
        .route("/dashboard/answers.xlsx", get(answers::export))
        .route("/dashboard/stores.xlsx", get(stores::export))
        .route("/dashboard/messages.xlsx", get(messages::export))
        .route(
            "/dashboard/imports/{batch_id}/errors.xlsx",
            get(imports::export_errors),
        )
        .route("/dashboard/stores", get(stores::show))
        .route("/dashboard/messages", get(messages::show))
        .route("/dashboard/campaigns", get(campaigns::list))
        .route("/dashboard/campaigns/{campaign_id}", get(campaigns::show))
        .merge(senders::pages())
        .route("/dashboard/forms", get(forms::list))
        .merge(links::pages())
        .merge(of_oneself());
    let edits = Router::new()
        .route("/dashboard/imports/{batch_id}/{action}", post(imports::act))
        .route(
            "/dashboard/imports/file/{upload_id}",
            get(import_file::show).post(import_file::import),
        )
        .route(
            "/dashboard/campaigns/{campaign_id}/{action}",
            post(campaigns::act),
        )
        .route("/dashboard/forms/{form_id}/{action}", post(forms::act))
        .merge(links::edits())
        .route("/dashboard/forms/preview/logo", get(form_edit::logo))
        .route("/dashboard/shares", get(share::list).post(share::create))
        .route("/dashboard/shares/withdraw", post(share::withdraw))
        .merge(recipients::edits())
        .route("/dashboard/suppressions/gap", post(suppressions::set_gap))
        .route("/dashboard/usage/budget", post(usage::set_budget))
        .route(
            "/dashboard/suppressions/{action}",
            post(suppressions::change),
        );
    let form_edits = Router::new()
        .route(
            "/dashboard/forms/new",
            get(form_edit::new).post(editor::save::<FormDraft>),
        )
        .route(
            "/dashboard/forms/{form_id}/edit",
            get(editor::edit::<FormDraft>).post(editor::save::<FormDraft>),
        )
        .route("/dashboard/forms/preview", post(form_edit::preview));
    let uploads = Router::new().route(
        "/dashboard/imports/file",
        get(import_upload::leave).post(import_upload::take),
    );
    let (small, middle, large) = (Some(SMALL_BYTES), Some(MIDDLE_BYTES), Some(EDITOR_BYTES));
    let signed_in = door::group(&state, Role::Viewer, small, pages)
        .merge(door::group(&state, Role::Editor, small, edits))
        .merge(door::group(&state, Role::Editor, middle, campaign_edits()))
        .merge(door::group(&state, Role::Editor, large, form_edits))
        .merge(door::group(&state, Role::Editor, None, uploads))
        .merge(door::group(&state, Role::Admin, small, of_admins()));
    open(&state)
        .merge(signed_in)
        .layer(
            CompressionLayer::new()
                .quality(CompressionLevel::Fastest)
                .compress_when(
                    DefaultPredicate::new()
                        .and(NotLarge)
                        .and(NotForContentType::const_new(XLSX)),
                ),
        )
        .with_state(state)
}

/// Answers whose length is known and not too large.
#[derive(Clone, Copy)]
struct NotLarge;

impl Predicate for NotLarge {
    fn should_compress<B: HttpBody>(&self, response: &Response<B>) -> bool {
        let length = response.body().size_hint().exact();
        length.is_none_or(|length| length <= COMPRESSED)
    }
}

/// One's own password, second factor and sessions.
fn of_oneself() -> Router<DashboardState> {
    Router::new()
        .route(
            "/dashboard/password",
            get(own_password::show).post(own_password::change),
        )
        .route(
            second_factor::PATH,
            get(second_factor::show).post(second_factor::turn_on),
        )
        .route(
            "/dashboard/second-factor/off",
            post(second_factor::turn_off),
        )
        .route("/dashboard/sessions/end", post(own_password::end_session))
        .route(
            "/dashboard/sessions/end-others",
            post(own_password::end_other_sessions),
        )
        .route("/dashboard/sign-out", post(sign_in::sign_out))
}

/// People, the company, keys and the audit log.
fn of_admins() -> Router<DashboardState> {
    Router::new()
        .route("/dashboard/people", get(people::show).post(people::add))
        .route("/dashboard/people/{action}", post(people::change))
        .merge(company::routes())
        .merge(retention::routes())
        .route("/dashboard/keys", get(keys::show).post(keys::create))
        .route("/dashboard/keys/{action}", post(keys::change))
        .route("/dashboard/audit", get(audit::show))
        .route("/dashboard/audit/access", get(access::show))
        .route("/dashboard/audit.ndjson", get(audit::export))
        .route("/dashboard/senders/{name}/{action}", post(senders::change))
}

/// Campaigns and the look of pages, changed.
fn campaign_edits() -> Router<DashboardState> {
    Router::new()
        .route(
            "/dashboard/campaigns/new",
            get(campaign_new::new).post(editor::save::<CampaignDraft>),
        )
        .route(
            "/dashboard/campaigns/{campaign_id}/edit",
            get(campaign_edit::edit).post(editor::save::<CampaignDraft>),
        )
        .route("/dashboard/campaigns/preview", post(campaign_edit::preview))
        .route(
            "/dashboard/campaigns/{campaign_id}/bus_props",
            post(campaigns::add_bus_props),
        )
        .route(
            "/dashboard/campaigns/{campaign_id}/resend",
            post(campaigns::resend),
        )
        .route(
            "/dashboard/campaigns/{campaign_id}/test",
            post(campaign_edit::test),
        )
        .route(
            "/dashboard/senders/test",
            post(campaign_edit::test_of_sender),
        )
        .route(
            "/dashboard/branding",
            get(branding::show).post(branding::set),
        )
        .route("/dashboard/branding/preview", post(branding::preview))
        .route("/dashboard/branding/preview/logo", get(form_edit::logo))
}

/// What needs no session.
fn open(state: &DashboardState) -> Router<DashboardState> {
    Router::new()
        .route("/", get(async || Redirect::to("/dashboard")))
        .route(
            "/dashboard/sign-in",
            get(sign_in::show).post(sign_in::sign_in),
        )
        .route("/dashboard/sign-in/code", post(second_step::confirm))
        .route(
            "/dashboard/sign-in/{token}",
            get(sign_in::show_link).post(sign_in::use_link),
        )
        .route("/dashboard/shared/{secret}", get(share::open))
        .layer(from_fn_with_state(state.clone(), door::same_origin))
        .route(oidc::PATH, get(oidc::begin))
        .route(RETURN, get(oidc::finish))
        .route("/dashboard/assets/{name}", get(asset::serve))
}
