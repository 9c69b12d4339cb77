//! What goes on meanwhile, and how long the slowest of it took in each stage.

use std::cell::Cell;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use bytes::Bytes;
use futures::future::try_join_all;
use serde_json::{Value, json};
use store::migration::Watch;
use tests::app::App;
use tests::bench::million;
use tests::bench::report::{Row, Target, Unit};
use tests::bench::timed;
use tests::bench::year::Account;
use tests::client::{Answer, Client};
use tests::report::{Of, overview};
use tests::visitor::Visitor;
use tests::wait::{LATER, eventually};
use tokio::time::sleep;

/// Who answers at once, and who asks for reports.
const VISITORS: usize = 4;
const READERS: usize = 2;
/// Each of them rests between two requests.
const PAUSE: Duration = Duration::from_millis(20);

/// What somebody waits for.
#[derive(Clone, Copy)]
enum Waiting {
    Answer,
    Report,
}

/// A stage of the run: each step of a migration is one, and all that is let go.
struct Stage {
    name: String,
    began: Instant,
    slowest: [Duration; 2],
    /// How often the step was tried again.
    tries: u32,
}

/// The stages of a run so far, the last of which goes on.
#[derive(Default)]
pub(super) struct Stages(Mutex<Vec<Stage>>);

impl Stages {
    pub(super) fn begin(&self, name: &str) {
        self.all().push(Stage {
            name: name.to_owned(),
            began: Instant::now(),
            slowest: [Duration::ZERO; 2],
            tries: 0,
        });
    }

    fn all(&self) -> MutexGuard<'_, Vec<Stage>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Before the first stage nothing is noted.
    fn note(&self, waiting: Waiting, took: Duration) {
        if let Some(stage) = self.all().last_mut() {
            let slowest = &mut stage.slowest[waiting as usize];
            *slowest = took.max(*slowest);
        }
    }

    /// The slowest answer and report after the first stage, against those of it, and how long each step took.
    pub(super) fn rows(&self, part: &str) -> Result<Vec<Row>> {
        let stages = self.all();
        let (alone, changed) = stages.split_first().context("nothing was measured")?;
        let milliseconds = |took: Duration| took.as_secs_f64() * 1_000.0;
        let slowest = |measure: &str, waiting: Waiting| {
            let target = Target::AtMost(1_000.0);
            let measure = format!("{measure}, {part}");
            let mut row = Row::new(measure, Unit::Milliseconds, "alone", target);
            let of = |stage: &Stage| milliseconds(stage.slowest[waiting as usize]);
            row.round(changed.iter().map(of).fold(0.0, f64::max), of(alone));
            row
        };
        let mut rows = vec![
            slowest("slowest answer", Waiting::Answer),
            slowest("slowest report", Waiting::Report),
        ];
        for [stage, next] in stages.array_windows() {
            let took = next.began - stage.began;
            let [answer, report] = stage.slowest.map(milliseconds);
            eprintln!(
                "{}: {took:.1?}, tried again {} times; slowest answer {answer:.0} ms, report {report:.0} ms",
                stage.name, stage.tries
            );
        }
        for [step, next] in changed.array_windows() {
            let measure = format!("step {}", step.name);
            let mut row = Row::new(measure, Unit::Seconds, "", Target::None);
            row.lone_round((next.began - step.began).as_secs_f64());
            rows.push(row);
        }
        Ok(rows)
    }
}

impl Watch for Stages {
    fn step(&self, _: &str, step: &str) {
        self.begin(step);
    }

    fn rows(&self, _: u64, _: u64) {}

    fn waiting(&self, _: &str) {
        if let Some(stage) = self.all().last_mut() {
            stage.tries += 1;
        }
    }
}

/// Answers of one form, reports of its account, and imports into it.
pub(super) struct Load<'a> {
    account: &'a Account,
    public: Client,
    form: &'a Value,
    link: Value,
    records: u32,
    /// The same docids with other values.
    bodies: [Bytes; 2],
    stages: &'a Stages,
    is_over: Cell<bool>,
    stored: Cell<u32>,
    refused: Cell<u32>,
}

impl<'a> Load<'a> {
    pub(super) async fn new(
        app: &App,
        account: &'a Account,
        records: u32,
        stages: &'a Stages,
    ) -> Result<Self> {
        let form = account.forms.last().context("no form")?;
        let body = million::body(&million::at_random(records));
        let other = str::from_utf8(&body)?.replace("spr-", "sum-");
        Ok(Self {
            account,
            public: app.anonymous()?,
            form,
            link: account.client.link(form, "1", &[]).await?,
            records,
            bodies: [body, other.into()],
            stages,
            is_over: Cell::new(false),
            stored: Cell::new(0),
            refused: Cell::new(0),
        })
    }

