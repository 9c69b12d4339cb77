//! One account of a campaign: what it was told of its imports, and asking until there is an answer.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use crate::campaign::on_import;
use crate::check;
use crate::client::{Answer, Call, Client};
use crate::form::form;
use crate::import::{Accepted, IMPORT, JSON};
use crate::person::Person;
use crate::wait::{eventually, pause};
use anyhow::{Context, Result, bail, ensure};
use bytes::Bytes;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::lost::When;
use super::slice::{Pool, Slice, Version};
use super::stage::Stage;

/// How long a client waits for one answer before it asks the other api.
const PATIENCE: Duration = Duration::from_secs(6);
/// A cancellation waits for the chunks that workers have in hand.
const CANCELLING: Duration = Duration::from_secs(25);
/// Between two tries of an import that is in flight.
const IN_FLIGHT: Duration = Duration::from_secs(1);
/// Fault upon fault may hit one request; nothing may take longer than this.
const AT_LAST: Duration = Duration::from_mins(4);

/// An import that was answered 202.
#[derive(Clone, Debug)]
pub struct Posted {
    pub key: String,
    pub batch_id: String,
    pub slice: Slice,
    pub version: u64,
    pub broken: u64,
    /// Before its first byte.
    pub sent: Instant,
    pub when: When,
    /// `None`: that was not asked for, or came too late.
    pub cancelled: Option<Cancelled>,
}

impl Posted {
    /// It was lost, and posted again.
    pub fn accepted_anew(&mut self, batch_id: String, when: When) {
        (self.batch_id, self.when) = (batch_id, when);
        self.cancelled = None;
    }
}

/// A cancellation that was answered 200.
#[derive(Clone, Debug)]
pub struct Cancelled {
    /// With these counts.
    pub counts: Value,
    pub when: When,
}

/// A visit's answers that were answered 201.
#[derive(Clone, Debug)]
pub struct Answered {
    pub visit: String,
    pub feedback_id: String,
    pub answers: Value,
    pub when: When,
}

/// What stands at a docid: a version, or nobody.
#[derive(Clone, Copy, Debug)]
pub struct Stand {
    pub version: Option<u64>,
    pub when: When,
}

impl Stand {
    pub fn now(version: Option<u64>) -> Self {
        let when = When::now();
        Self { version, when }
    }
}

/// One account.
pub struct Account<'a> {
    pub id: String,
    /// Its place among all.
    pub number: u64,
    pub clients: Vec<Client>,
    pub stage: &'a Stage,
    pub posted: RefCell<Vec<Posted>>,
    /// Of the erased pool, what was said of each docid, one after the other: the last must stand.
    pub erased: RefCell<Vec<Vec<Stand>>>,
    /// Who carries its messages.
    pub sender: &'static str,
    /// What the imports into the pool of those who get messages are for.
    pub campaign: Value,
    /// Somebody who looks at its pages.
    pub reader: Person,
    /// Where the account's people answer.
    pub form: Value,
    pub link: Value,
    /// Each visit that was answered 201, once.
    pub answered: RefCell<Vec<Answered>>,
    /// The visits that were seen or answered, and when they were first.
    pub seen: RefCell<BTreeMap<String, When>>,
    /// The visits of which answers or a view were sent at all.
    pub tried: RefCell<BTreeSet<String>>,
    /// Erasures that were answered 204.
    pub erasures: Cell<u64>,
    /// How many exports of the audit log were sent.
    pub exporting: Cell<u64>,
    /// Those that were answered.
    pub exported: RefCell<Vec<When>>,
    /// The first number of the pool of those who get messages that has none.
    pub unsent: Cell<u64>,
    /// The last number given to an import.
    pub last: Cell<u64>,
    /// What failovers took, by what it was.
    pub lost: RefCell<BTreeMap<&'static str, u64>>,
    /// Imports given up waiting for, by key, whose connections are kept.
    late: RefCell<Vec<(String, JoinHandle<Result<Answer>>)>>,
    /// How many requests were sent; the next goes to the other api.
    pub asked: Cell<u64>,
}

