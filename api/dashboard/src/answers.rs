//! What people answered, to one form or to all: an inbox of comments, or of all answers; and one answer alone.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use api_http::accept::Kind;
use api_http::deadline::soon;
use api_http::{List, Parameters, Problem, Result, parse_id};
use api_report::operations::{self, FeedbackSearch};
use api_report::{AnswerQuery, FeedbackItem, items};
use askama::Template;
use axum::extract::Query;
use axum::http::header::X_CONTENT_TYPE_OPTIONS;
use axum::http::{HeaderValue, Uri};
use axum::response::Response;
use chrono::{DateTime, Utc};
use domain::answer::AnswerMatch;
use domain::form::{BusProp, FieldType, FormContent};
use domain::invalid::Fault;
use domain::link::TrackFields;
use domain::rollup::DayCounts;
use domain::scope::Scope;
use serde::Deserialize;
use serde_json::Value;
use store::ListPage;
use url::form_urlencoded::Serializer;
use uuid::Uuid;

use crate::download::named;
use crate::figure::{ALL_FORMS, STORE};
use crate::list::{PageQuery, ShownList};
use crate::names::{BusPropGroup, FormChoice, bus_prop_groups, names, published, track_fields};
use crate::page::{self, Frame, page_of_days};
use crate::range::{Range, RangeQuery};
use crate::signed_in::SignedIn;

/// What the page is narrowed to.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct AnswersQuery {
    /// A form, or [`ALL_FORMS`], which is meant unless one is named.
    form: String,
    bus_prop: String,
    /// `all`: also answers without a comment.
    show: String,
    /// Words of what was written.
    q: String,
    /// Grades, such as `0-6`.
    nps: String,
    happiness: String,
    /// A tracking field of the link, `name=value`.
    track_field: String,
    /// The same as the form of the page sends it: the name, and the value beside it.
    column: String,
    value: String,
    /// The id of the one answer that is shown.
    one: String,
    /// From where it was opened, unless from the list of its form: [`ALL_FORMS`], or [`STORE`].
    from_page: String,
    /// Answers, `key=value`.
    #[serde(skip)]
    answers: Vec<String>,
    #[serde(flatten)]
    page: PageQuery,
    #[serde(flatten)]
    range: RangeQuery,
}

#[derive(Template)]
#[template(path = "answers.html")]
struct AnswersPage<'a> {
    f: &'a Frame,
    range: &'a Range,
    forms: &'a [FormChoice],
    /// Unless the form is not published, or all are listed.
    chosen: Option<&'a FormContent>,
    /// Its stores and groups.
    bus_props: Vec<BusPropGroup<'a>>,
    /// The tracking fields that can be searched, and what pages call them.
    columns: Vec<(String, String)>,
    form: &'a str,
    query: &'a AnswersQuery,
    /// What it is narrowed to, as parameters: beside the range, and with it.
    keep: Vec<(&'static str, &'a str)>,
    filter: String,
    /// What it is narrowed to beside the fields of its form, and the same list without that.
    narrowed: Vec<(String, String)>,
    found: ShownFeedbacks,
    /// On the page of one answer the next older one of the list.
    older: Option<Uuid>,
}

