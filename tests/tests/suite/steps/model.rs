//! A model of the whole way from an answer to a report: whatever is seen, answered, edited, erased, rolled up or left
//! behind by a worker that dies, every report is what counting anew what is stored gives, after each step.
//!
//! `FEEDBACK_SEED` says which story is told, `FEEDBACK_STEPS` how long it is (150 if it does not).

use std::collections::hash_map::RandomState;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::BuildHasher;

use anyhow::{Context, Result, ensure};
use chrono::NaiveDate;
use domain::month::Month;
use serde_json::{Value, json};
use store::collect::Recorded;
use store::form::{FormEdit, FormKey};
use store::report::ScanScope;
use tests::oracle::{Feedback, FormHistory, ReportScope};
use uuid::Uuid;
use worker::roll_up;

use super::readers::{Readers, Snapshot};
use super::survey::{Limits, Sent, Survey};

const LINKS: [&str; 4] = ["", "1", "1_2", "3"];
const VISITS: usize = 10;
/// Days around today on which something happens: other months, another year, neighbours.
const DAYS: [i64; 6] = [-400, -61, -31, -1, 0, 1];

/// A small generator, so that a failing run can be repeated by its seed.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    pub fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.roll(of.len())]
    }
}

/// A form, its links, and all that was committed of it.
pub struct Subject {
    pub key: FormKey,
    links: Vec<Sent>,
    /// All that was committed.
    pub history: FormHistory,
    /// What of it was rolled up: reports are made of this.
    pub rolled_up: FormHistory,
    /// The feedback of each visit, by link and visit; also of erased ones.
    feedback_ids: BTreeMap<(usize, Uuid), Uuid>,
    deleted: bool,
    edits: usize,
}

struct Story {
    survey: Survey,
    subjects: Vec<Subject>,
    visits: Vec<Uuid>,
    readers: Readers,
    dice: Dice,
}

