//! Links: made, read with what came through them, deleted, and looked up by whoever opens one.

use chrono::{DateTime, SubsecRound, Utc};
use chrono_tz::Tz;
use domain::form::{FormContent, FormStatus};
use domain::link::{BusPropIds, Token, TrackFields};
use sea_orm::QueryResult;
use uuid::Uuid;

use crate::tx::get;
use crate::{Error, Store};

/// A link to be made. Whether its form takes links and has these ids is for the caller to judge.
#[derive(Clone, Debug)]
pub struct NewLink {
    pub account_id: Uuid,
    pub form_id: Uuid,
    pub token: Token,
    pub bus_prop_ids: BusPropIds,
    pub track_fields: TrackFields,
    pub expires_at: Option<DateTime<Utc>>,
    /// At least 1.
    pub max_responses: Option<i64>,
}

/// A link as its account sees it.
#[derive(Clone, Debug)]
pub struct Link {
    pub link_id: Uuid,
    pub token: Token,
    pub form_id: Uuid,
    pub bus_prop_ids: BusPropIds,
    pub track_fields: TrackFields,
    pub expires_at: Option<DateTime<Utc>>,
    pub max_responses: Option<i64>,
    pub created_at: DateTime<Utc>,
    pub deleted_at: Option<DateTime<Utc>>,
    /// Days on which a visit saw or answered it, all visits together.
    pub views: i64,
    /// Stored answers that were not erased.
    pub responses: i64,
}

/// A link as the public meets it, with its form: all that a page and the check of an answer need.
#[derive(Clone, Debug)]
pub struct PublicLink {
    pub account_id: Uuid,
    /// The account's.
    pub time_zone: Tz,
    pub link_id: Uuid,
    pub form_id: Uuid,
    /// The form's.
    pub status: FormStatus,
    pub content: FormContent,
    /// The form's.
    pub revision: i64,
    pub bus_prop_ids: BusPropIds,
    pub track_fields: TrackFields,
    pub expires_at: Option<DateTime<Utc>>,
    pub max_responses: Option<i64>,
    /// Stored answers, erased ones too. Counted only where `max_responses` is set.
    pub used: i64,
    pub deleted_at: Option<DateTime<Utc>>,
}

impl PublicLink {
    /// Whether it was deleted, expired, used up, or its form deleted. (The link of a DRAFT is not gone but unknown.)
    pub fn is_gone(&self, at: DateTime<Utc>) -> bool {
        self.deleted_at.is_some()
            || self.expires_at.is_some_and(|end| end <= at)
            || self.max_responses.is_some_and(|max| self.used >= max)
            || self.status == FormStatus::Deleted
    }
}

fn link_of(row: &QueryResult) -> Result<Link, Error> {
    let token: String = get(row, "token")?;
    Ok(Link {
        link_id: get(row, "link_id")?,
        token: token.parse().map_err(Error::broken)?,
        form_id: get(row, "form_id")?,
        bus_prop_ids: bus_prop_ids(row)?,
        track_fields: track_fields(row)?,
        expires_at: get(row, "expires_at")?,
        max_responses: get(row, "max_responses")?,
        created_at: get(row, "created_at")?,
        deleted_at: get(row, "deleted_at")?,
        views: get(row, "views")?,
        responses: get(row, "responses")?,
    })
}

fn public_link_of(row: &QueryResult) -> Result<PublicLink, Error> {
    let (time_zone, status): (String, String) = (get(row, "time_zone")?, get(row, "status")?);
    let content: String = get(row, "content")?;
    Ok(PublicLink {
        account_id: get(row, "account_id")?,
        time_zone: time_zone.parse().map_err(Error::broken)?,
        link_id: get(row, "link_id")?,
        form_id: get(row, "form_id")?,
        status: status.parse().map_err(Error::broken)?,
        content: serde_json::from_str(&content).map_err(Error::broken)?,
        revision: get(row, "revision")?,
        bus_prop_ids: bus_prop_ids(row)?,
        track_fields: track_fields(row)?,
        expires_at: get(row, "expires_at")?,
        max_responses: get(row, "max_responses")?,
        used: get(row, "used")?,
        deleted_at: get(row, "deleted_at")?,
    })
}

fn bus_prop_ids(row: &QueryResult) -> Result<BusPropIds, Error> {
    let ids: String = get(row, "bus_prop_ids")?;
    ids.parse().map_err(Error::broken)
}