impl AnswersPage<'_> {
    /// The same list, or that of one answer's page, with another value of a parameter.
    fn with(&self, name: &str, value: &str) -> String {
        let kept = self.keep.iter();
        let kept = kept.filter(|(kept, _)| ![name, "one"].contains(kept));
        let mut query = Serializer::new(self.range.query());
        query.extend_pairs(kept).append_pair(name, value).finish()
    }

    /// The page of one answer, which keeps what the list is narrowed to; empty on that page.
    fn one(&self, item: &Feedback) -> String {
        if !self.query.one.is_empty() {
            return String::new();
        }
        let kept = self.keep.iter().filter(|(kept, _)| *kept != "form");
        let mut query = Serializer::new(self.range.query());
        query
            .append_pair("form", &item.form_id)
            .extend_pairs(kept)
            .append_pair("one", &item.id.to_string());
        if self.is_of_all() {
            query.append_pair("from_page", ALL_FORMS);
        }
        format!("/dashboard/answers?{}", query.finish())
    }

    /// The page of the next older answer, as that of this one.
    fn older(&self, id: &Uuid) -> String {
        let mut query = Serializer::new(self.with("one", &id.to_string()));
        if !self.query.from_page.is_empty() {
            query.append_pair("from_page", &self.query.from_page);
        }
        query.finish()
    }

    /// The page that an answer's page leads back to, and what that is called.
    fn back(&self) -> (String, String) {
        let mut query = Serializer::new(self.range.query());
        let bus_prop = &self.query.bus_prop;
        if self.query.from_page == STORE && !bus_prop.is_empty() {
            let query = query.append_pair("bus_prop", bus_prop).finish();
            let value = bus_prop.split_once(':').map_or("", |(_, value)| value);
            let href = format!("/dashboard/form/{}?{query}", self.form);
            return (href, value.to_owned());
        }
        let is_of_all = self.query.from_page == ALL_FORMS;
        let form = if is_of_all { ALL_FORMS } else { self.form };
        let kept = self.keep.iter();
        let kept = kept.filter(|(kept, _)| !["form", "one"].contains(kept));
        let query = query.append_pair("form", form).extend_pairs(kept).finish();
        (format!("?{query}"), self.f.t.get("nav-answers"))
    }

    /// Whether answers to all forms are listed.
    fn is_of_all(&self) -> bool {
        self.form == ALL_FORMS
    }

    /// The same list of whatever links have a tracking field.
    fn with_track_field(&self, name: &str, value: &str) -> String {
        self.with("track_field", &format!("{name}={value}"))
    }
}

#[derive(Default)]
struct ShownFeedbacks {
    total: i64,
    list: ShownList<Feedback>,
}

/// What somebody answered, as the page shows it.
#[derive(Default)]
struct Feedback {
    id: Uuid,
    form_id: String,
    /// The title of the form, where answers to several are listed.
    form: Option<String>,
    submitted_at: DateTime<Utc>,
    bus_props: Vec<BusProp>,
    track_fields: BTreeMap<String, String>,
    nps: Option<i16>,
    happiness: Option<i16>,
    comment: Option<String>,
    /// The labels of the fields that are shown by it, and how they were answered: of all on the page of one answer, otherwise of those
    /// that have no other place in the list.
    others: Vec<(String, String)>,
}

impl Feedback {
    /// `form` has the labels of options. Alone it has all its questions.
    fn read(
        item: &FeedbackItem,
        form: &FormContent,
        is_alone: bool,
    ) -> Result<Self, serde_json::Error> {
        let others = item.answers.iter().filter(|answer| {
            let kind = answer.kind;
            is_alone
                || !matches!(
                    kind,
                    FieldType::Nps | FieldType::Happiness | FieldType::Comment
                )
        });
        let others = others.map(|answer| {
            let value = serde_json::from_str(answer.value.get())?;
            let mut text = text(form, answer.key, &value);
            if let Some(beside) = answer.text {
                let beside: String = serde_json::from_str(beside.get())?;
                text = format!("{text}: {beside}");
            }
            Ok((answer.label.to_owned(), text))
        });
        let comment = item
            .comment
            .map(|comment| serde_json::from_str(comment.get()));
        let bus_props = item.bus_props.iter();
        let mut track_fields: BTreeMap<String, String> =
            serde_json::from_str(item.track_fields.get())?;
        // A business property that came from a tracking field is shown once.
        track_fields.retain(|name, value| !item.bus_props.contains(&&*format!("{name}:{value}")));
        Ok(Self {
            submitted_at: item.submitted_at,
            bus_props: bus_props
                .filter_map(|text| BusProp::parse(text).ok())
                .collect(),
            track_fields,
            nps: item.nps,
            happiness: item.happiness,
            comment: comment.transpose()?.filter(|_| !is_alone),
            others: others.collect::<Result<_, _>>()?,
            ..Self::default()
        })
    }
}

