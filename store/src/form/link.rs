//! Links: read with what came through them, deleted, and looked up by whoever opens one. How they are made is in [`made`].

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use domain::form::{FormContent, FormStatus};
use domain::link::{BusPropIds, Token, TrackFields};
use entity::link;
use sea_orm::{ColumnTrait, ConnectionTrait, DbBackend, EntityTrait, FromQueryResult, QueryFilter};
use uuid::Uuid;

pub use self::made::NewLink;
pub(crate) use self::made::{LinkToken, LinkTrackField, NEW_TOKEN, NEW_TRACK_FIELD};
use crate::account::PageBranding;
use crate::form::FormKey;
use crate::tx::{Parsed, Sql, statement, values};
use crate::{Error, ListPage, Result, Store};

mod made;

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
    /// What its owner calls it.
    pub name: Option<String>,
    /// Many people answer from one address.
    pub kiosk: bool,
    /// What comes through it is not stored.
    pub is_test: bool,
    /// The key or the person who made it, as the audit log names them. `None`: a campaign did, or it is not known.
    pub made_by: Option<String>,
    /// From where, as the audit log has it.
    pub made_from: Option<String>,
    pub created_at: DateTime<Utc>,
    pub deleted_at: Option<DateTime<Utc>>,
    /// Days on which a visit saw or answered it, all visits together, as far as they are rolled up.
    pub views: i64,
    /// Stored answers that were not erased, as far as they are rolled up.
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
    /// The form's: a database that lost commits gives the same revision to another content.
    pub updated_at: DateTime<Utc>,
    pub bus_prop_ids: BusPropIds,
    pub track_fields: TrackFields,
    pub expires_at: Option<DateTime<Utc>>,
    pub max_responses: Option<i64>,
    /// Stored answers, erased ones too. Counted only where `max_responses` is set.
    pub used: i64,
    pub deleted_at: Option<DateTime<Utc>>,
    /// Many people answer from one address.
    pub kiosk: bool,
    /// Of a message, whose id is the link's.
    pub is_of_message: bool,
    /// Of a test message, or one that tries its form: what comes through it is not stored.
    pub is_test: bool,
    pub look: PageBranding,
}

/// A link with its form and the account's branding, as they are stored.
#[derive(Debug, FromQueryResult)]
pub struct StoredLink {
    #[sea_orm(nested)]
    link: link::Model,
    time_zone: Parsed<Tz>,
    status: Parsed<FormStatus>,
    content: String,
    updated_at: DateTime<Utc>,
    #[sea_orm(nested(prefix = "look_"))]
    look: PageBranding,
}

impl StoredLink {
    pub fn account_id(&self) -> Uuid {
        self.link.account_id
    }

    /// Bytes of the form's content.
    pub fn size(&self) -> usize {
        self.content.len()
    }

