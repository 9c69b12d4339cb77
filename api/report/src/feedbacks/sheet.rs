//! Feedbacks as a spreadsheet: a column a business property, a question and a tracking field.

use std::borrow::Cow;

use api_http::spreadsheet::{self, ColumnKind, SheetColumn, SheetRows};
use api_http::{Caller, Problem, Result};
use api_language::Text;
use axum::response::Response;
use domain::form::{BusProp, FieldKind, FormContent};
use indexmap::{IndexMap, IndexSet};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use store::report::{FeedbackQuery, FeedbackRow, ListPosition};

use super::item::{StoredAnswers, text_beside};
use super::lines::parts;
use crate::rendered::{CACHE_STATUS, MISS};

/// Every feedback.
///
/// # Errors
/// 413: there are too many; they cannot be read; 503.
pub async fn whole(caller: &Caller, query: FeedbackQuery, t: &Text) -> Result<Response> {
    let (app, key, dates) = (&caller.app, query.form, query.range);
    let read = parts(app, query);
    let permit = spreadsheet::permit(app, key.account_id).await?;
    let first = read(ListPosition::default()).await?;
    // The form is read after the first feedbacks, so that it has every field that these or older ones can answer.
    let form = app.form(key.account_id, key.form_id).await?;
    let form = form.content.for_reports();
    let names = form.bus_props.iter().map(|entry| entry.text.name());
    let names: IndexSet<_> = names.map(ToOwned::to_owned).collect();
    let mut sheet = t.spreadsheet("answers", "nav-answers", "track_fields", caller.time_zone());
    let days = format!("{} – {}", t.date(dates.start()), t.date(dates.end()));
    let facts = [("form", form.title.clone()), ("range", days)];
    let facts = facts.map(|(name, fact)| (t.get(name), fact));
    sheet.facts.splice(..0, facts);
    sheet.columns = columns(t, &form, &names);
    let rows = SheetRows::new(app, sheet)?;
    let write = |rows: &mut SheetRows, feedback: &FeedbackRow| {
        let (cells, fields) =
            cells(&form, &names, feedback).map_err(|error| Problem::internal(&error))?;
        rows.add(cells.into_iter().map(Cow::Owned), Some(&fields))
    };
    let written = spreadsheet::write_all(app, key.account_id, permit, rows, first, read, write);
    let mut response = written.await?;
    response.headers_mut().insert(CACHE_STATUS, MISS);
    Ok(response)
}

/// When it was answered, the business properties, the questions, and the id.
fn columns(t: &Text, form: &FormContent, names: &IndexSet<String>) -> Vec<SheetColumn> {
    let mut columns = vec![t.sheet_column("submitted_at", [])];
    columns.extend(names.iter().map(|name| SheetColumn {
        header: name.clone(),
        key: "bus_props".to_owned(),
        meaning: t.get("bus-prop"),
        kind: ColumnKind::Plain,
        words: IndexMap::new(),
    }));
    for field in &form.fields {
        let options = field.kind.options();
        let options = options
            .iter()
            .map(|option| (option.value.clone(), option.label.clone()));
        columns.push(SheetColumn {
            header: field.label.clone(),
            key: field.key.as_str().to_owned(),
            meaning: t.of("type", field.kind.field_type().as_str()),
            kind: match field.kind {
                FieldKind::Comment => ColumnKind::Long,
                _ => ColumnKind::Plain,
            },
            words: options.collect(),
        });
        let with_text = field.kind.options().iter().find(|option| option.text);
        columns.extend(with_text.map(|option| SheetColumn {
            header: format!("{} – {}", field.label, option.label),
            key: field.text_column(),
            meaning: t.get("xlsx-text-beside"),
            kind: ColumnKind::Plain,
            words: IndexMap::new(),
        }));
    }
    columns.push(t.sheet_column("feedback_id", []));
    columns
}

/// The cells of the [`columns`], and the tracking fields.
fn cells(
    form: &FormContent,
    names: &IndexSet<String>,
    feedback: &FeedbackRow,
) -> Result<(Vec<Value>, Map<String, Value>), serde_json::Error> {
    let answers: StoredAnswers<'_> = serde_json::from_str(&feedback.answers)?;
    let value = |answer: Option<&RawValue>| match answer {
        Some(answer) => serde_json::from_str(answer.get()),
        None => Ok(Value::Null),
    };
    let mut cells = vec![Value::String(feedback.submitted_at.to_rfc3339())];
    for name in names {
        let texts = feedback.bus_prop_ids.texts(form);
        let values = texts.filter(|text| text.name() == name).map(BusProp::value);
        cells.push(Value::String(values.collect::<Vec<_>>().join("; ")));
    }
    for field in &form.fields {
        cells.push(value(answers.get(field.key.as_str()).copied())?);
        if field.has_text() {
            cells.push(value(text_beside(field, &answers))?);
        }
    }
    cells.push(Value::String(feedback.feedback_id.to_string()));
    Ok((cells, serde_json::from_str(&feedback.track_fields)?))
}
