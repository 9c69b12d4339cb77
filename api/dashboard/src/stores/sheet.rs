//! The comparison as a spreadsheet.

use api_http::accept::Kind;
use api_http::spreadsheet::{self, ColumnKind, SheetColumn};
use api_http::{Problem, Result};
use api_language::Text;
use axum::extract::Query;
use axum::response::Response;
use domain::scope::Scope;
use indexmap::IndexMap;
use serde_json::{Value, json};

use super::{BusPropComparison, BusPropRow, StoresQuery, property};
use crate::figure::AnswerFigures;
use crate::names::published;
use crate::range::Range;
use crate::signed_in::SignedIn;

/// `GET /dashboard/stores.xlsx`: the page's table, with the months.
pub async fn export(person: SignedIn, Query(query): Query<StoresQuery>) -> Result<Response> {
    let f = person.frame("stores");
    let range = Range::checked(&query.range, f.zone)?;
    let forms = published(&person).await?;
    let (form, content) = query.form(&person, &range, &forms).await?;
    let (_, property) = property(&content, &query.property);
    let figures = AnswerFigures::new(&f, &range, &form, "");
    let comparison = query.compare(&person, &range, (&form, &content), property, figures);
    let comparison = comparison.await?.ok_or_else(Problem::not_found)?;
    let mut sheet = f.t.spreadsheet("stores", "nav-stores", "", f.zone);
    let facts = [
        ("form", content.title.clone()),
        ("range", range.words(f.t)),
        ("compare", range.compared_words(f.t)),
    ];
    sheet
        .facts
        .extend(facts.map(|(key, fact)| (f.t.get(key), fact)));
    sheet.columns = comparison.columns(f.t, property);
    let rows: Vec<_> = comparison.rows.iter().map(|row| row.cells(f.t)).collect();
    let export = spreadsheet::answer_rows(&person.state.app, person.account_id, sheet, &rows);
    let caller = &person.caller;
    caller
        .export((Scope::Report, Kind::Xlsx), "stores.export", &form, export)
        .await
}

impl BusPropComparison<'_> {
    /// The columns of [`BusPropRow::cells`].
    fn columns(&self, t: &Text, property: &str) -> Vec<SheetColumn> {
        let column = |(header, key, kind): (String, &str, ColumnKind)| SheetColumn {
            meaning: match key {
                "nps" | "nps_detail.low" | "nps_detail.high" => t.get("help-nps"),
                "happiness_rate" => t.get("help-satisfied"),
                "response_rate" => t.get("help-completed"),
                "response_rate_delivered" => t.get("help-answered"),
                _ => String::new(),
            },
            header,
            key: key.to_owned(),
            kind,
            words: IndexMap::new(),
        };
        let (plain, score, share) = (ColumnKind::Plain, ColumnKind::Score, ColumnKind::Share);
        let mark = |name, mark| format!("{}: {}", t.get(name), t.get(mark));
        let columns = [
            (property.to_owned(), "bus_prop", plain),
            (t.get("stores-responses"), "responses", plain),
            (t.get("stores-nps"), "nps", score),
            (t.get("xlsx-low"), "nps_detail.low", score),
            (t.get("xlsx-high"), "nps_detail.high", score),
            (t.get("stores-rest"), "", score),
            (mark("stores-rest", "stores-differs"), "", plain),
            (t.get("stores-change"), "", score),
            (mark("stores-change", "significant"), "", plain),
            (t.get("stores-satisfied"), "happiness_rate", share),
            (t.get("stores-completed"), "response_rate", share),
            (t.get("stores-answered"), "response_rate_delivered", share),
        ];
        let months = self.months.iter();
        let months = months.map(|month| {
            let header = format!("{} {}", t.get("stores-nps"), t.month(month.first()));
            (header, "nps", score)
        });
        columns.into_iter().chain(months).map(column).collect()
    }
}

impl BusPropRow<'_> {
    /// The cells of a spreadsheet.
    fn cells(&self, t: &Text) -> Vec<Value> {
        let metrics = &self.metrics;
        let difference = |difference: Option<(f64, bool)>| {
            let mark = difference
                .filter(|(_, differs)| *differs)
                .map(|_| t.get("xlsx-yes"));
            [json!(difference.map(|(points, _)| points)), json!(mark)]
        };
        let mut cells = vec![
            json!(self.value),
            json!(metrics.responses),
            json!(metrics.nps),
            json!(metrics.nps_detail.low),
            json!(metrics.nps_detail.high),
        ];
        cells.extend(difference(self.rest));
        cells.extend(difference(self.change));
        cells.push(json!(metrics.happiness_rate));
        cells.push(json!(metrics.response_rate));
        cells.push(json!(metrics.response_rate_delivered));
        cells.extend(self.months.iter().map(|nps| json!(nps)));
        cells
    }
}
