//! The comparison as a spreadsheet.

use api_http::accept::Kind;
use api_http::spreadsheet::{self, ColumnKind, SheetColumn};
use api_http::{Problem, Result};
use api_language::Text;
use axum::extract::Query;
use axum::response::Response;
use domain::month::Month;
use domain::scope::Scope;
use indexmap::IndexMap;
use serde_json::{Value, json};

use super::comparison::{BusPropComparison, BusPropRow, property};
use super::{StoresQuery, counts};
use crate::download::named;
use crate::figure::AnswerFigures;
use crate::names::{with_bus_props, without};
use crate::range::Range;
use crate::signed_in::SignedIn;

/// `GET /dashboard/stores.xlsx`: the page's table, with the months.
pub async fn export(person: SignedIn, Query(query): Query<StoresQuery>) -> Result<Response> {
    let f = person.frame("stores");
    let range = Range::checked(&query.range, f.zone)?;
    let forms = with_bus_props(&person).await?;
    let (form, content) = query.form(&person, &range, &forms).await?;
    let (_, property) = property(&content, &query.property);
    let figures = AnswerFigures::new(&f, &range, &form, "");
    let counts = counts(&person, &form, &range).await?;
    let comparison = query.compare((&content, property), &counts, figures);
    let comparison = comparison.ok_or_else(Problem::not_found)?;
    let mut sheet = f.t.spreadsheet("stores", "nav-stores", "", f.zone);
    let facts = [
        ("form", content.title.clone()),
        ("range", range.dates_words(f.t)),
        ("compare", range.compared_words(f.t)),
    ];
    sheet
        .facts
        .extend(facts.map(|(key, fact)| (f.t.get(key), fact)));
    sheet.columns = comparison.columns(f.t, property);
    let (rows, months) = (comparison.rows.iter(), &comparison.months);
    let mut rows: Vec<_> = rows.map(|row| row.cells(f.t, months)).collect();
    if let Some(row) = &comparison.without {
        let mut cells = row.cells(f.t, months);
        cells[0] = json!(without(f.t, property));
        rows.push(cells);
    }
    let export = spreadsheet::answer_rows(&person.state.app, person.account_id, sheet, &rows);
    let caller = &person.caller;
    let export = caller.export((Scope::Report, Kind::Xlsx), "stores.export", &form, export);
    let file = (&*f.t.get("nav-stores"), "xlsx");
    Ok(named(export.await?, file, &content.title, range.dates))
}

impl BusPropComparison<'_> {
    /// The columns of [`BusPropRow::cells`].
    fn columns(&self, t: &Text, property: &str) -> Vec<SheetColumn> {
        let column = |(header, meaning, key, kind): (String, &str, &str, ColumnKind)| SheetColumn {
            meaning: t.get(meaning),
            header,
            key: key.to_owned(),
            kind,
            words: IndexMap::new(),
        };
        let (plain, score, share) = (ColumnKind::Plain, ColumnKind::Score, ColumnKind::Share);
        let mark = |name, mark| t.labelled(t.get(name), t.get(mark));
        let (rest, change) = ("stores-rest", "stores-change");
        let (differs, changed) = (mark(rest, "stores-differs"), mark(change, "clear"));
        let named = |name: &str, meaning, key, kind| (t.get(name), meaning, key, kind);
        let columns = [
            (property.to_owned(), "stores-help-name", "bus_prop", plain),
            named(
                "stores-responses",
                "stores-help-responses",
                "responses",
                plain,
            ),
            named("stores-nps", "help-nps", "nps", score),
            named("xlsx-low", "stores-help-interval", "nps_detail.low", score),
            named(
                "xlsx-high",
                "stores-help-interval",
                "nps_detail.high",
                score,
            ),
            named(rest, "help-rest", "", score),
            (differs, "stores-help-differs", "", plain),
            named(change, "stores-help-change", "", score),
            (changed, "stores-help-changed", "", plain),
            named(
                "stores-satisfied",
                "help-satisfied",
                "happiness_rate",
                share,
            ),
            named("stores-completed", "help-completed", "response_rate", share),
            named(
                "stores-answered",
                "help-answered",
                "response_rate_delivered",
                share,
            ),
        ];
        let months = self.months.iter();
        let months = months.map(|month| {
            let header = format!("{} {}", t.get("stores-nps"), t.month(month.first()));
            (header, "stores-help-month", "nps", score)
        });
        columns.into_iter().chain(months).map(column).collect()
    }
}

/// One digit behind the point, also of a share in percent.
fn rounded(x: Option<f64>, unit: f64) -> Value {
    json!(x.map(|x| (x * unit).round() / unit))
}

fn score(x: Option<f64>) -> Value {
    rounded(x, 10.0)
}

fn share(x: Option<f64>) -> Value {
    rounded(x, 1_000.0)
}

impl BusPropRow<'_> {
    /// The cells of a spreadsheet.
    fn cells(&self, t: &Text, months: &[Month]) -> Vec<Value> {
        let metrics = &self.metrics;
        let difference = |difference: Option<(f64, bool)>| {
            let mark = difference
                .filter(|(_, differs)| *differs)
                .map(|_| t.get("xlsx-yes"));
            [score(difference.map(|(points, _)| points)), json!(mark)]
        };
        let mut cells = vec![
            json!(self.value),
            json!(metrics.responses),
            score(metrics.nps),
            score(metrics.nps_detail.low),
            score(metrics.nps_detail.high),
        ];
        cells.extend(difference(self.rest));
        cells.extend(difference(self.change));
        cells.push(share(metrics.happiness_rate));
        cells.push(share(metrics.response_rate));
        cells.push(share(metrics.response_rate_delivered));
        cells.extend(
            months
                .iter()
                .map(|month| score(self.month(month).map(|(nps, _)| nps))),
        );
        cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_one_digit_behind_the_point() {
        assert_eq!(score(Some(-78.947_368_421_052_63)), json!(-78.9));
        assert_eq!(share(Some(0.812_54)), json!(0.813));
        assert_eq!(score(None), Value::Null);
    }
}
