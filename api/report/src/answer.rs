//! Answering with a report as it was last rendered, or rendered anew.

use api_http::deadline::soon;
use axum::http::HeaderMap;
use axum::response::Response;
use report::{FormQuery, FormSeries, Found, Source};
use serde::Serialize;
use store::report::Version;

use crate::ReportState;
use crate::rendered::{IfNoneMatch, Key, Rendered};
use crate::request::no_bus_prop;
use api_http::{Problem, Result};

/// Answers with the report of this key.
pub async fn answer<C, R>(
    state: &ReportState,
    key: Key,
    headers: &HeaderMap,
    check: impl FnOnce() -> C,
    render: impl FnOnce() -> R,
) -> Result<Response>
where
    C: Future<Output = Result<Option<Version>>>,
    R: Future<Output = Result<(Rendered, Source)>>,
{
    let known = IfNoneMatch::new(headers);
    let (rendered, source) = soon(state.rendered.get(key, known, check, render)).await?;
    Ok(rendered.answer(known, source))
}

/// Answers with a report of one form, which `show` makes of its series.
pub async fn answer_form(
    state: &ReportState,
    key: Key,
    headers: &HeaderMap,
    query: FormQuery<'_>,
    show: impl FnOnce(&FormSeries) -> Result<Rendered>,
) -> Result<Response> {
    let store = &state.app.store;
    let check = async || Ok(store.form_data_version(query.form).await?);
    let render = async || match report::form_series(store, &state.cache, query).await? {
        Found::Is(series) => Ok((show(&series)?, series.source)),
        Found::NoForm => Err(Problem::not_found()),
        Found::NoBusProp => Err(no_bus_prop()),
    };
    answer(state, key, headers, check, render).await
}

/// A body in JSON.
pub fn json(body: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(body).map_err(|error| Problem::internal(&error))
}