/// An answer to a field of a form as people read it: options by their labels.
fn text(form: &FormContent, key: &str, value: &Value) -> String {
    if let Value::Array(values) = value {
        let texts: Vec<_> = values.iter().map(|value| text(form, key, value)).collect();
        return texts.join(", ");
    }
    let field = form.fields.iter().find(|field| field.key.as_str() == key);
    let mut options = field.into_iter().flat_map(|field| field.kind.options());
    let option = options.find(|option| *value == option.value);
    option.map_or_else(|| page::text(value), |option| option.label.clone())
}

/// The counts of each form in the range.
async fn counts(person: &SignedIn, range: &Range) -> Result<HashMap<Uuid, DayCounts>> {
    let count = soon(async {
        let (state, account_id) = (&person.state, person.account_id);
        // All days of all forms are in memory.
        let _place = state.places.take(account_id).await;
        let store = person.store();
        Ok(report::account_series(store, &state.cache, account_id, range.dates).await?)
    });
    let series = person.caller.read(Scope::Report, count).await?;
    let mut sums: HashMap<Uuid, DayCounts> = HashMap::new();
    for (form_id, _, counts) in &series.days {
        *sums.entry(*form_id).or_default() += *counts;
    }
    Ok(sums)
}

/// Of the published forms the one with the most responses in the range; empty if there is none.
pub async fn most_answered(
    person: &SignedIn,
    range: &Range,
    forms: &[FormChoice],
) -> Result<String> {
    let found = counts(person, range).await?;
    let responses = |choice: &&FormChoice| {
        let form_id: Uuid = choice.form_id.parse().ok()?;
        found.get(&form_id).map(|counts| counts.responses)
    };
    // Of those with as many the newest, which is the first.
    let most = forms.iter().rev().max_by_key(responses);
    Ok(most.map_or_else(String::new, |choice| choice.form_id.clone()))
}

impl AnswersQuery {
    fn read(uri: &Uri) -> Result<Self> {
        let wrong = |_| Problem::invalid_parameter("the query cannot be read");
        let Query(mut query) = Query::<Self>::try_from_uri(uri).map_err(wrong)?;
        let parameters = Parameters::of(uri)?;
        let answers = parameters.all("answer").filter(|text| !text.is_empty());
        query.answers = answers.map(ToOwned::to_owned).collect();
        if !query.column.is_empty() {
            query.track_field.clear();
            if !query.value.is_empty() {
                query.track_field = format!("{}={}", query.column, query.value);
            }
        }
        Ok(query)
    }

    /// Whether answers without a comment are left out.
    fn comments_only(&self) -> bool {
        self.show != "all" && self.one.is_empty()
    }

    /// Whether only some of the answers of the range are asked for.
    fn is_narrowed(&self) -> bool {
        let given = [
            &self.bus_prop,
            &self.q,
            &self.nps,
            &self.happiness,
            &self.track_field,
            &self.one,
        ];
        !self.answers.is_empty() || given.iter().any(|text| !text.is_empty())
    }

    /// The name of the tracking field and its value. The value is empty where a name was chosen alone, and both are without one.
    fn column(&self) -> (&str, &str) {
        let chosen = (self.column.as_str(), "");
        self.track_field.split_once('=').unwrap_or(chosen)
    }

    /// Whether its grades are none of those that the page offers.
    fn has_own_grades(&self) -> bool {
        !["", "9-10", "7-8", "0-6", "0-10"].contains(&self.nps.as_str())
    }

