//! Making a form and changing it: fields by rows, which the page's script lets people drag to order.

use api_http::{Network, Problem, Result, parse_id};
use askama::Template;
use axum::extract::{Path, Query, State};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use domain::form::FieldType;
use domain::invalid::Invalid;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use strum::VariantArray;

use crate::page::{Frame, html};
use crate::service::{self, Operation};
use crate::session::{Pairs, SignedIn};
use crate::state::DashboardState;

const FORM: &str = "/api_v1/form";
/// Empty rows below those that have a field.
const EMPTY_ROWS: usize = 3;

#[derive(Template)]
#[template(path = "form_edit.html")]
struct EditPage<'a> {
    f: &'a Frame,
    /// Of a form that is stored.
    id: Option<&'a str>,
    draft: &'a Draft,
    types: &'static [FieldType],
    wrong: &'a [Invalid],
    /// Why it was not stored.
    refusal: Option<String>,
}

/// What the page's form has.
#[derive(Default)]
struct Draft {
    title: String,
    /// One a line.
    bus_props: String,
    rows: Vec<Row>,
}

/// A field; without a label it is none.
#[derive(Default)]
struct Row {
    key: String,
    kind: String,
    label: String,
    required: bool,
    scale: String,
    /// One a line, `value=label`.
    options: String,
}

impl Draft {
    /// Of a form in JSON.
    fn read(form: &Value) -> Self {
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let in_use = |entry: &&Value| entry["retired"] != json!(true);
        let lines = |lines: Vec<String>| lines.join("\n");
        let bus_props = list(&form["bus_props"]);
        let bus_props = bus_props
            .iter()
            .filter(in_use)
            .map(|entry| text(&entry["bus_prop"]));
        let option =
            |option: &Value| format!("{}={}", text(&option["value"]), text(&option["label"]));
        let row = |field: &Value| Row {
            key: text(&field["key"]),
            kind: text(&field["type"]),
            label: text(&field["label"]),
            required: field["required"] == json!(true),
            scale: field["scale"]
                .as_i64()
                .map_or_else(String::new, |scale| scale.to_string()),
            options: lines(list(&field["options"]).iter().map(option).collect()),
        };
        Self {
            title: text(&form["title"]),
            bus_props: lines(bus_props.collect()),
            rows: list(&form["fields"])
                .iter()
                .filter(in_use)
                .map(row)
                .collect(),
        }
    }

    /// Of what was sent: each `key` begins a row.
    fn sent(pairs: Vec<(String, String)>) -> Self {
        let mut draft = Self::default();
        for (name, value) in pairs {
            match (&*name, draft.rows.last_mut()) {
                ("title", _) => draft.title = value,
                ("bus_props", _) => draft.bus_props = value,
                ("key", _) => draft.rows.push(Row {
                    key: value,
                    ..Row::default()
                }),
                ("type", Some(row)) => row.kind = value,
                ("label", Some(row)) => row.label = value,
                ("required", Some(row)) => row.required = true,
                ("scale", Some(row)) => row.scale = value,
                ("options", Some(row)) => row.options = value,
                _ => {}
            }
        }
        draft.rows.retain(|row| !row.label.trim().is_empty());
        draft
    }

    fn write(&self) -> Value {
        let lines = |text: &str| {
            text.lines()
                .map(str::trim)
                .filter(|line| !line.is_empty())
                .map(ToOwned::to_owned)
                .collect::<Vec<_>>()
        };
        let fields = self.rows.iter().enumerate().map(|(place, row)| {
            let mut field = json!({
                "key": if row.key.is_empty() { key(&row.label, place) } else { row.key.clone() },
                "type": row.kind,
                "label": row.label,
                "required": row.required,
            });
            if row.kind == "rating" {
                field["scale"] = json!(row.scale.trim().parse::<i64>().unwrap_or(5));
            }
            if matches!(&*row.kind, "choice" | "choices") {
                let option = |line: &String| {
                    let (value, label) = line.split_once('=').unwrap_or((line, line));
                    json!({"value": value.trim(), "label": label.trim()})
                };
                field["options"] = lines(&row.options).iter().map(option).collect();
            }
            field
        });
        json!({"title": self.title, "bus_props": lines(&self.bus_props), "fields": fields.collect::<Vec<_>>()})
    }

    /// Rows with a field, and some without.
    fn rows_and_more(&self) -> impl Iterator<Item = Option<&Row>> {
        self.rows
            .iter()
            .map(Some)
            .chain(std::iter::repeat_n(None, EMPTY_ROWS))
    }
}

/// A key that begins with the letters of the label.
fn key(label: &str, place: usize) -> String {
    let letters = label.to_lowercase();
    let letters: String = letters
        .chars()
        .filter(char::is_ascii_lowercase)
        .take(20)
        .collect();
    format!(
        "{}{}",
        if letters.is_empty() {
            "field"
        } else {
            &letters
        },
        place + 1
    )
}