    /// Reads it. A large form takes long.
    ///
    /// # Errors
    /// The link or its form is none.
    pub fn read(self) -> Result<PublicLink> {
        let link = self.link;
        Ok(PublicLink {
            account_id: link.account_id,
            time_zone: self.time_zone.0,
            link_id: link.link_id,
            form_id: link.form_id,
            status: self.status.0,
            content: serde_json::from_str(&self.content).map_err(Error::broken)?,
            updated_at: self.updated_at,
            bus_prop_ids: link.bus_prop_ids.parse().map_err(Error::broken)?,
            track_fields: serde_json::from_str(&link.track_fields).map_err(Error::broken)?,
            expires_at: link.expires_at,
            max_responses: link.max_responses,
            used: link.used,
            deleted_at: link.deleted_at,
            kiosk: link.kiosk,
            is_of_message: link.campaign_id.is_some(),
            is_test: link.is_test,
            look: self.look,
        })
    }
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

/// So many links that have one of several tracking fields are searched for the others at once.
const SEARCHED: usize = 1_000;

/// The columns of a [`link::Model`].
macro_rules! link_columns {
    () => {
        "l.account_id, l.link_id, l.token, l.form_id, l.bus_prop_ids, l.track_fields, l.expires_at, l.max_responses, l.used,
                l.created_at, l.deleted_at, l.campaign_id, l.is_test, l.name, l.kiosk, l.phone_mac,
                l.made_by, l.made_from"
    };
}

/// Links out of some rows of `link`, for [`LinkRow`].
macro_rules! links {
    ($from:literal, $condition:literal) => {
        concat!(
            "SELECT ", link_columns!(), ", coalesce(r.views, 0) AS views, coalesce(r.responses, 0) AS responses
               FROM ", $from, " l
               LEFT JOIN link_rollup r ON r.account_id = l.account_id AND r.form_id = l.form_id AND r.link_id = l.link_id
              WHERE ", $condition
        )
    };
}

use {link_columns, links};

/// Links with what their pages need, for [`StoredLink`].
macro_rules! stored_link {
    ($condition:literal) => {
        concat!(
            "SELECT ", link_columns!(), ", a.time_zone, f.status, f.content, f.updated_at,
                b.name AS look_name, b.color AS look_color, b.language AS look_language, b.logo IS NOT NULL AS look_has_logo
               FROM link l
               JOIN account a ON a.account_id = l.account_id
               LEFT JOIN branding b ON b.account_id = l.account_id
               JOIN form f ON f.account_id = l.account_id AND f.form_id = l.form_id
              WHERE ", $condition
        )
    };
}

/// A link with what came through it.
#[derive(FromQueryResult)]
struct LinkRow {
    #[sea_orm(nested)]
    link: link::Model,
    views: i64,
    responses: i64,
}

impl LinkRow {
    fn read(self) -> Result<Link> {
        let link = self.link;
        Ok(Link {
            link_id: link.link_id,
            token: link.token.parse().map_err(Error::broken)?,
            form_id: link.form_id,
            bus_prop_ids: link.bus_prop_ids.parse().map_err(Error::broken)?,
            track_fields: serde_json::from_str(&link.track_fields).map_err(Error::broken)?,
            expires_at: link.expires_at,
            max_responses: link.max_responses,
            name: link.name,
            kiosk: link.kiosk,
            is_test: link.is_test,
            made_by: link.made_by,
            made_from: link.made_from,
            created_at: link.created_at,
            deleted_at: link.deleted_at,
            views: self.views,
            responses: self.responses,
        })
    }
}

fn read_links(rows: Vec<LinkRow>) -> Result<Vec<Link>> {
    rows.into_iter().map(LinkRow::read).collect()
}

impl Store {
    /// A page of a form's links that no campaign made and that do not try it, newest first, of those older than `before`.
    pub async fn links_by_hand(
        &self,
        form: FormKey,
        before: Option<Uuid>,
        limit: usize,
    ) -> Result<ListPage<Link>> {
        let links = statement!(links!(
            "link",
            "l.account_id = $1 AND l.form_id = $2 AND l.link_id < $3 AND l.campaign_id IS NULL AND NOT l.is_test
              ORDER BY l.link_id DESC LIMIT $4"
        ));
        let most = i64::try_from(limit + 1).unwrap_or(i64::MAX);
        let values = values![form, before.unwrap_or(Uuid::max()), most];
        let links = read_links(self.fetch_all(links, values).await?)?;
        Ok(ListPage::new(links, limit, false, |link| link.link_id))
    }

    /// A link of the account, deleted or not.
    pub async fn link(&self, account_id: Uuid, token: &Token) -> Result<Option<Link>> {
        let link = statement!(links!("link", "l.token = $2 AND l.account_id = $1"));
        let values = values![account_id, token.to_string()];
        let row: Option<LinkRow> = self.fetch_one(link, values).await?;
        row.map(LinkRow::read).transpose()
    }