    /// As parameters.
    fn pairs<'a>(&'a self, form: &'a str) -> Vec<(&'static str, &'a str)> {
        let pairs = [
            ("form", form),
            ("bus_prop", &self.bus_prop),
            ("show", &self.show),
            ("q", &self.q),
            ("nps", &self.nps),
            ("happiness", &self.happiness),
            ("track_field", &self.track_field),
            ("one", &self.one),
        ];
        let answers = self.answers.iter().map(|text| ("answer", text.as_str()));
        let pairs = pairs.into_iter().chain(answers);
        pairs.filter(|(_, value)| !value.is_empty()).collect()
    }

    /// What the list is narrowed to beside the fields of the page's form, in words, and what it is without that.
    fn narrowed(
        &self,
        f: &Frame,
        range: &Range,
        form: &str,
        content: Option<&FormContent>,
    ) -> Vec<(String, String)> {
        let pairs = self.pairs(form);
        let words = |(name, value): (&str, &str)| match name {
            "happiness" => Some(format!("{} {value}", f.t.get("smiley"))),
            // A form's are fields of the page.
            "bus_prop" if content.is_none() => Some(
                value
                    .split_once(':')
                    .map_or(value, |(_, value)| value)
                    .to_owned(),
            ),
            "answer" => {
                let (key, value) = value
                    .split_once('=')
                    .map_or((value, None), |(key, value)| (key, Some(value)));
                let field = content.and_then(|content| content.field(key));
                let label = field.map_or(key, |field| &field.label);
                let given = value
                    .zip(content)
                    .map(|(value, content)| text(content, key, &value.into()));
                Some(given.map_or_else(|| label.to_owned(), |given| f.t.labelled(label, given)))
            }
            _ => None,
        };
        let narrowed = pairs.iter().enumerate().filter_map(|(place, pair)| {
            let others = pairs
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != place);
            let mut query = Serializer::new(range.query());
            query.extend_pairs(others.map(|(_, pair)| pair));
            Some((words(*pair)?, query.finish()))
        });
        narrowed.collect()
    }

    /// The feedbacks of a form that are asked for.
    async fn search(&self, person: &SignedIn, form: &str, range: &Range) -> Result<FeedbackSearch> {
        let form_id = parse_id("form_id", form)?;
        let given = |text| Some(text).filter(|text: &&str| !text.is_empty());
        let wrong = |error: Fault| Problem::invalid_parameter(error.to_string());
        let search = || {
            let bus_prop = given(&self.bus_prop).map(BusProp::parse).transpose();
            let mut track_fields = TrackFields::default();
            let track_field = given(&self.track_field).map(|text| track_fields.push(text));
            track_field.transpose().map_err(wrong)?;
            let (q, nps) = (given(self.q.trim()), given(&self.nps));
            let happiness = given(&self.happiness);
            Ok(FeedbackSearch {
                form_id,
                range: range.dates,
                bus_prop: bus_prop.map_err(wrong)?,
                comments_only: self.comments_only(),
                track_fields,
                answers: AnswerQuery::parse(q, nps, happiness, self.answers.clone())?,
                with_texts: true,
            })
        };
        person.caller.unless_missing(form_id, search()).await
    }

    /// A page of the answers to a form, with their ids.
    async fn find(
        &self,
        person: &SignedIn,
        form: &str,
        range: &Range,
        list: &List,
    ) -> Result<(i64, bool, Vec<(Uuid, Feedback)>)> {
        let search = self.search(person, form, range).await?;
        let one = (!self.one.is_empty()).then(|| parse_id("one", &self.one));
        let one = one.transpose()?;
        // A list has what is older than its position.
        let after = one.map(|id| Uuid::from_u128(id.as_u128().saturating_add(1)));
        let (before, limit) = match after {
            Some(after) => (Some(after), 1),
            None => (list.position()?, list.limit),
        };
        let read = operations::list_feedbacks(&person.caller, search, before, limit);
        let read = read.await?;
        let page = read.found.page;
        let items = items(&read.form, &page.rows)?;
        let ids = page.rows.iter().map(|row| row.feedback_id);
        let shown = ids
            .zip(&items)
            .map(|(id, item)| Ok((id, Feedback::read(item, &read.form, one.is_some())?)));
        let shown = shown.collect::<Result<_, serde_json::Error>>();
        let mut shown: Vec<(Uuid, Feedback)> = shown.map_err(|error| Problem::internal(&error))?;
        for (id, feedback) in &mut shown {
            feedback.id = *id;
            form.clone_into(&mut feedback.form_id);
        }
        let Some(one) = one else {
            return Ok((read.found.total, page.next.is_some(), shown));
        };
        shown.retain(|(id, _)| *id == one);
        Ok((shown.len().try_into().unwrap_or_default(), false, shown))
    }

    /// The answer that the list has below the one that is shown.
    async fn older(&self, person: &SignedIn, form: &str, range: &Range) -> Result<Option<Uuid>> {
        if self.one.is_empty() || form == ALL_FORMS {
            return Ok(None);
        }
        let mut search = self.search(person, form, range).await?;
        search.comments_only = self.show != "all";
        let before = Some(parse_id("one", &self.one)?);
        let read = operations::list_feedbacks(&person.caller, search, before, 1);
        let rows = read.await?.found.page.rows;
        Ok(rows.first().map(|row| row.feedback_id))
    }

    /// Whether the form can have answers that are asked for: other forms have other stores and questions.
    async fn fits(&self, person: &SignedIn, form_id: Uuid) -> Result<bool> {
        if self.bus_prop.is_empty() && self.answers.is_empty() {
            return Ok(true);
        }
        let form = person.state.app.form(person.account_id, form_id).await?;
        let form = form.content.for_reports();
        let has_answer = |text: &String| AnswerMatch::read(&form, text).is_some();
        let has_bus_prop =
            self.bus_prop.is_empty() || form.bus_prop_by_text(&self.bus_prop).is_some();
        Ok(has_bus_prop && self.answers.iter().all(has_answer))
    }

    /// A page of the answers to all forms that have any in the range.
    async fn find_all(
        &self,
        person: &SignedIn,
        range: &Range,
        list: &List,
    ) -> Result<ShownFeedbacks> {
        let names = names(person).await;
        let counts = counts(person, range).await?;
        let has_any = |counts: &DayCounts| {
            let listed = if self.comments_only() {
                counts.comments
            } else {
                counts.responses
            };
            listed > 0
        };
        let forms = counts.iter().filter(|(_, counts)| has_any(counts));
        let (mut total, mut has_more, mut rows) = (0, false, Vec::new());
        for (form_id, _) in forms {
            if !self.fits(person, *form_id).await? {
                continue;
            }
            let form = form_id.to_string();
            let (of_form, more, mut found) = self.find(person, &form, range, list).await?;
            for (_, feedback) in &mut found {
                feedback.form = names.get(&form).cloned();
            }
            total += of_form;
            has_more |= more;
            rows.append(&mut found);
            // An id begins with its time.
            rows.sort_by_key(|(id, _)| Reverse(*id));
            has_more |= rows.len() > list.limit;
            rows.truncate(list.limit);
        }
        Ok(shown(list, total, has_more, rows))
    }
}

