//! Who had access on a day: people, keys and pages that are shared, by what is stored of them and by the audit log.
//!
//! The log begins with the account or, where its rows are kept no longer, later. Who was there before is known from its first row about
//! them, or from what is stored; who was gone by then is not. A change whose outcome is not known counts where it lets somebody in, and
//! does not count where it ends that.

use std::collections::{BTreeMap, HashMap, VecDeque};

use api_http::deadline::patiently;
use api_http::lines::page_permit;
use api_http::memory::MemoryPermit;
use api_http::{Caller, Code, Problem, QUICK, Result, within};
use chrono::{DateTime, NaiveDate, Utc};
use domain::date_range::{day_of, start_of};
use domain::person::Role;
use domain::scope::Scope;
use serde::Serialize;
use store::account::{Grant, KeySummary, PersonSummary, Share};
use uuid::Uuid;

use super::share::{LIFE, words};

/// Shares that are read at once.
const SHARES: usize = 1_000;
/// People and keys, at most, and pages that are shared, of which more are left out: they have room in the memory that is held.
const MOST: usize = 10_000;

/// Who had access on a day of the account, at any moment of it.
#[derive(Debug, Serialize)]
pub struct AccessOnDay {
    pub day: NaiveDate,
    /// In which the day is one.
    pub time_zone: String,
    /// Of the first row of the audit log.
    pub log_from: Option<DateTime<Utc>>,
    /// Whether the log goes back to the beginning of the day.
    pub is_complete: bool,
    pub people: Vec<PersonAccess>,
    pub keys: Vec<KeyAccess>,
    pub shares: Vec<ShareAccess>,
    /// False: of very many pages that are shared these are the first ones.
    pub shares_are_all: bool,
}

/// From when till when, and by whose hand.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Span {
    /// `None`: before the log begins.
    pub since: Option<DateTime<Utc>>,
    /// As the log names people and keys, empty for the command line; `None`: not known.
    pub given_by: Option<String>,
    /// `None`: it goes on.
    pub until: Option<DateTime<Utc>>,
    /// `None`: not known, or it ended by itself.
    pub ended_by: Option<String>,
}

/// A person with one role. Who was given another has one each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PersonAccess {
    pub name: String,
    /// `None`: not known.
    pub role: Option<String>,
    #[serde(flatten)]
    pub span: Span,
}

#[derive(Clone, Debug, Serialize)]
pub struct KeyAccess {
    pub api_key: String,
    pub name: Option<String>,
    /// With commas between.
    pub scopes: String,
    /// From where it could be used, with commas between; `None`: from anywhere.
    pub networks: Option<String>,
    #[serde(flatten)]
    pub span: Span,
}

/// A page of a report that whoever had its link could read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShareAccess {
    pub path: String,
    #[serde(flatten)]
    pub span: Span,
}

impl Span {
    fn is_within(&self, (from, end): (DateTime<Utc>, DateTime<Utc>)) -> bool {
        self.since.is_none_or(|since| since < end) && self.until.is_none_or(|until| until > from)
    }

    fn begun(grant: &Grant) -> Self {
        Self {
            since: Some(grant.at),
            given_by: Some(grant.name.clone()),
            ..Self::default()
        }
    }

    fn ended(self, grant: &Grant) -> Self {
        Self {
            until: Some(grant.at),
            ended_by: Some(grant.name.clone()),
            ..self
        }
    }
}

impl PersonAccess {
    fn ended(self, grant: &Grant) -> Self {
        Self {
            span: self.span.ended(grant),
            ..self
        }
    }
}

/// Who had access on a day, today if none is given, and on one to come who will have it as things are; and the memory that it holds.
///
/// # Errors
/// 403; 413 `too_many_records`; 503.
pub async fn read_access(
    caller: &Caller,
    day: Option<NaiveDate>,
) -> Result<(AccessOnDay, MemoryPermit)> {
    let read = patiently(async {
        let (zone, now) = (caller.time_zone(), Utc::now());
        let day = day.unwrap_or_else(|| day_of(now, zone));
        let (store, account_id) = (&caller.app.store, caller.account_id());
        let permit = page_permit(&caller.app, account_id).await?;
        let from = start_of(day, zone);
        let end = day.succ_opt().map_or(now, |next| start_of(next, zone));
        let within_day = (from, end.min(now));
        let log_from = within(QUICK, store.audit_began(account_id)).await?;
        let is_complete = log_from.is_some_and(|began| began <= from);
        let mut log = AccessLog::of(within_day, is_complete);
        let mut after = Uuid::nil();
        loop {
            let grants = within(QUICK, store.grants(account_id, after)).await?;
            let Some(last) = grants.last() else {
                break;
            };
            after = last.audit_id;
            for grant in &grants {
                log.add(grant);
            }
            log.is_bounded()?;
        }
        let mut shares = Vec::new();
        let mut position = None;
        loop {
            let page = within(QUICK, store.shares(account_id, position, SHARES)).await?;
            let of_day = page
                .rows
                .into_iter()
                .filter(|share| share.created_at < end && share.expires_at > from);
            shares.extend(of_day);
            log.are_cut |= shares.len() > MOST;
            shares.truncate(MOST);
            position = page.next;
            if position.is_none() {
                break;
            }
        }
        let people = within(QUICK, store.people(Some(account_id))).await?;
        let keys = within(QUICK, store.list_keys(Some(account_id))).await?;
        let mut access = AccessOnDay {
            day,
            time_zone: zone.name().to_owned(),
            log_from,
            is_complete,
            keys: log.keys(keys),
            shares: log.shares(shares),
            shares_are_all: !log.are_cut,
            people: log.people(&people),
        };
        let is_within = |span: &Span| span.is_within(within_day);
        access.people.retain(|one| is_within(&one.span));
        access.keys.retain(|one| is_within(&one.span));
        access.shares.retain(|one| is_within(&one.span));
        Ok((access, permit))
    });
    caller.read(Scope::Audit, read).await
}