/// Which form a new one begins as a copy of.
#[derive(Deserialize)]
pub struct CopyQuery {
    #[serde(default)]
    copy: String,
}

/// `GET /dashboard/forms/new`.
pub async fn new(
    State(state): State<DashboardState>,
    person: SignedIn,
    Query(CopyQuery { copy }): Query<CopyQuery>,
) -> Result<Response> {
    let draft = if copy.is_empty() {
        let example = json!({"fields": [
            {"type": "nps", "label": person.t.get("form-nps"), "required": true},
            {"type": "comment", "label": person.t.get("form-comment")}]});
        Draft::read(&example)
    } else {
        let mut form: Map<String, Value> = find(&state, &person, &copy).await?;
        form.remove("form_id");
        Draft::read(&Value::Object(form))
    };
    Ok(answer(&person, None, &draft, None))
}

/// `GET /dashboard/forms/{form_id}/edit`.
pub async fn edit(
    State(state): State<DashboardState>,
    person: SignedIn,
    Path(id): Path<String>,
) -> Result<Response> {
    let form = Value::Object(find(&state, &person, &id).await?);
    Ok(answer(&person, Some(&id), &Draft::read(&form), None))
}

async fn find(state: &DashboardState, person: &SignedIn, id: &str) -> Result<Map<String, Value>> {
    let id = parse_id("form_id", id)?;
    service::get(state, person, &format!("{FORM}/{id}")).await
}

/// Makes a form.
pub async fn create(
    State(state): State<DashboardState>,
    person: SignedIn,
    network: Network,
    Pairs(pairs): Pairs,
) -> Result<Response> {
    store(&state, &person, network, None, &Draft::sent(pairs)).await
}

/// Replaces a form.
pub async fn replace(
    State(state): State<DashboardState>,
    person: SignedIn,
    network: Network,
    Path(id): Path<String>,
    Pairs(pairs): Pairs,
) -> Result<Response> {
    parse_id("form_id", &id)?;
    store(&state, &person, network, Some(&id), &Draft::sent(pairs)).await
}

async fn store(
    state: &DashboardState,
    person: &SignedIn,
    network: Network,
    id: Option<&str>,
    draft: &Draft,
) -> Result<Response> {
    let operation = Operation {
        action: if id.is_some() {
            "form.replace"
        } else {
            "form.create"
        },
        subject: id.unwrap_or(&draft.title),
        method: if id.is_some() {
            Method::PUT
        } else {
            Method::POST
        },
        path: &id.map_or_else(|| FORM.to_owned(), |id| format!("{FORM}/{id}")),
        body: Some(draft.write()),
    };
    let stored = match service::change(state, person, network, operation).await {
        Ok(stored) => stored,
        Err(problem) => return Ok(answer(person, id, draft, Some(&problem))),
    };
    let stored: Value = service::read(stored).await?;
    let status = service::text(&stored["status"]);
    Ok(Redirect::to(&format!("/dashboard/forms?status={status}")).into_response())
}

fn answer(
    person: &SignedIn,
    id: Option<&str>,
    draft: &Draft,
    problem: Option<&Problem>,
) -> Response {
    let f = person.frame("forms");
    let template = EditPage {
        f: &f,
        id,
        draft,
        types: FieldType::VARIANTS,
        wrong: problem.map_or(&[], Problem::members),
        refusal: problem.map(|problem| problem.detail().to_owned()),
    };
    let status = problem.map_or(StatusCode::OK, |problem| problem.code().status());
    html(f.t, status, &template)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_is_written_as_it_was() {
        let form = json!({
            "title": "t", "bus_props": ["store:A"],
            "fields": [
                {"key": "a", "type": "nps", "label": "A", "required": true},
                {"key": "b", "type": "rating", "label": "B", "required": false, "scale": 7},
                {"key": "c", "type": "choice", "label": "C", "required": false,
                 "options": [{"value": "x", "label": "X=Y"}, {"value": "z", "label": "Z"}]}],
        });
        let mut shown = form.clone();
        shown["bus_props"] = json!([{"bus_prop": "store:A", "retired": false}, {"bus_prop": "store:B", "retired": true}]);
        assert_eq!(Draft::read(&shown).write(), form);
    }

    #[test]
    fn rows_without_a_label_are_none_and_keys_follow_from_labels() {
        let pairs = [
            ("title", "t"),
            ("key", ""),
            ("type", "text"),
            ("label", "Your Name?"),
            ("required", "on"),
            ("key", ""),
            ("type", "nps"),
        ];
        let draft = Draft::sent(
            pairs
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into(),
        );
        let fields = &draft.write()["fields"];
        assert_eq!(
            fields,
            &json!([{"key": "yourname1", "type": "text", "label": "Your Name?", "required": true}])
        );
        assert_eq!(key("¿Qué?", 1), "qu2");
        assert_eq!(key("你好", 0), "field1");
    }
}
