//! The values of a business property beside each other, such as stores: each against the rest and against the days before, and by
//! month.

pub mod comparison;
pub mod counts;
mod sheet;

use std::borrow::Borrow;
use std::future::ready;
use std::sync::Arc;

use api_http::{Problem, Result, parse_id};
use askama::Template;
use axum::extract::Query;
use axum::response::Response;
use domain::date_range::DateRange;
use domain::form::FormContent;
use domain::month::Month;
use domain::scope::Scope;
use report::BusPropReader;
use serde::Deserialize;
use store::form::FormKey;
use strum::VariantArray;
use url::form_urlencoded::Serializer;

use self::comparison::{BusPropComparison, BusPropRow, SortColumn, property};
use self::counts::{CountedDays, CountsById};
pub use self::sheet::export;
use crate::answers::most_answered;
use crate::figure::{ALL_FORMS, AnswerFigures};
use crate::names::{FormChoice, property_name, with_bus_props};
use crate::page::{Frame, page_of_days};
use crate::range::{Range, RangeQuery};
use crate::signed_in::SignedIn;

/// So many rows are drawn unless all are asked for.
pub const DRAWN: usize = 100;
/// Bytes of a row with its months.
const ROW: usize = 2_000;

/// What the page compares, and in which order.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct StoresQuery {
    /// Of those that are published and have business properties the one with the most responses unless it is named.
    form: String,
    /// The name of a business property.
    property: String,
    sort: String,
    /// `up`: the lowest first; `down`.
    order: String,
    /// `all`: every row, however many there are.
    rows: String,
    #[serde(flatten)]
    range: RangeQuery,
}

#[derive(Template)]
#[template(path = "stores.html")]
struct StoresPage<'a> {
    f: &'a Frame,
    range: &'a Range,
    /// Those that have stores or groups.
    forms: &'a [FormChoice],
    form: &'a str,
    title: &'a str,
    /// The names of the form's business properties.
    properties: Vec<&'a str>,
    property: &'a str,
    sort: SortColumn,
    is_down: bool,
    keep: Vec<(&'static str, &'a str)>,
    /// How many rows at most.
    drawn: usize,
    comparison: Option<BusPropComparison<'a>>,
}

impl StoresPage<'_> {
    /// The columns of the table, each with its label and what it is called on phones, the link that sorts by it, and how it is sorted now.
    fn heads(&self) -> Vec<((String, String), String, &'static str)> {
        let head = |column: &SortColumn| {
            let name: &str = column.into();
            let is_sorted = *column == self.sort;
            // Names begin with the first, numbers with the lowest.
            let order = if is_sorted && !self.is_down {
                "down"
            } else {
                "up"
            };
            let keep = self
                .keep
                .iter()
                .filter(|(name, _)| !["sort", "order"].contains(name));
            let mut query = Serializer::new(self.range.query());
            query
                .extend_pairs(keep)
                .append_pair("sort", name)
                .append_pair("order", order);
            let sorted = match (is_sorted, self.is_down) {
                (false, _) => "",
                (true, true) => "descending",
                (true, false) => "ascending",
            };
            let label = if *column == SortColumn::Name {
                property_name(self.f.t, self.property)
            } else {
                self.f.t.of("stores", name)
            };
            let short = if *column == SortColumn::Rest {
                self.f.t.get("stores-rest-short")
            } else {
                label.clone()
            };
            ((label, short), query.finish(), sorted)
        };
        let comparison = self.comparison.as_ref();
        let has_smileys = comparison.is_some_and(|comparison| comparison.has_smileys);
        let is_shown = |column: &&SortColumn| has_smileys || **column != SortColumn::Satisfied;
        let columns = SortColumn::VARIANTS.iter().filter(is_shown);
        columns.map(head).collect()
    }

    /// How many columns the table has: those of [`Self::heads`], and the band.
    fn columns(&self) -> usize {
        self.heads().len() + 1
    }

    /// Whether some rows are not drawn.
    fn has_more(&self) -> bool {
        let comparison = self.comparison.as_ref();
        comparison.is_some_and(|all| all.rows.len() > self.drawn)
    }

    /// The same page with every row.
    fn all_query(&self) -> String {
        let mut query = Serializer::new(self.range.query());
        query.extend_pairs(&self.keep).append_pair("rows", "all");
        query.finish()
    }

    /// The report of a value in a month.
    fn month_link(&self, row: &BusPropRow<'_>, month: impl Borrow<Month>) -> String {
        let month = month.borrow();
        let dates =
            DateRange::spanning(DateRange::day(month.first()), DateRange::day(month.last()));
        self.link(row, self.range.query_of(dates))
    }

    /// The same as a spreadsheet.
    fn export_query(&self) -> String {
        let mut query = Serializer::new(self.range.query());
        query.extend_pairs(&self.keep).finish()
    }

    fn row_link(&self, row: &BusPropRow<'_>) -> String {
        self.link(row, self.range.query())
    }

    fn link(&self, row: &BusPropRow<'_>, range: String) -> String {
        let mut query = Serializer::new(range);
        query.append_pair("bus_prop", row.bus_prop);
        format!("/dashboard/form/{}?{}", self.form, query.finish())
    }
}