fn too_many() -> Problem {
    let detail = "more people and keys than this tells of at once; the audit log has them";
    Problem::new(Code::TooManyRecords, detail)
}

/// What the log says of access, row by row.
#[derive(Default)]
struct AccessLog {
    /// From when till when it is asked for. What ended before, or began later, is let go of.
    day: (DateTime<Utc>, DateTime<Utc>),
    /// Whether it goes back to the beginning of the day.
    is_complete: bool,
    /// Who was let in and is not gone, by name.
    here: BTreeMap<String, PersonAccess>,
    /// Who has a row, by name.
    gone: Vec<PersonAccess>,
    /// By key who made it, and who ended it.
    made: HashMap<String, String>,
    revoked: HashMap<String, String>,
    /// What is shared, by its end and path.
    shared: HashMap<String, VecDeque<Span>>,
    withdrawn: Vec<ShareAccess>,
    /// Shares that are kept.
    kept: usize,
    /// Whether there are more, …
    are_many: bool,
    /// … of which some may be of the day.
    are_cut: bool,
}

impl AccessLog {
    fn of(day: (DateTime<Utc>, DateTime<Utc>), is_complete: bool) -> Self {
        Self {
            day,
            is_complete,
            ..Self::default()
        }
    }

    /// # Errors
    /// 413: it is more than can be held.
    fn is_bounded(&self) -> Result<()> {
        let all = self.here.len() + self.gone.len() + self.made.len();
        if all > MOST { Err(too_many()) } else { Ok(()) }
    }

    fn add_gone(&mut self, person: PersonAccess) {
        if person.span.is_within(self.day) {
            self.gone.push(person);
        }
    }

    fn add(&mut self, grant: &Grant) {
        let is_done = grant.status.is_some_and(|status| status < 400);
        let may_be_done = is_done || grant.status.is_none();
        let subject = match &*grant.action {
            "share.create" | "share.withdraw" => without_id(&grant.subject),
            _ => grant.subject.as_str(),
        };
        match &*grant.action {
            "person.add" if may_be_done => {
                let (name, role) = split_role(subject);
                self.end(name, grant, None);
                self.begin(name, role, grant);
            }
            "person.role" if may_be_done => {
                let (rest, role) = split_role(subject);
                let (name, former) = split_role(rest);
                self.end(name, grant, former);
                self.begin(name, role, grant);
            }
            "person.remove" if is_done => {
                let span = Span::default().ended(grant);
                let before = PersonAccess {
                    name: subject.to_owned(),
                    role: None,
                    span,
                };
                let here = self.here.remove(subject);
                self.add_gone(here.map_or(before, |here| here.ended(grant)));
            }
            "key.create" if may_be_done => {
                self.made.insert(grant.key().to_owned(), grant.name.clone());
            }
            "key.revoke" if may_be_done => {
                let by = self.revoked.entry(subject.to_owned());
                by.or_insert_with(|| grant.name.clone());
            }
            // One that was over before is not looked for again.
            "share.create" | "share.withdraw"
                if end_of(subject).is_some_and(|end| end <= self.day.0) => {}
            "share.create" if may_be_done && self.kept >= MOST => {
                self.are_many = true;
                self.are_cut |= grant.at < self.day.1;
            }
            "share.create" if may_be_done => {
                self.kept += 1;
                let shared = self.shared.entry(subject.to_owned()).or_default();
                shared.push_back(Span::begun(grant));
            }
            "share.withdraw" if is_done => {
                let shared = self.shared.get_mut(subject);
                let span = shared.and_then(VecDeque::pop_front);
                self.kept -= usize::from(span.is_some());
                if span.is_none() && (self.are_many || self.kept >= MOST) {
                    // Of one that is not kept or, where the log begins later, of one of before.
                    self.are_cut |= !self.is_complete;
                    return;
                }
                let span = span.unwrap_or_default().ended(grant);
                if span.is_within(self.day) {
                    self.kept += 1;
                    let path = path_of(subject).to_owned();
                    self.withdrawn.push(ShareAccess { path, span });
                }
                if self.shared.get(subject).is_some_and(VecDeque::is_empty) {
                    self.shared.remove(subject);
                }
            }
            _ => {}
        }
    }