/// The tracking fields that are known: the docid, those of campaigns, and those that are shown or searched.
async fn columns(
    person: &SignedIn,
    query: &AnswersQuery,
    found: &ShownFeedbacks,
) -> Vec<(String, String)> {
    let mut names = track_fields(person).await;
    let shown = found.list.items.iter();
    names.extend(shown.flat_map(|item| item.track_fields.keys().cloned()));
    names.insert(query.column().0.to_owned());
    // A name with it would not be told from its value.
    names.retain(|name| !name.is_empty() && !name.contains('=') && name != "docid");
    let docid = ("docid".to_owned(), person.t.get("docid"));
    let others = names.into_iter().map(|name| (name.clone(), name));
    [docid].into_iter().chain(others).collect()
}

fn shown(list: &List, total: i64, has_more: bool, rows: Vec<(Uuid, Feedback)>) -> ShownFeedbacks {
    let next = rows.last().map(|(id, _)| *id).filter(|_| has_more);
    let rows = rows.into_iter().map(|(_, feedback)| feedback).collect();
    ShownFeedbacks {
        total,
        list: ShownList::new(list, ListPage { rows, next }),
    }
}

/// `GET /dashboard/answers.csv` and `.xlsx`: all that the page is narrowed to.
pub async fn export(person: SignedIn, uri: Uri) -> Result<Response> {
    let (kind, ending) = if uri.path() == "/dashboard/answers.xlsx" {
        (Kind::Xlsx, "xlsx")
    } else {
        (Kind::Csv, "csv")
    };
    let query = AnswersQuery::read(&uri)?;
    let range = Range::checked(&query.range, person.time_zone)?;
    let search = query.search(&person, &query.form, &range).await?;
    let form = person.state.app.form(person.account_id, search.form_id);
    let form = form.await?;
    let list = operations::export_feedbacks(&person.caller, search, kind, person.t);
    let title = &form.content.title;
    let kind = person.t.get("nav-answers");
    let mut list = named(list.await?, (&kind, ending), title, range.dates);
    let nosniff = HeaderValue::from_static("nosniff");
    list.headers_mut().insert(X_CONTENT_TYPE_OPTIONS, nosniff);
    Ok(list)
}

