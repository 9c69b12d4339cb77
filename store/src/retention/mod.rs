//! How long accounts keep what they collected: days are sealed, and what was stored of them goes.
//!
//! - `rows`: what goes, in small transactions.
//!
//! What was counted of a sealed day stays, and is compared with nothing and counted anew by nobody (`report::reconcile`,
//! `send::reconcile`). So a seal is committed before the first row goes: whoever sees that one is gone sees the seal too, if the seal is
//! read last. Seals only rise. Nothing of a day that is sealed is still being stored, as yesterday never is.
//!
//! An account that keeps something for fewer days than before may take that back for a day: nothing goes by them until then.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use chrono_tz::Tz;
use domain::campaign::{Count, Counts};
use domain::date_range::{day_of, start_of};
use domain::retention::{KEPT_DAYS, Retention, last_let_go};
use domain::rollup::{DayCounts, DecodeCounts};
use sea_orm::FromQueryResult;
use serde::Serialize;
use uuid::Uuid;

use crate::send::CampaignKey;
use crate::tx::{Parsed, Sql, Statement, statement, values};
use crate::{Error, Result, Store, Tx};

mod rows;

/// The lowest number of a program that lets go. One before 25 would count anew what is gone, others would not wait, and their erasures leave
/// the phone that a link has of its message.
const LETS_GO: i64 = 27;
/// For so long fewer days can be taken back.
const GRACE: TimeDelta = TimeDelta::hours(24);

macro_rules! retention {
    ($columns:literal) => {
        concat!(
            "SELECT ",
            $columns,
            ", r.answers_sealed AS answers, r.visits_sealed AS visits, r.messages_sealed AS messages, a.time_zone
               FROM retention r JOIN account a ON a.account_id = r.account_id WHERE r.account_id = $1"
        )
    };
}
const SEALED: &Statement = statement!(retention!("1"));
macro_rules! days {
    () => {
        retention!("r.answers_days, r.visits_days, r.messages_days, r.audit_days, r.holds_from")
    };
}
const DAYS: &Statement = statement!(days!());
/// One worker at a time lets go of what an account has.
const LOCK: &Statement = statement!(lock "FOR NO KEY UPDATE OF r SKIP LOCKED": days!());

const SET: &Statement = statement!(
    "INSERT INTO retention (account_id, answers_days, visits_days, messages_days, audit_days, holds_from) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (account_id) DO UPDATE
        SET answers_days = excluded.answers_days, visits_days = excluded.visits_days,
            messages_days = excluded.messages_days, audit_days = excluded.audit_days,
            holds_from = CASE WHEN excluded.answers_days < coalesce(retention.answers_days, excluded.answers_days + 1)
                                OR excluded.visits_days < coalesce(retention.visits_days, excluded.visits_days + 1)
                                OR excluded.messages_days < coalesce(retention.messages_days, excluded.messages_days + 1)
                                OR excluded.audit_days < coalesce(retention.audit_days, excluded.audit_days + 1)
                              THEN excluded.holds_from ELSE retention.holds_from END"
);

const SEAL: &Statement = statement!(
    "UPDATE retention SET answers_sealed = $2, visits_sealed = $3, messages_sealed = $4 WHERE account_id = $1"
);

const ENDED_AT: &Statement = statement!(
    "SELECT finished_at FROM campaign
      WHERE account_id = $1 AND campaign_id = $2 AND status IN ('FINISHED', 'CANCELLED') AND finished_at IS NOT NULL"
);

/// The counters of each form by day.
const COUNTERS: &Statement = statement!(
    "SELECT r.day, substr(r.delta, 1, 150) AS delta
       FROM form f CROSS JOIN rollup r
      WHERE f.account_id = $1 AND r.account_id = f.account_id AND r.form_id = f.form_id AND r.bus_prop_id = 0 AND r.day <= $2"
);