impl<'a> Account<'a> {
    /// A new one.
    ///
    /// # Errors
    /// When it cannot be made.
    pub async fn new(stage: &'a Stage, number: u64, sender: &'static str) -> Result<Self> {
        let name = format!("account {number}");
        let (id, clients) = stage.account(&name).await?;
        let owner = clients.first().context("no api")?;
        let form = owner.published(&form()).await?;
        let link = owner.link(&form, "1_3", &[]).await?;
        let campaign = owner.started(|form| on_import(form, sender)).await?;
        let reader = stage.person(&name).await?;
        Ok(Self {
            id,
            number,
            sender,
            reader,
            campaign,
            form,
            link,
            answered: RefCell::default(),
            seen: RefCell::default(),
            tried: RefCell::default(),
            erasures: Cell::default(),
            exporting: Cell::default(),
            exported: RefCell::default(),
            unsent: Cell::default(),
            clients,
            stage,
            posted: RefCell::default(),
            erased: RefCell::new(vec![
                vec![Stand::now(None)];
                usize::try_from(Pool::Erased.size())?
            ]),
            last: Cell::new(0),
            lost: RefCell::default(),
            late: RefCell::default(),
            asked: Cell::new(0),
        })
    }

    /// Imports under a new key until that is answered 202.
    ///
    /// # Errors
    /// When it is answered as an import may not be.
    pub async fn import(&self, slice: Slice, version: Version, broken: u64) -> Result<Posted> {
        let number = self.last.get() + 1;
        self.last.set(number);
        let version = match version {
            Version::Own => number,
            Version::Steady => 0,
        };
        let key = format!("key-{number}");
        let body = slice.body(version, broken, self.number);
        let sent = Instant::now();
        let (batch_id, when) = self.import_body(slice.pool, &key, &body).await?;
        Ok(Posted {
            key,
            batch_id,
            slice,
            version,
            broken,
            sent,
            when,
            cancelled: None,
        })
    }

    /// Posts a body for a pool under a key until that is answered 202; again later, the batch must be the same.
    ///
    /// # Errors
    /// When it is answered as an import may not be.
    pub async fn import_body(&self, pool: Pool, key: &str, body: &Bytes) -> Result<(String, When)> {
        let campaign = self.campaign["campaign_id"].as_str().unwrap_or_default();
        let path = match pool {
            Pool::Sent => format!("{IMPORT}?campaign={campaign}"),
            Pool::Shared | Pool::Erased => IMPORT.to_owned(),
        };
        let call = |client: &Client| {
            let call = client.call(Method::POST, &path);
            call.header("idempotency-key", key).body(JSON, body.clone())
        };
        let read = |answer: Answer| {
            if answer.status == 409 {
                // The attempt before is in flight, or died less than 10 s ago.
                answer.problem(409, "idempotency_in_flight")?;
                return Ok(None);
            }
            Ok(Some(Accepted::read(answer)?.batch_id))
        };
        // Every other client closes what it gave up waiting for; the others leave that to the end.
        let late = key.ends_with(['1', '3', '5', '7', '9']).then_some(key);
        self.ask(PATIENCE, call, read, late)
            .await
            .with_context(|| format!("import {key}"))
    }

    /// The batch's status, whose counts add up. `None`: it is gone, and may be lost.
    ///
    /// # Errors
    /// When they do not, or the batch is not there.
    pub async fn batch(&self, posted: &Posted) -> Result<Option<Value>> {
        let Posted { batch_id, when, .. } = posted;
        let path = format!("{IMPORT}/{batch_id}");
        let call = |client: &Client| client.call(Method::GET, &path);
        let read = |answer: Answer| {
            if answer.status == 404 && self.stage.losses.may_have(*when) {
                return Ok(Some(None));
            }
            let batch = answer.expect(200)?.json()?;
            check::counts_add_up(&batch)?;
            Ok(Some(Some(batch)))
        };
        let asked = self.ask(PATIENCE, call, read, None).await;
        Ok(asked.with_context(|| format!("batch {batch_id}"))?.0)
    }

