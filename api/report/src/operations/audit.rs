//! Reading the audit log, which is noted in it where all of it is taken at once.

use api_http::accept::Kind;
use api_http::{Caller, Problem, Result, lines};
use axum::response::Response;
use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use domain::date_range::{parse_date, start_of};
use domain::docid::DocId;
use domain::scope::Scope;
use store::account::{AuditFilter, AuditRow};
use store::{ListPage, Store};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

/// Which rows of the log, as they are asked for: of these days, in the account's time zone, without one from its beginning, or to its
/// end.
#[derive(Clone, Debug, Default)]
pub struct AuditQuery {
    from: Option<NaiveDate>,
    to: Option<NaiveDate>,
    /// Of a person or a key; empty: of the command line.
    pub name: Option<String>,
    pub kind: Option<AuditKind>,
    /// What it was done to, as the log has it.
    pub subject: Option<String>,
    /// The recipient to whom it was done.
    pub docid: Option<DocId>,
}

/// What actions are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum AuditKind {
    SignIn,
    Person,
    Key,
    Setting,
    Form,
    Campaign,
    Recipient,
    Export,
}

impl AuditKind {
    /// Its name, such as `sign_in`.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Patterns, of which its actions have one.
    fn actions(self) -> [&'static str; 3] {
        match self {
            Self::SignIn => ["sign-in.%", "session.%", "session.%"],
            Self::Person => ["person.%", "password.%", "second-factor.%"],
            Self::Key => ["key.%"; 3],
            Self::Setting => ["account.%", "branding.%", "setting.%"],
            Self::Form => ["form.%", "link.%", "share.%"],
            Self::Campaign => ["campaign.%", "sender.%", "import.%"],
            Self::Recipient => ["recipient.%", "suppression.%", "feedback.%"],
            Self::Export => ["%.export", "%.read", "%.read"],
        }
    }
}

impl AuditQuery {
    /// What `get` gives by the names of the parameters.
    ///
    /// # Errors
    /// 400 `invalid_parameter`: no days, or in the wrong order; an unknown kind; no docid. What `get` refuses.
    pub fn read<'a>(get: impl Fn(&str) -> Result<Option<&'a str>>) -> Result<Self> {
        let day = |name: &str| {
            let wrong = || Problem::invalid_parameter(format!("{name} is not a date (YYYY-MM-DD)"));
            let day = get(name)?.map(|text| parse_date(text).ok_or_else(wrong));
            day.transpose()
        };
        let (from, to) = (day("from")?, day("to")?);
        if from.zip(to).is_some_and(|(from, to)| from > to) {
            return Err(Problem::invalid_parameter("from is after to"));
        }
        // No database takes U+0000.
        let text = |name: &str| match get(name)? {
            Some(text) if text.contains('\0') => {
                Err(Problem::invalid_parameter(format!("{name} holds U+0000")))
            }
            text => Ok(text.map(str::to_owned)),
        };
        let kind = get("kind")?.map(str::parse).transpose();
        let kind = kind.map_err(|_| Problem::invalid_parameter("kind is unknown"))?;
        let docid = get("docid")?.map(|text| DocId::parse(text.to_owned()));
        let docid = docid.transpose();
        Ok(Self {
            from,
            to,
            kind,
            name: text("name")?,
            subject: text("subject")?,
            docid: docid.map_err(|fault| Problem::invalid_parameter(format!("docid {fault}")))?,
        })
    }

    /// The rows that it is about.
    ///
    /// # Errors
    /// 503.
    pub async fn filter(&self, caller: &Caller) -> Result<AuditFilter> {
        let (app, account_id) = (&caller.app, caller.account_id());
        let subjects = match &self.docid {
            Some(docid) => {
                let pepper = app.pepper.as_deref();
                let all = app.store.audit_subjects(account_id, docid.as_str(), pepper);
                all.await?
            }
            None => self.subject.iter().cloned().collect(),
        };
        let erased_with = match &self.docid {
            Some(_) => app.store.erased_with(account_id, &subjects).await?,
            None => Vec::new(),
        };
        let (from, until) = self.moments(caller.time_zone());
        Ok(AuditFilter {
            erased_with,
            from,
            until,
            name: self.name.clone(),
            actions: self.kind.map(AuditKind::actions),
            subjects,
        })
    }

    /// Where its days begin, and where they are over.
    pub(crate) fn moments(&self, zone: Tz) -> (Option<DateTime<Utc>>, Option<DateTime<Utc>>) {
        let end = self.to.and_then(|day| day.succ_opt());
        let start_of = |day| start_of(day, zone);
        (self.from.map(start_of), end.map(start_of))
    }

    /// Its days, as the log has them: it is not to have what else names a recipient.
    fn days(&self) -> String {
        let days = [self.from, self.to].map(|day| day.map(|day| day.to_string()));
        match days {
            [None, None] => String::new(),
            days => days.map(Option::unwrap_or_default).join(" – "),
        }
    }
}

/// A part of these rows, newest first, each with its position.
pub(crate) async fn audit_page(
    store: &Store,
    account_id: Uuid,
    filter: &AuditFilter,
    after: Option<Uuid>,
    limit: usize,
) -> Result<ListPage<(Uuid, AuditRow)>, store::Error> {
    let page = store.audit(account_id, filter, after, limit).await?;
    Ok(page.map(|row| (row.audit_id, row)))
}

/// All of these rows as lines of NDJSON, newest first.
///
/// # Errors
/// 403; 503.
pub async fn export_audit(caller: &Caller, query: &AuditQuery) -> Result<Response> {
    let (store, account_id) = (caller.app.store.clone(), caller.account_id());
    let export = async {
        let filter = query.filter(caller).await?;
        let read = move |after, (limit, _)| {
            let (store, filter) = (store.clone(), filter.clone());
            async move { audit_page(&store, account_id, &filter, after, limit).await }
        };
        lines::whole(&caller.app, account_id, (Kind::Ndjson, ""), read).await
    };
    let of = (Scope::Audit, Kind::Ndjson);
    caller
        .export(of, "audit.export", &query.days(), export)
        .await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(parameters: &[(&str, &'static str)]) -> Result<AuditQuery> {
        AuditQuery::read(|name| {
            let mut found = parameters.iter().filter(|(other, _)| *other == name);
            Ok(found.next().map(|(_, value)| *value))
        })
    }

    #[test]
    fn what_is_no_filter_is_refused() {
        let all = [
            ("from", "2026-01-01"),
            ("to", "2026-01-01"),
            ("kind", "sign_in"),
            ("name", ""),
            ("docid", "order-1"),
        ];
        let query = read(&all).unwrap();
        assert_eq!(query.days(), "2026-01-01 – 2026-01-01");
        assert_eq!(query.kind, Some(AuditKind::SignIn));
        assert_eq!(query.name.as_deref(), Some(""));
        assert_eq!(read(&[]).unwrap().days(), "");
        for wrong in [
            &[("from", "2026")][..],
            &[("from", "2026-01-02"), ("to", "2026-01-01")],
            &[("kind", "Forms")],
            &[("docid", "")],
            &[("subject", "\0")],
        ] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_kind_is_known_by_its_name() {
        for kind in AuditKind::VARIANTS {
            assert_eq!(kind.as_str().parse(), Ok(*kind));
        }
    }
}