    fn begin(&mut self, name: &str, role: Option<&str>, grant: &Grant) {
        let person = PersonAccess {
            name: name.to_owned(),
            role: role.map(str::to_owned),
            span: Span::begun(grant),
        };
        self.here.insert(name.to_owned(), person);
    }

    /// Ends what somebody had; `former`: the role that they had, of whom the log did not know before.
    fn end(&mut self, name: &str, grant: &Grant, former: Option<&str>) {
        let here = self.here.remove(name);
        let before = former.map(|role| PersonAccess {
            name: name.to_owned(),
            role: Some(role.to_owned()),
            span: Span::default(),
        });
        if let Some(person) = here.or(before) {
            self.add_gone(person.ended(grant));
        }
    }

    /// Those of the log, and of those who are stored now who it does not know.
    fn people(self, stored: &[PersonSummary]) -> Vec<PersonAccess> {
        let mut all = self.gone;
        let mut here = self.here;
        for person in stored {
            here.entry(person.name.clone())
                .or_insert_with(|| PersonAccess {
                    name: person.name.clone(),
                    role: Some(person.role.clone()),
                    span: Span {
                        since: Some(person.created_at),
                        ..Span::default()
                    },
                });
        }
        all.extend(here.into_values());
        all.sort_by_cached_key(|person| (person.name.clone(), person.span.since));
        all
    }

    fn keys(&self, stored: Vec<KeySummary>) -> Vec<KeyAccess> {
        let keys = stored.into_iter().map(|key| {
            let until = [key.revoked_at, key.expires_at];
            let until = until.into_iter().flatten().min();
            let is_revoked = until.is_some() && until == key.revoked_at;
            let revoked_by = self.revoked.get(&key.api_key).filter(|_| is_revoked);
            KeyAccess {
                span: Span {
                    since: Some(key.created_at),
                    given_by: self.made.get(&key.api_key).cloned(),
                    until,
                    ended_by: revoked_by.cloned(),
                },
                api_key: key.api_key,
                name: key.name,
                scopes: key.scopes,
                networks: key.networks,
            }
        });
        keys.collect()
    }

    /// Those of the log, and of those that are stored which it does not know.
    fn shares(&mut self, stored: Vec<Share>) -> Vec<ShareAccess> {
        let mut all = std::mem::take(&mut self.withdrawn);
        for (subject, spans) in &self.shared {
            // Rows of before have no end: that of the share, or the latest that it may have had.
            let is_it = |share: &&Share| share.path == *subject;
            let stored = stored.iter().find(is_it).map(|share| share.expires_at);
            all.extend(spans.iter().map(|span| {
                ShareAccess {
                    path: path_of(subject).to_owned(),
                    span: Span {
                        until: end_of(subject)
                            .or(stored)
                            .or_else(|| span.since.map(|since| since + LIFE)),
                        ..span.clone()
                    },
                }
            }));
        }
        for share in stored {
            // Programs of before left out its end.
            let logged = words(&share.path, share.expires_at);
            let is_logged = [&logged, &share.path].into_iter().any(|logged| {
                let spans = self.shared.get(logged);
                spans.is_some_and(|spans| !spans.is_empty())
            });
            if !is_logged {
                all.push(ShareAccess {
                    path: share.path,
                    span: Span {
                        since: Some(share.created_at),
                        until: Some(share.expires_at),
                        ..Span::default()
                    },
                });
            }
        }
        all.sort_by_key(|share| share.span.since);
        all
    }
}

/// What stands before a role, and the role.
fn split_role(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once(' ') {
        Some((rest, role)) if role.parse::<Role>().is_ok() => (rest, Some(role)),
        _ => (text, None),
    }
}

/// What stands behind the id of what was shared, which rows of before do not have.
fn without_id(subject: &str) -> &str {
    let (id, words) = subject.split_once(' ').unwrap_or((subject, ""));
    if id.parse::<Uuid>().is_ok() {
        words
    } else {
        subject
    }
}

/// The end of what was shared, which rows of before do not have.
fn end_of(subject: &str) -> Option<DateTime<Utc>> {
    subject.split_once(' ')?.0.parse().ok()
}

