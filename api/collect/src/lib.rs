//! What is public: pages behind links, views and answers. There is no key; a link's token is what people know.
//!
//! # Layout
//! - `public`: the routes. `pages`: how they look.
//! - `links`: what a token opens, remembered for a moment, and the pages prepared for it.
//! - `address_answers`: how many answers one address may give a link.
//! - `state`: what they share; views and answers that arrive together share a commit.
//!
//! What is *not* here: making links (in `api-form`), what an answer must be (in `domain`), what is stored (in `store`).

mod address_answers;
mod links;
pub mod pages;
mod public;
mod state;

use api_http::AppState;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::state::CollectState;

/// What is opened without a key, documented.
pub fn routes(app: &AppState) -> OpenApiRouter {
    OpenApiRouter::new()
        .routes(routes!(public::show_form, public::submit::submit_answers))
        .routes(routes!(public::view::view_form))
        .routes(routes!(public::draw_link))
        .routes(routes!(public::show_logo))
        .routes(routes!(public::say_thanks))
        .routes(routes!(public::stop_messages))
        .with_state(CollectState::start(app))
}