    /// Goes on until the work is done, then ends what is under way.
    pub(super) async fn beside(&self, work: impl Future<Output = Result<()>>) -> Result<()> {
        let work = async {
            work.await?;
            self.is_over.set(true);
            Ok(())
        };
        let answers = try_join_all((0..VISITORS).map(|_| self.answers()));
        let reports = try_join_all((0..READERS).map(|reader| self.reports(reader)));
        let (imports, ..) = tokio::try_join!(self.imports(), work, answers, reports)?;
        let stored = self.stored.get();
        eprintln!(
            "{stored} answers and {imports} imports of {} records",
            self.records
        );
        Ok(())
    }

    /// How many answers and reports were 5xx.
    pub(super) fn refused(&self) -> u32 {
        self.refused.get()
    }

    /// How many answers were stored and are not counted in the end.
    pub(super) async fn lost(&self) -> Result<u32> {
        let stored = self.stored.get();
        let all = eventually(LATER, async || {
            ensure!(self.counted().await? >= stored, "not all are counted");
            Ok(())
        });
        match all.await {
            Ok(()) => Ok(0),
            Err(_) => Ok(stored.saturating_sub(self.counted().await?)),
        }
    }

    async fn counted(&self) -> Result<u32> {
        let report = self.account.client.get(&self.answered()).await?;
        let report = report.expect(200)?.json()?;
        let responses = report["metrics"]["responses"].as_u64();
        Ok(responses.context("no responses")?.try_into()?)
    }

    /// The report that has the answers, and no others.
    fn answered(&self) -> String {
        let days = (self.account.day(365), self.account.day(366));
        Of::Form.path(self.form, (&days.0, &days.1), "")
    }

    async fn answers(&self) -> Result<()> {
        let answers = json!({"recommend": 9, "mood": 5, "more": "It was a pleasure, thank you."});
        while !self.is_over.get() {
            let visitor = Visitor::new(&self.public, &self.link)?;
            let answer = self.ask(Waiting::Answer, visitor.answer(&answers)).await?;
            if let Some(answer) = answer {
                answer.expect(201)?;
                self.stored.update(|stored| stored + 1);
            }
            sleep(PAUSE).await;
        }
        Ok(())
    }

    async fn reports(&self, reader: usize) -> Result<()> {
        for number in (reader..).step_by(READERS) {
            if self.is_over.get() {
                break;
            }
            let path = self.report(number)?;
            let report = self.account.client.get(&path);
            if let Some(report) = self.ask(Waiting::Report, report).await? {
                report.expect(200)?;
            }
            sleep(PAUSE).await;
        }
        Ok(())
    }

    /// One of five, in turn: of a form that nobody answers, of the form that is answered, of all forms, of another form and range
    /// each time, and a list of feedbacks.
    fn report(&self, number: usize) -> Result<String> {
        let Account { forms, .. } = self.account;
        let month = |first: i64| (self.account.day(first), self.account.day(first + 30));
        let of_form = |of: Of, form: usize, (from, to): (String, String)| {
            of.path(&forms[form], (&from, &to), "")
        };
        let turn = number / 5;
        Ok(match number % 5 {
            0 => of_form(Of::Form, 0, month(334)),
            1 => self.answered(),
            2 => {
                let (from, to) = month(336);
                overview((&from, &to))
            }
            3 => {
                let first = i64::try_from(turn / forms.len() % 334)?;
                of_form(Of::Summary, turn % forms.len(), month(first))
            }
            _ => of_form(Of::Feedbacks, 0, month(334)),
        })
    }

    /// Notes how long an answer took. `None` where it is 5xx, which is counted.
    async fn ask(
        &self,
        waiting: Waiting,
        answer: impl Future<Output = Result<Answer>>,
    ) -> Result<Option<Answer>> {
        let began = Instant::now();
        let answer = answer.await?;
        self.stages.note(waiting, began.elapsed());
        if answer.status >= 500 {
            self.refused.update(|refused| refused + 1);
            return Ok(None);
        }
        Ok(Some(answer))
    }

    /// How many there were.
    async fn imports(&self) -> Result<u32> {
        let mut imports = 0;
        for body in self.bodies.iter().cycle() {
            if self.is_over.get() {
                break;
            }
            timed::import(&self.account.client, body, self.records, "updated").await?;
            imports += 1;
        }
        Ok(imports)
    }
}