    /// Cancels a batch. `None`: it was completed, or is gone and may be lost.
    ///
    /// # Errors
    /// When it is answered in any other way.
    pub async fn cancel(&self, posted: &Posted) -> Result<Option<Cancelled>> {
        let Posted { batch_id, when, .. } = posted;
        let path = format!("{IMPORT}/{batch_id}/cancel");
        let call = |client: &Client| client.call(Method::POST, &path);
        let read = |answer: Answer| {
            if answer.status == 404 && self.stage.losses.may_have(*when) {
                return Ok(Some(None));
            }
            if answer.status == 409 {
                answer.problem(409, "batch_finished")?;
                return Ok(Some(None));
            }
            let batch = answer.expect(200)?.json()?;
            check::counts_add_up(&batch)?;
            ensure!(batch["status"] == "cancelled", "not cancelled: {batch}");
            Ok(Some(Some(batch)))
        };
        let asked = self.ask(CANCELLING, call, read, None).await;
        let (counts, when) = asked.with_context(|| format!("cancelling {batch_id}"))?;
        Ok(counts.map(|counts| Cancelled { counts, when }))
    }

    /// Erases a person. No attempt is given up while its api is frozen: once thawed it would erase again, at a time
    /// that nobody knows.
    ///
    /// # Errors
    /// When it is answered in any other way.
    pub async fn erase(&self, docid: &str) -> Result<When> {
        let path = format!("/api_v1/sms/recipient/{docid}");
        let call = |client: &Client| client.call(Method::DELETE, &path);
        let read = |answer: Answer| answer.expect(204).map(|_| Some(()));
        let asked = self.ask(AT_LAST, call, read, None).await;
        let ((), when) = asked.with_context(|| format!("erasing {docid}"))?;
        self.erasures.set(self.erasures.get() + 1);
        Ok(when)
    }

    /// The audit log as a file, which is an entry of it.
    ///
    /// # Errors
    /// When it is answered in any other way.
    pub async fn export_audit(&self) -> Result<()> {
        let path = "/api_v1/audit?from=2020-01-01";
        let call = |client: &Client| {
            self.exporting.set(self.exporting.get() + 1);
            let call = client.call(Method::GET, path);
            call.header("accept", "application/x-ndjson")
        };
        let read = |answer: Answer| answer.expect(200).map(|_| Some(()));
        let ((), when) = self.ask(PATIENCE, call, read, None).await.context(path)?;
        self.exported.borrow_mut().push(when);
        Ok(())
    }

    /// The page's beacon.
    ///
    /// # Errors
    /// When it is answered in any other way.
    pub async fn view(&self, visit: &str) -> Result<When> {
        self.tried.borrow_mut().insert(visit.to_owned());
        let path = format!("{}/view", self.page()?);
        let body = json!({"visit": visit}).to_string();
        let call = |client: &Client| client.call(Method::POST, &path).body(JSON, body.clone());
        let read = |answer: Answer| answer.expect(204).map(|_| Some(()));
        let asked = self.ask(PATIENCE, call, read, None).await;
        Ok(asked.with_context(|| format!("view of {visit}"))?.1)
    }

    /// A visit's answers: the feedback they are.
    ///
    /// # Errors
    /// When they are answered in any other way.
    pub async fn answer(&self, visit: &str, answers: &Value) -> Result<(String, When)> {
        self.tried.borrow_mut().insert(visit.to_owned());
        let path = self.page()?;
        let body = json!({"visit": visit, "answers": answers}).to_string();
        let call = |client: &Client| client.call(Method::POST, &path).body(JSON, body.clone());
        let read = |answer: Answer| {
            let body = answer.expect(201)?.json()?;
            let id = body["feedback_id"].as_str().context("no feedback_id")?;
            Ok(Some(id.to_owned()))
        };
        let asked = self.ask(PATIENCE, call, read, None).await;
        asked.with_context(|| format!("answer of {visit}"))
    }