fn number(variable: &str) -> Result<Option<u64>> {
    match std::env::var(variable) {
        Ok(text) if !text.is_empty() => {
            Ok(Some(text.parse().with_context(|| variable.to_owned())?))
        }
        _ => Ok(None),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_each_step_of_any_story_every_report_is_a_recount() -> Result<()> {
    let seed = number("FEEDBACK_SEED")?.unwrap_or_else(|| RandomState::new().hash_one(0) >> 32);
    let steps = number("FEEDBACK_STEPS")?.unwrap_or(150);
    let replay = format!("FEEDBACK_SEED={seed} FEEDBACK_STEPS={steps}");
    println!("a story of {replay}");
    let mut story = Story::begin(seed).await?;
    for step in 0..steps {
        let done = story.step().await;
        let context = || format!("{replay}, step {step}");
        let done = done.with_context(context)?;
        let judged = story.judge(step % 25 == 24).await;
        judged.with_context(|| format!("{}: {done}", context()))?;
    }
    for at in 0..story.subjects.len() {
        story.roll_up(at).await?;
    }
    story.judge(true).await.context(replay)
}

/// The form's body; what each edit changes is retired or comes back.
fn body(edits: usize) -> Value {
    let mut body = json!({
        "title": format!("Title {edits}"),
        "bus_props": [
            {"bus_prop_id": "1", "bus_prop": "store:S1"},
            {"bus_prop_id": "2", "bus_prop": "store:S2"},
            {"bus_prop_id": "3", "bus_prop": "brand:B"},
        ],
        "fields": [
            {"key": "score", "type": "nps", "label": "Score?", "required": false},
            {"key": "mood", "type": "happiness", "label": "Happy?", "required": false},
            {"key": "clean", "type": "rating", "scale": 3, "label": "Clean?", "required": false},
            {"key": "reason", "type": "choice", "label": "Why?", "required": false,
             "options": [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]},
            {"key": "things", "type": "choices", "label": "What?", "required": false,
             "options": [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}, {"value": "c", "label": "C"}]},
            {"key": "name", "type": "text", "label": "Who?", "required": false},
            {"key": "words", "type": "comment", "label": "Else?", "required": false},
        ],
    });
    if edits % 2 == 1 {
        for list in ["fields", "bus_props"] {
            if let Some(list) = body[list].as_array_mut() {
                list.remove(1);
            }
        }
    }
    if edits % 3 == 2
        && let Some(options) = body["fields"]
            .as_array_mut()
            .and_then(|fields| fields.iter_mut().find(|field| field["key"] == "things"))
            .and_then(|field| field["options"].as_array_mut())
    {
        options.remove(0);
    }
    body
}

impl Story {
    async fn begin(seed: u64) -> Result<Self> {
        let survey = Survey::open().await?;
        let readers = Readers::open(&survey)?;
        let mut subjects = Vec::new();
        for _ in 0..2 {
            let mut first = body(0);
            for entry in first["bus_props"].as_array_mut().into_iter().flatten() {
                *entry = entry["bus_prop"].take();
            }
            let key = survey.publish(&first).await?;
            let mut links = Vec::new();
            for ids in LINKS {
                links.push(survey.send_limited(key, ids, Limits::default()).await?);
            }
            let names = LINKS.iter().map(|ids| {
                let names = [("1", "store:S1"), ("2", "store:S2"), ("3", "brand:B")];
                let of_link = names
                    .iter()
                    .filter(|(id, _)| ids.split('_').any(|of| of == *id));
                of_link
                    .map(|(_, name)| (*name).to_owned())
                    .collect::<BTreeSet<_>>()
            });
            let history = FormHistory {
                form: survey.shown(key).await?,
                links: names.collect(),
                ..FormHistory::default()
            };
            subjects.push(Subject {
                key,
                links,
                rolled_up: history.clone(),
                history,
                feedback_ids: BTreeMap::new(),
                deleted: false,
                edits: 0,
            });
        }
        Ok(Self {
            survey,
            subjects,
            visits: (0..VISITS).map(|_| Uuid::new_v4()).collect(),
            readers,
            dice: Dice(seed),
        })
    }

    /// One step: what it was.
    async fn step(&mut self) -> Result<String> {
        let at = self.dice.roll(self.subjects.len());
        let step = self.dice.roll(40);
        match step {
            0..15 => self.answer(at).await,
            15..20 => self.view(at).await,
            20..23 => self.edit(at).await,
            23..26 => self.erase(at).await,
            26..29 => self.dying_roll_up(at).await,
            29..32 => self.two_roll_ups(at).await,
            32..37 => {
                let touched = self.roll_up(at).await?;
                let key = self.subjects[at].key;
                self.readers.refresh(&self.survey, key, touched).await?;
                Ok(format!("form {at} rolled up and refreshed"))
            }
            37 => self.readers.restart(&self.survey),
            38 => self.rebuild().await,
            _ if self.dice.roll(12) == 0 => self.delete(at).await,
            _ => {
                self.roll_up(at).await?;
                Ok(format!("form {at} rolled up by a worker that died then"))
            }
        }
    }

    fn answers(&mut self) -> Value {
        let dice = &mut self.dice;
        let mut given = json!({"score": dice.roll(11)});
        for (key, value) in [
            ("mood", json!(1 + dice.roll(5))),
            ("clean", json!(1 + dice.roll(3))),
            ("reason", json!(dice.one(&["a", "b"]))),
            ("name", json!("Anna")),
            ("words", json!(format!("words {}", dice.roll(1_000)))),
            (
                "things",
                dice.one(&["a", "b", "c", "b c", "a b c"])
                    .split(' ')
                    .collect(),
            ),
        ] {
            if dice.roll(2) == 0 {
                given[key] = value;
            }
        }
        given
    }

    /// Several at once, as they share a commit; some of them of the same visit, some given again as by somebody who
    /// never heard that they were stored.
    async fn answer(&mut self, at: usize) -> Result<String> {
        let mut new = Vec::new();
        for _ in 0..=self.dice.roll(3) {
            let link = self.dice.roll(LINKS.len());
            let visit = self.visits[self.dice.roll(VISITS)];
            let (day, hour) = (self.dice.one(&DAYS), self.dice.roll(20));
            let mut given = self.answers();
            // What the form does not ask now is no answer to it.
            let asked = self.subjects[at].history.form.clone();
            let open = |key: &str| asked_now(&asked, key);
            if let Some(given) = given.as_object_mut() {
                given.retain(|key, _| open(key).is_some());
                if let (Some(Value::Array(things)), Some(offered)) =
                    (given.get_mut("things"), open("things"))
                {
                    things.retain(|thing| offered.contains(thing));
                    if things.is_empty() {
                        given.remove("things");
                    }
                }
            }
            new.push((link, visit, day, hour, given));
        }
        let subject = &mut self.subjects[at];
        let mut rows = Vec::new();
        for (link, visit, day, hour, given) in &new {
            let sent = &mut subject.links[*link];
            sent.link = self.survey.open_link(sent.token).await?;
            rows.push(self.survey.answer_at(sent, *visit, *day, *hour, given));
        }
        let mut recorded = self.survey.record(&rows).await?;
        if self.dice.roll(4) == 0 {
            // Delivered again.
            let again = self.survey.record(&rows).await?;
            for (first, again) in recorded.iter_mut().zip(again) {
                let same = match (*first, again) {
                    (
                        Recorded::Stored(one) | Recorded::Repeated(one),
                        Recorded::Stored(other) | Recorded::Repeated(other),
                    ) => one == other,
                    (Recorded::Gone, Recorded::Gone) => true,
                    _ => false,
                };
                ensure!(same, "{first:?}, then {again:?}");
            }
        }
        for ((link, visit, day, hour, given), recorded) in new.iter().zip(recorded) {
            let known = subject.feedback_ids.get(&(*link, *visit)).copied();
            match (recorded, known) {
                (Recorded::Stored(id), None) => {
                    ensure!(!subject.deleted, "stored by a deleted form");
                    let day = self.survey.day_at(*day, *hour);
                    subject.feedback_ids.insert((*link, *visit), id);
                    subject.history.views.insert((*link, visit.as_u128(), day));
                    subject.history.feedbacks.push(Feedback {
                        id: id.to_string(),
                        link: *link,
                        day,
                        answers: given.clone(),
                    });
                }
                (Recorded::Stored(one) | Recorded::Repeated(one), Some(other)) if one == other => {}
                (Recorded::Gone, None) if subject.deleted => {}
                other => anyhow::bail!("the answer was recorded as {other:?}"),
            }
        }
        Ok(format!("form {at}: {} answers", new.len()))
    }

    async fn view(&mut self, at: usize) -> Result<String> {
        let (link, visit) = (self.dice.roll(LINKS.len()), self.dice.roll(VISITS));
        let (day, hour) = (self.dice.one(&DAYS), self.dice.roll(20));
        let subject = &mut self.subjects[at];
        let visit = self.visits[visit];
        let view = self.survey.view_at(&subject.links[link], visit, day, hour);
        let store = &self.survey.ledger.store;
        let new = store.record_views(&[view.clone(), view.clone()]).await?;
        let day = self.survey.day_at(day, hour);
        let seen = subject.history.views.insert((link, visit.as_u128(), day));
        ensure!(new == u64::from(seen), "{new} views of one");
        ensure!(store.record_views(&[view]).await? == 0, "a view came twice");
        Ok(format!("form {at}: a view on {day}"))
    }

    async fn edit(&mut self, at: usize) -> Result<String> {
        let subject = &mut self.subjects[at];
        if subject.deleted {
            return Ok("nothing".to_owned());
        }
        subject.edits += 1;
        self.survey.edit(subject.key, &body(subject.edits)).await?;
        let shown = self.survey.shown(subject.key).await?;
        subject.history.form = shown.clone();
        subject.rolled_up.form = shown;
        Ok(format!("form {at}: edit {}", subject.edits))
    }

    async fn delete(&mut self, at: usize) -> Result<String> {
        let subject = &mut self.subjects[at];
        let key = subject.key;
        let store = &self.survey.ledger.store;
        store
            .edit_form(key.account_id, key.form_id, None, FormEdit::Delete)
            .await?;
        subject.deleted = true;
        Ok(format!("form {at} deleted"))
    }

    async fn erase(&mut self, at: usize) -> Result<String> {
        let subject = &mut self.subjects[at];
        if subject.history.feedbacks.is_empty() {
            return Ok("nothing".to_owned());
        }
        let chosen = self.dice.roll(subject.history.feedbacks.len());
        let erased = subject.history.feedbacks.remove(chosen);
        let id: Uuid = erased.id.parse()?;
        let store = &self.survey.ledger.store;
        let of = store.erase_feedback(subject.key.account_id, id).await?;
        ensure!(of == Some(subject.key.form_id), "erased of {of:?}");
        let again = store.erase_feedback(subject.key.account_id, id).await?;
        ensure!(again.is_none(), "erased twice");
        Ok(format!("form {at}: {id} erased"))
    }

    async fn roll_up(&mut self, at: usize) -> Result<BTreeSet<(i64, Month)>> {
        let subject = &mut self.subjects[at];
        let store = &self.survey.ledger.store;
        let scope = self.dice.one(&[ScanScope::Recent, ScanScope::All]);
        let mut touched = BTreeSet::new();
        loop {
            let rolled_up = roll_up::run(store, subject.key, scope).await?;
            if rolled_up.rows == 0 {
                break;
            }
            touched.extend(rolled_up.touched);
        }
        subject.rolled_up = subject.history.clone();
        Ok(touched)
    }

    /// A worker that dies before its commit.
    async fn dying_roll_up(&mut self, at: usize) -> Result<String> {
        let store = &self.survey.ledger.store;
        let mut tx = store.begin().await?;
        let rolled_up = tx.roll_up(self.subjects[at].key, ScanScope::Recent).await?;
        drop(tx);
        Ok(format!("form {at}: a roll-up of {} died", rolled_up.rows))
    }

    /// The same deltas for two workers.
    async fn two_roll_ups(&mut self, at: usize) -> Result<String> {
        let store = &self.survey.ledger.store;
        let key = self.subjects[at].key;
        let (one, two) = tokio::join!(
            roll_up::run(store, key, ScanScope::Recent),
            roll_up::run(store, key, ScanScope::All)
        );
        let rows = one?.rows + two?.rows;
        let subject = &mut self.subjects[at];
        subject.rolled_up = subject.history.clone();
        Ok(format!("form {at}: two roll-ups of {rows}"))
    }

    async fn rebuild(&mut self) -> Result<String> {
        self.readers.rebuild(&self.survey, &self.forms()).await?;
        Ok("rebuilt".to_owned())
    }

    fn forms(&self) -> Vec<FormKey> {
        self.subjects.iter().map(|subject| subject.key).collect()
    }

    /// Everything that anybody can read, on every reader.
    async fn judge(&mut self, thoroughly: bool) -> Result<()> {
        let today = self.survey.day(0);
        let day = |offset: i64| today + chrono::TimeDelta::days(offset);
        let ranges: [(NaiveDate, NaiveDate); 4] = [
            (day(-500), day(2)),
            (day(-33), day(0)),
            (day(0), day(0)),
            (day(-62), day(-30)),
        ];
        let chosen = self.dice.roll(ranges.len());
        for (number, (start, end)) in ranges.into_iter().enumerate() {
            if !thoroughly && number != chosen {
                continue;
            }
            for subject in &self.subjects {
                for bus_prop in ["", "store:S1", "store:S2", "brand:B"] {
                    let part = ReportScope {
                        start,
                        end,
                        bus_prop,
                    };
                    let seen = Snapshot { subject, part };
                    self.readers.form(&self.survey, seen).await?;
                }
            }
            let subjects = &self.subjects;
            self.readers
                .account(&self.survey, subjects, (start, end))
                .await?;
        }
        if thoroughly {
            self.readers.verify(&self.survey, &self.forms()).await?;
        }
        Ok(())
    }
}

/// The options of a field that the form asks now, none for one without options; `None` where it is not asked.
fn asked_now(form: &Value, key: &str) -> Option<Vec<Value>> {
    let fields = form["fields"].as_array()?;
    let field = fields.iter().find(|field| field["key"] == key)?;
    if field["retired"] == true {
        return None;
    }
    let options = field["options"].as_array().into_iter().flatten();
    let offered = options.filter(|option| option["retired"] != true);
    Some(offered.map(|option| option["value"].clone()).collect())
}