impl StoresQuery {
    /// The form that is compared, and its content; without one, nothing.
    async fn form(
        &self,
        person: &SignedIn,
        range: &Range,
        forms: &[FormChoice],
    ) -> Result<(String, FormContent)> {
        let form = match self.form.as_str() {
            "" | ALL_FORMS => most_answered(person, range, forms).await?,
            form => form.to_owned(),
        };
        if form.is_empty() {
            return Ok((form, FormContent::default()));
        }
        let form_id = parse_id("form_id", &form)?;
        let stored = person.state.app.form(person.account_id, form_id).await?;
        Ok((form, stored.content.for_reports()))
    }

    fn sort(&self) -> (SortColumn, bool) {
        (self.sort.parse().unwrap_or_default(), self.order == "down")
    }

    /// The comparison of the values of a form's property; without one, nothing.
    fn compare<'a>(
        &self,
        (content, property): (&'a FormContent, &str),
        counts: &'a CountsById,
        figures: AnswerFigures<'a>,
    ) -> Option<BusPropComparison<'a>> {
        if property.is_empty() {
            return None;
        }
        let months = days(figures.range).months();
        let mut comparison = BusPropComparison::new((content, property), counts, months, figures);
        let (sort, is_down) = self.sort();
        comparison.sort(sort, is_down);
        Some(comparison)
    }
}

/// `GET /dashboard/stores`.
pub async fn show(person: SignedIn, Query(query): Query<StoresQuery>) -> Result<Response> {
    let f = person.frame("stores");
    let range = Range::read(&query.range, f.zone);
    let (forms, (form, content), counts) = read(&query, &person, &range).await?;
    let (properties, property) = property(&content, &query.property);
    let (sort, is_down) = query.sort();
    let figures = AnswerFigures::new(&f, &range, &form, "");
    let comparison = query.compare((&content, property), &counts, figures);
    let drawn = if query.rows == "all" {
        usize::MAX
    } else {
        DRAWN
    };
    let rows = comparison.as_ref().map_or(0, |all| all.first(drawn).len());
    let mut keep = vec![
        ("form", form.as_str()),
        ("property", property),
        ("sort", sort.into()),
        ("order", if is_down { "down" } else { "up" }),
    ];
    if !query.rows.is_empty() {
        keep.push(("rows", &query.rows));
    }
    let template = StoresPage {
        f: &f,
        range: &range,
        forms: &forms,
        form: &form,
        title: &content.title,
        properties,
        property,
        sort,
        is_down,
        keep,
        drawn,
        comparison,
    };
    let draw = || page_of_days(&f, &range, &template);
    Ok(person
        .state
        .app
        .work_here(person.account_id, ROW * rows, draw)
        .await)
}

/// The forms that have stores; the one that is compared, its content and its counts.
async fn read(
    query: &StoresQuery,
    person: &SignedIn,
    range: &Range,
) -> Result<(Vec<FormChoice>, (String, FormContent), Arc<CountsById>)> {
    if ["", ALL_FORMS].contains(&&*query.form) {
        let forms = with_bus_props(person).await?;
        let compared = query.form(person, range, &forms).await?;
        let counts = counts(person, &compared.0, range).await?;
        return Ok((forms, compared, counts));
    }
    // At once: one that is named depends on nothing else. What takes longest begins.
    let (counts, form, forms) = tokio::try_join!(
        counts(person, &query.form, range),
        query.form(person, range, &[]),
        with_bus_props(person),
    )?;
    Ok((forms, form, counts))
}

/// The days that the page counts.
fn days(range: &Range) -> CountedDays {
    CountedDays {
        dates: range.dates,
        compared: range.compared,
        by_month: true,
    }
}

/// The counts of all values; of no form, none.
async fn counts(person: &SignedIn, form: &str, range: &Range) -> Result<Arc<CountsById>> {
    if form.is_empty() {
        return Ok(Arc::default());
    }
    let form = FormKey::new(person.account_id, parse_id("form_id", form)?);
    let read = async {
        let state = &person.state;
        let _place = state.places.take(person.account_id).await;
        let reader = BusPropReader::open(person.store(), form).await?;
        let version = reader.version().await?;
        let version = version.ok_or_else(Problem::not_found)?;
        let counted = &state.counted_values;
        let reader = ready(Ok(reader));
        counted.find(form, days(range), version, reader).await
    };
    person.caller.read(Scope::Report, read).await
}