    /// A page of the dashboard, which its reader sees whole.
    ///
    /// # Errors
    /// When it is answered in any other way.
    pub async fn look_at(&self, page: &str) -> Result<()> {
        let cookie = &self.reader.cookie;
        let call = |client: &Client| client.call(Method::GET, page).header("cookie", cookie);
        let read = |answer: Answer| {
            let answer = answer.expect(200)?;
            ensure!(answer.text()?.contains("</html>"), "cut: {answer:?}");
            Ok(Some(()))
        };
        let asked = self.ask(PATIENCE, call, read, None).await;
        asked
            .map(drop)
            .with_context(|| format!("looking at {page}"))
    }

    /// A report, which never counts more than was sent.
    ///
    /// # Errors
    /// When it does, or is answered in any other way.
    pub async fn read_report(&self, path: &str) -> Result<()> {
        let call = |client: &Client| client.call(Method::GET, path);
        let read = |answer: Answer| {
            let report = answer.expect(200)?.json()?;
            let tried = self.tried.borrow().len() as u64;
            for name in ["views", "responses"] {
                let counted = check::count(&report["metrics"], name)?;
                ensure!(
                    counted <= tried,
                    "{counted} {name} of {tried} visits: {report}"
                );
            }
            Ok(Some(()))
        };
        let asked = self.ask(PATIENCE, call, read, None).await;
        asked.map(drop).with_context(|| format!("reading {path}"))
    }

    fn page(&self) -> Result<String> {
        let token = self.link["token"].as_str().context("no token")?;
        Ok(format!("/f/{token}"))
    }

    /// What came at last of the imports that were given up waiting for: no other batch than their key's.
    ///
    /// # Errors
    /// When it is another.
    pub async fn late_answers(&self) -> Result<()> {
        for (key, sent) in self.late.take() {
            // A broken connection, or a process that is gone: no answer, as ever.
            let Ok(Ok(answer)) = sent.await else { continue };
            if answer.status != 202 {
                ensure!([409, 503].contains(&answer.status), "{key}: {answer:?}");
                continue;
            }
            let batch_id = Accepted::read(answer)?.batch_id;
            let posted = self.posted.borrow();
            let first = posted.iter().find(|one| one.key == key);
            let first = first.context("a key without import")?;
            let (tried, acked) = (first.sent, first.when.acked);
            ensure!(
                batch_id == first.batch_id || self.stage.losses.may_have(When { tried, acked }),
                "answered late as {batch_id}: {first:?}"
            );
        }
        Ok(())
    }

    /// Asks one api after the other until `read` has an answer: `None` asks again, an error is a violation. An attempt
    /// without an answer is closed; with a key as `late` it is kept. When it was answered comes along.
    async fn ask<T>(
        &self,
        patience: Duration,
        call: impl Fn(&Client) -> Call,
        read: impl Fn(Answer) -> Result<Option<T>>,
        late: Option<&str>,
    ) -> Result<(T, When)> {
        eventually(AT_LAST, async || {
            let turn = usize::try_from(self.asked.get())?;
            self.asked.set(self.asked.get() + 1);
            let client = self.clients.get(turn % self.clients.len());
            let tried = Instant::now();
            let mut sending = tokio::spawn(call(client.context("no api")?).send());
            let Ok(answer) = timeout(patience, &mut sending).await else {
                match late {
                    Some(key) => self.late.borrow_mut().push((key.to_owned(), sending)),
                    None => sending.abort(),
                }
                bail!("no answer");
            };
            let answer = answer??;
            if answer.status >= 400
                && let Err(wrong) = check::names_nobody(answer.text()?, &[])
            {
                return Ok(Err(wrong));
            }
            if answer.status == 503 {
                let kind = answer.header("content-type").unwrap_or_default();
                if !kind.starts_with("text/html")
                    && let Err(wrong) = answer.problem(503, "unavailable")
                {
                    return Ok(Err(wrong));
                }
                bail!("unavailable");
            }
            match read(answer) {
                Ok(Some(value)) => {
                    let acked = Instant::now();
                    Ok(Ok((value, When { tried, acked })))
                }
                Err(wrong) => Ok(Err(wrong)),
                Ok(None) => {
                    // What is in flight is not over in no time, and each try sends the whole body.
                    pause(IN_FLIGHT).await;
                    bail!("still in flight");
                }
            }
        })
        .await?
    }
}