#[derive(FromQueryResult)]
struct CountedDay {
    day: NaiveDate,
    delta: Vec<u8>,
}

/// What the campaigns of an account count that ended between two moments.
const MESSAGES: &Statement = statement!(
    "SELECT t.counts FROM campaign c JOIN campaign_tally t ON t.account_id = c.account_id AND t.campaign_id = c.campaign_id
      WHERE c.account_id = $1 AND c.status IN ('FINISHED', 'CANCELLED') AND c.finished_at >= $2 AND c.finished_at < $3
      UNION ALL
     SELECT d.counts FROM campaign c JOIN campaign_delta d ON d.account_id = c.account_id AND d.campaign_id = c.campaign_id
      WHERE c.account_id = $1 AND c.status IN ('FINISHED', 'CANCELLED') AND c.finished_at >= $2 AND c.finished_at < $3"
);

/// The last days of an account that are sealed; `None`: none is. It keeps the counts of their answers, visits and messages, and
/// their rows go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromQueryResult)]
pub struct Seals {
    pub answers: Option<NaiveDate>,
    pub visits: Option<NaiveDate>,
    pub messages: Option<NaiveDate>,
}

#[derive(FromQueryResult)]
struct SealedRow {
    #[sea_orm(nested)]
    seals: Seals,
    time_zone: Parsed<Tz>,
}

#[derive(FromQueryResult)]
struct RetentionRow {
    answers_days: Option<i32>,
    visits_days: Option<i32>,
    messages_days: Option<i32>,
    audit_days: Option<i32>,
    holds_from: Option<DateTime<Utc>>,
    #[sea_orm(nested)]
    sealed: SealedRow,
}

/// A retention, and what is sealed by it or by one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StoredRetention {
    #[serde(flatten)]
    pub retention: Retention,
    pub sealed: Seals,
    /// Until then nothing more goes, and it can be taken back; `None`: it holds.
    pub holds_from: Option<DateTime<Utc>>,
}

/// What would go by a retention that an account has not yet, once it holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct WouldGo {
    pub answers: i64,
    pub visits: i64,
    pub messages: i64,
    /// Rows of the audit log.
    pub audit: i64,
}

/// Whether a day is sealed.
pub(crate) fn is_sealed(seal: Option<NaiveDate>, day: NaiveDate) -> bool {
    seal.is_some_and(|seal| day <= seal)
}

/// When the first day begins that is not sealed.
fn end_of(seal: NaiveDate, zone: Tz) -> DateTime<Utc> {
    start_of(seal + TimeDelta::days(1), zone)
}

impl Seals {
    /// Those that a retention asks for today, none of them lower than it is.
    fn raised(self, retention: &Retention, today: NaiveDate) -> Self {
        let raised =
            |seal: Option<NaiveDate>, days: Option<u16>| seal.max(last_let_go(days, today));
        Self {
            answers: raised(self.answers, retention.answers_days),
            visits: raised(self.visits, retention.visits_days),
            messages: raised(self.messages, retention.messages_days),
        }
    }

    /// Those up to which rows go today. By a clock that was ahead seals may be of days to come: what is younger than the retention
    /// says, or where it says nothing than the shortest, stays.
    fn due(self, retention: &Retention, today: NaiveDate) -> Self {
        let due = |seal: Option<NaiveDate>, days: Option<u16>| {
            seal.min(last_let_go(days.or(Some(*KEPT_DAYS.start())), today))
        };
        Self {
            answers: due(self.answers, retention.answers_days),
            visits: due(self.visits, retention.visits_days),
            messages: due(self.messages, retention.messages_days),
        }
    }
}

impl RetentionRow {
    fn retention(&self) -> Result<Retention> {
        let days = |days: Option<i32>| days.map(u16::try_from).transpose();
        let read = || {
            Ok::<_, std::num::TryFromIntError>(Retention {
                answers_days: days(self.answers_days)?,
                visits_days: days(self.visits_days)?,
                messages_days: days(self.messages_days)?,
                audit_days: days(self.audit_days)?,
            })
        };
        read().map_err(Error::broken)
    }
}