fn track_fields(row: &QueryResult) -> Result<TrackFields, Error> {
    let fields: String = get(row, "track_fields")?;
    serde_json::from_str(&fields).map_err(Error::broken)
}

impl Store {
    /// Makes a link.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn create_link(&self, link: &NewLink) -> Result<Link, Error> {
        let made = Link {
            link_id: Uuid::now_v7(),
            token: link.token,
            form_id: link.form_id,
            bus_prop_ids: link.bus_prop_ids.clone(),
            track_fields: link.track_fields.clone(),
            expires_at: link.expires_at.map(|end| end.trunc_subsecs(6)),
            max_responses: link.max_responses,
            created_at: self.now().await?,
            deleted_at: None,
            views: 0,
            responses: 0,
        };
        let insert = if self.is_sqlite() {
            "INSERT INTO link (account_id, link_id, token, form_id, bus_prop_ids, track_fields, expires_at,
                    max_responses, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)"
        } else {
            "INSERT INTO link (account_id, link_id, token, form_id, bus_prop_ids, track_fields, expires_at,
                    max_responses, created_at)
             VALUES ($1, $2, $3, $4, $5, CAST($6 AS json), $7, $8, $9)"
        };
        let track_fields = serde_json::to_string(&made.track_fields).map_err(Error::broken)?;
        self.execute(
            insert,
            vec![
                link.account_id.into(),
                made.link_id.into(),
                made.token.to_string().into(),
                made.form_id.into(),
                made.bus_prop_ids.to_string().into(),
                track_fields.into(),
                made.expires_at.into(),
                made.max_responses.into(),
                made.created_at.into(),
            ],
        )
        .await?;
        Ok(made)
    }

    /// A link of the account, deleted or not.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn link(&self, account_id: Uuid, token: &Token) -> Result<Option<Link>, Error> {
        self.rows(
            "SELECT l.link_id, l.token, l.form_id, l.bus_prop_ids, CAST(l.track_fields AS text) AS track_fields,
                    l.expires_at, l.max_responses, l.created_at, l.deleted_at,
                    (SELECT count(*) FROM visit_view v
                      WHERE v.account_id = l.account_id AND v.link_id = l.link_id) AS views,
                    (SELECT count(*) FROM visit v
                      WHERE v.account_id = l.account_id AND v.link_id = l.link_id) - l.erased AS responses
               FROM link l WHERE l.token = $2 AND l.account_id = $1",
            vec![account_id.into(), token.to_string().into()],
        )
        .await?
        .first()
        .map(link_of)
        .transpose()
    }

    /// Deletes a link of the account, now or before: it is gone with this commit. Its id; `None`: it is not known in
    /// this account.
    ///
    /// What came through it is not counted: that takes long where a link is popular.
    ///
    /// # Errors
    /// See [`Error`]. Doing it again is safe.
    pub async fn delete_link(
        &self,
        account_id: Uuid,
        token: &Token,
    ) -> Result<Option<Uuid>, Error> {
        let mut tx = self.begin().await?;
        let now = tx.now().await?;
        let deleted = tx
            .row(
                "UPDATE link SET deleted_at = coalesce(deleted_at, $3) WHERE token = $2 AND account_id = $1
                 RETURNING link_id",
                vec![account_id.into(), token.to_string().into(), now.into()],
            )
            .await?;
        let Some(row) = deleted else {
            return Ok(None);
        };
        tx.commit_surely().await?;
        get(&row, "link_id").map(Some)
    }

    /// The link that a token opens, gone or not, of whatever account.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn public_link(&self, token: &Token) -> Result<Option<PublicLink>, Error> {
        self.rows(
            "SELECT l.account_id, a.time_zone, l.link_id, l.form_id, f.status, CAST(f.content AS text) AS content,
                    f.revision, l.bus_prop_ids, CAST(l.track_fields AS text) AS track_fields, l.expires_at,
                    l.max_responses, l.used, l.deleted_at
               FROM link l
               JOIN account a ON a.account_id = l.account_id
               JOIN form f ON f.account_id = l.account_id AND f.form_id = l.form_id
              WHERE l.token = $1",
            vec![token.to_string().into()],
        )
        .await?
        .first()
        .map(public_link_of)
        .transpose()
    }
}