    /// Those of messages' links that take an answer at this moment, by the ids of the messages.
    pub async fn open_message_links(
        &self,
        account_id: Uuid,
        messages: Vec<Uuid>,
        at: DateTime<Utc>,
    ) -> Result<BTreeMap<Uuid, Token>> {
        use link::Column;
        let among = match self.get_database_backend() {
            DbBackend::Sqlite => Column::LinkId.is_in(messages),
            _ => Column::LinkId.eq_any(messages),
        };
        let links = link::Entity::find()
            .filter(Column::AccountId.eq(account_id))
            .filter(among)
            .filter(Column::CampaignId.is_not_null())
            .filter(Column::DeletedAt.is_null())
            .all(self)
            .await?;
        let is_open = |link: &link::Model| {
            link.expires_at.is_none_or(|end| end > at)
                && link.max_responses.is_none_or(|max| link.used < max)
        };
        let tokens = links.into_iter().filter(is_open).map(|link| {
            let token: Token = link.token.parse().map_err(Error::broken)?;
            Ok((link.link_id, token))
        });
        tokens.collect()
    }

    /// A page of a form's links that have these tracking fields, deleted or not, newest first, of those older than `before`.
    /// With several fields it may have fewer rows than the limit, or none, before the end.
    pub async fn links(
        &self,
        form: FormKey,
        track_fields: &TrackFields,
        before: Option<Uuid>,
        limit: usize,
    ) -> Result<ListPage<Link>> {
        // By one field links are found; if there are more, those that are found are searched.
        let looked_at = match track_fields.len() {
            0 | 1 => limit + 1,
            _ => SEARCHED.max(limit + 1),
        };
        let most = i64::try_from(looked_at).unwrap_or(i64::MAX);
        let mut values = values![form, before.unwrap_or(Uuid::max()), most];
        let rows = match track_fields.iter().next() {
            None => statement!(links!(
                "link",
                "l.account_id = $1 AND l.form_id = $2 AND l.link_id < $3 ORDER BY l.link_id DESC LIMIT $4"
            )),
            Some((name, value)) => {
                values.push(format!("{name}={value}").into());
                // A scan of the index in its order, however many links have the field.
                statement!(links!(
                    "(SELECT link_id FROM link_track_field
                       WHERE account_id = $1 AND form_id = $2 AND track_field = $5 AND link_id < $3
                       ORDER BY link_id DESC LIMIT $4) t CROSS JOIN link",
                    "l.account_id = $1 AND l.link_id = t.link_id ORDER BY l.link_id DESC"
                ))
            }
        };
        let rows: Vec<LinkRow> = self.fetch_all(rows, values).await?;
        let mut links = read_links(rows)?;
        let last = links.last().filter(|_| links.len() == looked_at);
        let last = last.map(|link| link.link_id);
        links.retain(|link| {
            let mut wanted = track_fields.iter();
            wanted.all(|(name, value)| link.track_fields.get(name) == Some(value))
        });
        let mut page = ListPage::new(links, limit, false, |link| link.link_id);
        page.next = page.next.or(last);
        Ok(page)
    }

    /// Deletes a link of the account, now or before: it is gone with this commit. Its id; `None`: it is not known in
    /// this account.
    ///
    /// What came through it is not counted: that takes long where a link is popular.
    ///
    /// # Errors
    /// Doing it again is safe.
    pub async fn delete_link(&self, account_id: Uuid, token: &Token) -> Result<Option<Uuid>> {
        let tx = self.begin().await?;
        let now = tx.now().await?;
        let delete = statement!(
            "UPDATE link SET deleted_at = coalesce(deleted_at, $3) WHERE token = $2 AND account_id = $1 RETURNING link_id"
        );
        let values = values![account_id, token.to_string(), now];
        let deleted = tx.fetch_value(delete, values).await?;
        tx.commit_surely().await?;
        Ok(deleted)
    }

    /// The link that a token opens, gone or not, of whatever account.
    pub async fn stored_link(&self, token: &Token) -> Result<Option<StoredLink>> {
        let row = statement!(
            postgres: stored_link!("l.token = $1");
            citus: stored_link!("l.token = $1 AND l.account_id = $2");
            sqlite: stored_link!("l.token = $1")
        );
        let mut values = values![token.to_string()];
        self.find_dialect().await;
        if self.is_distributed() {
            let account = statement!(citus: "SELECT account_id FROM link_token WHERE token = $1");
            let account: Option<Uuid> = self.fetch_value(account, values.clone()).await?;
            let Some(account_id) = account else {
                return Ok(None);
            };
            values.push(account_id.into());
        }
        self.fetch_one(row, values).await
    }
}
