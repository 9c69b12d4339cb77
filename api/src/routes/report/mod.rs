//! Reports over date ranges: one file an operation, its body beside its handler.
//!
//! - `asked`: which form, days and business property; `figures`: days and metrics as all reports show them; `schema`:
//!   what `domain` serialises, for the document.
//! - `overview`, `form`, `summary`: figures, made from series of days and kept as they were rendered.
//! - `feedbacks`: lists of what was answered, read from the database each time.
//!
//! What is *not* here: where series come from (`platform::reports`), how rates and intervals are made
//! (`domain::metrics`), how long a body is believed (`rendered`).

mod asked;
pub mod feedbacks;
mod figures;
pub mod form;
pub mod overview;
mod schema;
pub mod summary;

use axum::http::HeaderMap;
use axum::response::Response;
use platform::reports::{FormSeries, Found, Source};
use serde::Serialize;
use store::report::Version;

use self::asked::FormAsked;
use crate::AppState;
use crate::error::Problem;
use crate::rendered::{Key, Rendered, Seen};

/// Answers with the report of this key, from the copy that is kept or made anew.
async fn answer<C, R>(
    state: &AppState,
    key: Key,
    headers: &HeaderMap,
    check: impl FnOnce() -> C,
    render: impl FnOnce() -> R,
) -> Result<Response, Problem>
where
    C: Future<Output = Result<Option<Version>, Problem>>,
    R: Future<Output = Result<(Rendered, Source), Problem>>,
{
    let seen = Seen::new(headers);
    let served = state.reports().get(key, seen, check, render).await?;
    Ok(served.rendered.answer(seen, served.source))
}

/// Answers with a report of one form, which `show` makes of its `series`.
async fn answer_form<S, B>(
    state: &AppState,
    asked: &FormAsked,
    path: &str,
    headers: &HeaderMap,
    series: impl FnOnce() -> S,
    show: impl FnOnce(FormSeries) -> B,
) -> Result<Response, Problem>
where
    S: Future<Output = Result<Found<FormSeries>, store::Error>>,
    B: Future<Output = Result<Vec<u8>, Problem>>,
{
    let key = Key::new(asked.form.account_id, path);
    let check = async || Ok(state.store().form_data_version(asked.form).await?);
    let render = async || {
        let series = match series().await? {
            Found::Is(series) => series,
            Found::NoForm => return Err(Problem::not_found()),
            Found::NoBusProp => return Err(asked::no_bus_prop()),
        };
        let (version, source) = (series.version, series.source);
        let body = show(series).await?;
        Ok((Rendered::new(version, body), source))
    };
    answer(state, key, headers, check, render).await
}

/// A body in JSON.
fn json(body: &impl Serialize) -> Result<Vec<u8>, Problem> {
    serde_json::to_vec(body).map_err(|error| Problem::internal(&error))
}