/// What is sealed.
pub(crate) trait Sealed: Sql {
    /// The seals of an account, and the time zone of its days.
    async fn seals(&self, account_id: Uuid) -> Result<(Seals, Tz)> {
        let row: Option<SealedRow> = self.fetch_one(SEALED, values![account_id]).await?;
        Ok(row.map_or((Seals::default(), Tz::UTC), |row| {
            (row.seals, row.time_zone.0)
        }))
    }

    /// Whether the messages of a campaign are sealed: it ended on such a day. It never sends again.
    async fn is_campaign_sealed(&self, key: CampaignKey) -> Result<bool> {
        let (seals, zone) = self.seals(key.account_id).await?;
        if seals.messages.is_none() {
            return Ok(false);
        }
        let ended: Option<DateTime<Utc>> = self.fetch_value(ENDED_AT, values![key]).await?;
        Ok(ended.is_some_and(|at| is_sealed(seals.messages, day_of(at, zone))))
    }
}

impl<C: Sql> Sealed for C {}

impl Store {
    /// How long an account keeps what, and what is sealed.
    pub async fn retention(&self, account_id: Uuid) -> Result<StoredRetention> {
        let row: Option<RetentionRow> = self.fetch_one(DAYS, values![account_id]).await?;
        let Some(row) = row else {
            return Ok(StoredRetention::default());
        };
        let retention = row.retention()?;
        let is_ahead = |at: &DateTime<Utc>| *at > Utc::now() && retention != Retention::default();
        Ok(StoredRetention {
            retention,
            sealed: row.sealed.seals,
            holds_from: row.holds_from.filter(is_ahead),
        })
    }

    /// Sets how long an account keeps what. What is sealed stays so. With fewer days than before nothing goes for a day.
    ///
    /// # Errors
    /// [`Error::UpgradeUnfinished`]. Doing it again is safe.
    pub async fn set_retention(&self, account_id: Uuid, retention: &Retention) -> Result<()> {
        let tx = self.begin().await?;
        if !tx.admits_only_from(LETS_GO).await? {
            return Err(Error::UpgradeUnfinished);
        }
        let Retention {
            answers_days,
            visits_days,
            messages_days,
            audit_days,
        } = *retention;
        let [answers, visits, messages, audit] =
            [answers_days, visits_days, messages_days, audit_days].map(|days| days.map(i32::from));
        let holds_from = tx.now().await? + GRACE;
        let values = values![account_id, answers, visits, messages, audit, holds_from];
        tx.execute(SET, values).await?;
        tx.commit_surely().await
    }

    /// What would go by a retention, if it held now, of what is not sealed yet: by what was counted, without what is pending.
    pub async fn would_go(
        &self,
        account_id: Uuid,
        zone: Tz,
        retention: &Retention,
    ) -> Result<WouldGo> {
        let tx = self.snapshot().await?;
        let now = tx.now().await?;
        let (sealed, _) = tx.seals(account_id).await?;
        let seals = sealed.raised(retention, day_of(now, zone));
        let mut would_go = WouldGo::default();
        if let Some(last) = seals.answers.max(seals.visits) {
            let days: Vec<CountedDay> = tx.fetch_all(COUNTERS, values![account_id, last]).await?;
            for row in days {
                let counts = DayCounts::decode(&row.delta)?;
                let goes = |before, after| !is_sealed(before, row.day) && is_sealed(after, row.day);
                if goes(sealed.answers, seals.answers) {
                    would_go.answers += counts.responses;
                }
                if goes(sealed.visits, seals.visits) {
                    would_go.visits += counts.views;
                }
            }
        }
        if let Some(last) = seals.messages {
            let from = sealed.messages.map(|seal| end_of(seal, zone));
            let from = from.unwrap_or(DateTime::UNIX_EPOCH);
            let values = values![account_id, from, end_of(last, zone)];
            let counts: Vec<Parsed<Counts>> = tx.fetch_values(MESSAGES, values).await?;
            let messages = counts.iter().map(|counts| counts.0.get(Count::Recipients));
            would_go.messages = messages.sum();
        }
        if let Some(days) = retention.audit_days {
            let before = now - TimeDelta::days(days.into());
            would_go.audit = tx.audit_rows_before(account_id, before).await?;
        }
        Ok(would_go)
    }