/// `GET /dashboard/answers`.
pub async fn show(person: SignedIn, uri: Uri) -> Result<Response> {
    let mut query = AnswersQuery::read(&uri)?;
    let f = person.frame("answers");
    let range = Range::read(&query.range, f.zone);
    let forms = published(&person).await?;
    let form = match (query.form.as_str(), forms.as_slice()) {
        ("", []) => String::new(),
        // With one form there is more to choose from.
        ("", [only]) => only.form_id.clone(),
        ("", _) => ALL_FORMS.to_owned(),
        (form, _) => form.to_owned(),
    };
    let chosen = match forms.iter().find(|choice| choice.form_id == form) {
        Some(choice) => {
            let form_id = parse_id("form_id", &choice.form_id)?;
            let form = person.state.app.form(person.account_id, form_id).await?;
            Some(form.content)
        }
        None => None,
    };
    // Somebody comes from another form.
    if chosen
        .as_ref()
        .is_some_and(|form| form.bus_prop_by_text(&query.bus_prop).is_none())
    {
        query.bus_prop.clear();
    }
    let list = query.page.list(&person, "answers", 20);
    let found = if form.is_empty() {
        ShownFeedbacks::default()
    } else if form == ALL_FORMS {
        query.find_all(&person, &range, &list).await?
    } else {
        let (total, has_more, rows) = query.find(&person, &form, &range, &list).await?;
        shown(&list, total, has_more, rows)
    };
    // It is that of a form by now.
    if !form.is_empty() {
        let read = if form == ALL_FORMS { "" } else { &form };
        person.caller.note_list("answers.read", read).await?;
    }
    let older = query.older(&person, &form, &range).await?;
    let columns = columns(&person, &query, &found).await;
    let keep = query.pairs(&form);
    let mut filter = Serializer::new(range.query());
    let bus_props = chosen.iter().flat_map(|form| &form.bus_props);
    let template = AnswersPage {
        f: &f,
        range: &range,
        chosen: chosen.as_ref(),
        bus_props: bus_prop_groups(bus_props),
        columns,
        forms: &forms,
        form: &form,
        query: &query,
        filter: filter.extend_pairs(&keep).finish(),
        keep,
        narrowed: query.narrowed(&f, &range, &form, chosen.as_ref()),
        older,
        found,
    };
    Ok(page_of_days(&f, &range, &template))
}
