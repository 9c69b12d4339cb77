//! Answering with a report that is kept as it was rendered.

use axum::http::HeaderMap;
use axum::response::Response;
use platform::reports::{FormSeries, Found, Source};
use serde::Serialize;
use store::report::Version;

use crate::ReportState;
use crate::asked::{self, FormAsked};
use crate::rendered::{Key, Rendered, Seen};
use api_http::error::Problem;

/// Answers with the report of this key, from the copy that is kept or made anew.
pub async fn answer<C, R>(
    state: &ReportState,
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
    let served = state.rendered.get(key, seen, check, render).await?;
    Ok(served.rendered.answer(seen, served.source))
}

/// Answers with a report of one form, which `show` makes of its `series`.
pub async fn answer_form<S, B>(
    state: &ReportState,
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
    let check = async || Ok(state.app.store().form_data_version(asked.form).await?);
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
pub fn json(body: &impl Serialize) -> Result<Vec<u8>, Problem> {
    serde_json::to_vec(body).map_err(|error| Problem::internal(&error))
}