    /// Seals what accounts keep no longer, and lets some of its rows go, of each account that has any. Safe to run anywhere, any
    /// number of times at once. Whether there may be more.
    ///
    /// # Errors
    /// The first of an account, once there is nothing more of the others. Doing it again is safe.
    pub async fn let_go(&self) -> Result<bool> {
        let accounts = statement!("SELECT account_id FROM retention ORDER BY account_id");
        let accounts: Vec<Uuid> = self.fetch_values(accounts, vec![]).await?;
        if accounts.is_empty() || !self.snapshot().await?.admits_only_from(LETS_GO).await? {
            return Ok(false);
        }
        let (mut done, mut are_more) = (Ok(()), false);
        for account_id in accounts {
            let gone = self.retry(|| self.let_go_of(account_id)).await;
            let gone = gone.map(|has_worked| are_more |= has_worked);
            done = done.and(self.unless_away(account_id, gone));
        }
        if are_more {
            Ok(true)
        } else {
            done.map(|()| false)
        }
    }

    /// A small transaction of an account. `false`: there is nothing to do, or another worker is at it.
    async fn let_go_of(&self, account_id: Uuid) -> Result<bool> {
        let mut tx = self.begin_by_keys().await?;
        let row: Option<RetentionRow> = tx.fetch_one(LOCK, values![account_id]).await?;
        let Some(row) = row else {
            return Ok(false);
        };
        // Where they are two clocks, the one that is ahead deletes nothing.
        let now = tx.now().await?.min(Utc::now());
        let retention = match row.holds_from {
            Some(from) if now < from => Retention::default(),
            _ => row.retention()?,
        };
        let (seals, zone) = (row.sealed.seals, row.sealed.time_zone.0);
        let today = day_of(now, zone);
        let raised = seals.raised(&retention, today);
        let has_worked = if raised == seals {
            let before = retention.audit_days;
            let before = before.map(|days| now - TimeDelta::days(days.into()));
            let due = seals.due(&retention, today);
            Box::pin(tx.drop_some(account_id, (due, zone), before)).await?
        } else {
            let Seals {
                answers,
                visits,
                messages,
            } = raised;
            tx.execute(SEAL, values![account_id, answers, visits, messages])
                .await?;
            true
        };
        if !has_worked {
            tx.rollback().await?;
            return Ok(false);
        }
        tx.commit_surely().await?;
        Ok(true)
    }
}

impl Tx {
    /// Drops some rows of one kind. Whether there were any.
    async fn drop_some(
        &mut self,
        account_id: Uuid,
        (seals, zone): (Seals, Tz),
        audit_before: Option<DateTime<Utc>>,
    ) -> Result<bool> {
        if let Some(seal) = seals.answers
            && self
                .drop_answers(account_id, seal, end_of(seal, zone))
                .await?
        {
            return Ok(true);
        }
        if let Some(seal) = seals.visits
            && self.drop_views(account_id, seal).await?
        {
            return Ok(true);
        }
        if let Some(seal) = seals.messages
            && self
                .drop_messages(account_id, seal, end_of(seal, zone))
                .await?
        {
            return Ok(true);
        }
        match audit_before {
            Some(before) => Ok(self.drop_erased(account_id, before).await?
                || self.drop_audit(account_id, before).await?),
            None => Ok(false),
        }
    }
}