/// Its path.
fn path_of(subject: &str) -> &str {
    match (end_of(subject), subject.split_once(' ')) {
        (Some(_), Some((_, path))) => path,
        _ => subject,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(day: u32) -> DateTime<Utc> {
        format!("2026-03-{day:02}T12:00:00Z").parse().unwrap()
    }

    fn log(rows: &[(u32, &str, &str, Option<i16>)]) -> AccessLog {
        let mut log = AccessLog::of((at(1), at(31)), true);
        for &(day, action, subject, status) in rows {
            log.add(&Grant {
                audit_id: Uuid::nil(),
                at: at(day),
                name: "ada".to_owned(),
                action: action.to_owned(),
                subject: subject.to_owned(),
                status,
            });
        }
        log
    }

    /// People as `name role since until`, by days.
    fn told(people: &[PersonAccess]) -> Vec<String> {
        let day =
            |at: Option<DateTime<Utc>>| at.map_or("?".to_owned(), |at| at.format("%d").to_string());
        let people = people.iter();
        people
            .map(|one| {
                let role = one.role.as_deref().unwrap_or("?");
                let span = &one.span;
                format!(
                    "{} {role} {} {}",
                    one.name,
                    day(span.since),
                    day(span.until)
                )
            })
            .collect()
    }

    #[test]
    fn roles_begin_and_end_as_the_log_says() {
        let stored = |name: &str, role: &str| PersonSummary {
            account: "shop".to_owned(),
            name: name.to_owned(),
            role: role.to_owned(),
            created_at: at(1),
            has_second_factor: false,
            has_provider: false,
        };
        let log = log(&[
            (3, "person.add", "eve m editor", Some(200)),
            (4, "person.role", "eve m editor admin", Some(200)),
            (5, "person.remove", "eve m", Some(409)),
            (6, "person.remove", "eve m", None),
            (7, "person.role", "old viewer editor", Some(200)),
            (8, "person.remove", "old", Some(200)),
            (9, "person.remove", "gone", Some(200)),
            (9, "person.add", "refused viewer", Some(409)),
        ]);
        let people = log.people(&[stored("eve m", "admin"), stored("vic", "viewer")]);
        assert_eq!(
            told(&people),
            [
                "eve m editor 03 04",
                "eve m admin 04 ?",
                "gone ? ? 09",
                "old viewer ? 07",
                "old editor 07 08",
                "vic viewer 01 ?",
            ]
        );
        assert_eq!(people[1].span.given_by.as_deref(), Some("ada"));
        assert_eq!(people[5].span.given_by, None);
    }

    #[test]
    fn what_was_shared_ends_when_it_is_withdrawn_or_over() {
        let end = "2026-03-20T12:00:00Z";
        let subject = format!("{end} /dashboard?days=30");
        // Rows of before have no id.
        let with_id = format!("{} {subject}", Uuid::max());
        let mut log = log(&[
            (1, "share.create", &subject, Some(201)),
            (2, "share.create", &with_id, Some(201)),
            (3, "share.withdraw", &with_id, Some(204)),
            (4, "share.withdraw", &with_id, Some(404)),
        ]);
        let stored = |path: &str| Share {
            share_id: Uuid::nil(),
            path: path.to_owned(),
            created_at: at(2),
            expires_at: end.parse().unwrap(),
        };
        let shares = log.shares(vec![stored("/dashboard?days=30"), stored("/dashboard")]);
        let spans: Vec<_> = shares
            .iter()
            .map(|share| (&*share.path, share.span.since, share.span.until))
            .collect();
        assert_eq!(
            spans,
            [
                ("/dashboard?days=30", Some(at(1)), Some(at(3))),
                ("/dashboard?days=30", Some(at(2)), Some(at(20))),
                ("/dashboard", Some(at(2)), Some(at(20))),
            ]
        );
    }
    #[test]
    fn a_flood_of_shares_hides_nothing_of_the_days_before_it() {
        let mut log = AccessLog::of((at(1), at(2)), true);
        let mut share = |action: &str, day, number: usize, status| {
            log.add(&Grant {
                audit_id: Uuid::nil(),
                at: at(day),
                name: "ada".to_owned(),
                action: action.to_owned(),
                subject: format!("2026-03-30T12:00:00Z /dashboard?days={number}"),
                status: Some(status),
            });
        };
        share("share.create", 1, 0, 201);
        for number in 1..=MOST {
            share("share.create", 3, number, 201);
        }
        for number in 0..=MOST {
            share("share.withdraw", 4, number, 204);
        }
        assert!(!log.are_cut);
        let shares = log.shares(Vec::new());
        let shares = shares.iter().filter(|share| share.span.is_within(log.day));
        let paths: Vec<&str> = shares.map(|share| &*share.path).collect();
        assert_eq!(paths, ["/dashboard?days=0"]);
    }
}
