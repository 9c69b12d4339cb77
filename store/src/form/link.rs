//! Links: made, read with what came through them, deleted, and looked up by whoever opens one.

use chrono::{DateTime, SubsecRound, Utc};
use chrono_tz::Tz;
use domain::form::{FormContent, FormStatus};
use domain::link::{BusPropIds, Token, TrackFields};
use sea_orm::QueryResult;
use uuid::Uuid;

use crate::account::PageBranding;
use crate::form::FormKey;
use crate::tx::{BatchStatement, Sql, batch_row, get, json, parsed, statement, values};
use crate::{Error, ListPage, Result, Store};

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
    /// What its owner calls it.
    pub name: Option<String>,
    /// Many people answer from one address.
    pub kiosk: bool,
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
    /// What its owner calls it.
    pub name: Option<String>,
    /// Many people answer from one address.
    pub kiosk: bool,
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
    /// The form's.
    pub revision: i64,
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
    /// Of a test message: what comes through it is not stored.
    pub is_test: bool,
    pub look: PageBranding,
}

/// A link with its form as they are stored.
#[derive(Debug)]
pub struct StoredLink {
    row: QueryResult,
    pub account_id: Uuid,
    /// Bytes of the form's content.
    pub size: usize,
}

impl StoredLink {
    /// Reads it. A large form takes long.
    ///
    /// # Errors
    /// The link or its form is none.
    pub fn read(&self) -> Result<PublicLink> {
        public_link_of(&self.row)
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

const NEW_LINK: &str = "INSERT INTO link (account_id, link_id, form_id, token, bus_prop_ids, track_fields, expires_at, created_at,
        max_responses, name, kiosk) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";

batch_row! {
    /// A tracking field of a link.
    pub(crate) struct LinkTrackField {
        account_id: Uuid,
        form_id: Uuid,
        /// As `<name>=<value>`.
        track_field: String,
        link_id: Uuid,
    }
}

impl LinkTrackField {
    /// Those of a link of a form.
    pub(crate) fn of(
        form: FormKey,
        link_id: Uuid,
        fields: &TrackFields,
    ) -> impl Iterator<Item = Self> {
        fields.iter().map(move |(name, value)| Self {
            account_id: form.account_id,
            form_id: form.form_id,
            track_field: format!("{name}={value}"),
            link_id,
        })
    }
}

pub(crate) const NEW_TRACK_FIELD: &BatchStatement<LinkTrackField> = statement!(LinkTrackField:
    "INSERT INTO link_track_field (account_id, form_id, track_field, link_id)
     SELECT account_id, form_id, track_field, link_id FROM batch WHERE true ON CONFLICT DO NOTHING"
);

/// So many links that have one of several tracking fields are searched for the others at once.
const SEARCHED: usize = 1_000;

/// Links out of these rows of `link`.
fn select(from: &str, condition: &str) -> String {
    format!(
        "SELECT l.link_id, l.token, l.form_id, l.bus_prop_ids, l.track_fields, l.expires_at, l.max_responses,
                l.name, l.kiosk, l.created_at, l.deleted_at, coalesce(r.views, 0) AS views, coalesce(r.responses, 0) AS responses
           FROM {from} l
           LEFT JOIN link_rollup r ON r.account_id = l.account_id AND r.form_id = l.form_id AND r.link_id = l.link_id
          WHERE {condition}"
    )
}

/// A scan of the index in its order, however many links have the field.
const WITH_TRACK_FIELD: &str = "(SELECT link_id FROM link_track_field
       WHERE account_id = $1 AND form_id = $2 AND track_field = $5 AND link_id < $3
       ORDER BY link_id DESC LIMIT $4) t CROSS JOIN link";

fn link_of(row: &QueryResult) -> Result<Link> {
    Ok(Link {
        link_id: get(row, "link_id")?,
        token: parsed(row, "token")?,
        form_id: get(row, "form_id")?,
        bus_prop_ids: parsed(row, "bus_prop_ids")?,
        track_fields: json(row, "track_fields")?,
        expires_at: get(row, "expires_at")?,
        max_responses: get(row, "max_responses")?,
        name: get(row, "name")?,
        kiosk: get(row, "kiosk")?,
        created_at: get(row, "created_at")?,
        deleted_at: get(row, "deleted_at")?,
        views: get(row, "views")?,
        responses: get(row, "responses")?,
    })
}

fn public_link_of(row: &QueryResult) -> Result<PublicLink> {
    Ok(PublicLink {
        account_id: get(row, "account_id")?,
        time_zone: parsed(row, "time_zone")?,
        link_id: get(row, "link_id")?,
        form_id: get(row, "form_id")?,
        status: parsed(row, "status")?,
        content: json(row, "content")?,
        revision: get(row, "revision")?,
        bus_prop_ids: parsed(row, "bus_prop_ids")?,
        track_fields: json(row, "track_fields")?,
        expires_at: get(row, "expires_at")?,
        max_responses: get(row, "max_responses")?,
        used: get(row, "used")?,
        deleted_at: get(row, "deleted_at")?,
        kiosk: get(row, "kiosk")?,
        is_of_message: get(row, "is_of_message")?,
        is_test: get(row, "is_test")?,
        look: PageBranding::of(row)?,
    })
}

impl Store {
    /// Makes a link.
    pub async fn create_link(&self, link: &NewLink) -> Result<Link> {
        let tx = self.begin().await?;
        let made = Link {
            link_id: Uuid::now_v7(),
            token: link.token,
            form_id: link.form_id,
            bus_prop_ids: link.bus_prop_ids.clone(),
            track_fields: link.track_fields.clone(),
            expires_at: link.expires_at.map(|end| end.trunc_subsecs(6)),
            max_responses: link.max_responses,
            name: link.name.clone(),
            kiosk: link.kiosk,
            created_at: tx.now().await?,
            deleted_at: None,
            views: 0,
            responses: 0,
        };
        let track_fields = serde_json::to_string(&made.track_fields).map_err(Error::broken)?;
        let row = values![
            link.account_id,
            made.link_id,
            made.form_id,
            made.token.to_string(),
            made.bus_prop_ids.to_string(),
            track_fields,
            made.expires_at,
            made.created_at,
            made.max_responses,
            made.name.clone(),
            made.kiosk,
        ];
        tx.execute(NEW_LINK, row).await?;
        let form = FormKey::new(link.account_id, link.form_id);
        let fields = LinkTrackField::of(form, made.link_id, &made.track_fields);
        tx.execute_batch(NEW_TRACK_FIELD, fields.collect()).await?;
        tx.commit_surely().await?;
        Ok(made)
    }

    /// A link of the account, deleted or not.
    pub async fn link(&self, account_id: Uuid, token: &Token) -> Result<Option<Link>> {
        let link = select("link", "l.token = $2 AND l.account_id = $1");
        let row = self.row(link, values![account_id, token.to_string()]);
        row.await?.as_ref().map(link_of).transpose()
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
        let sql = match track_fields.iter().next() {
            None => select(
                "link",
                "l.account_id = $1 AND l.form_id = $2 AND l.link_id < $3 ORDER BY l.link_id DESC LIMIT $4",
            ),
            Some((name, value)) => {
                values.push(format!("{name}={value}").into());
                let condition =
                    "l.account_id = $1 AND l.link_id = t.link_id ORDER BY l.link_id DESC";
                select(WITH_TRACK_FIELD, condition)
            }
        };
        let rows = self.rows(sql, values).await?;
        let mut links: Vec<Link> = rows.iter().map(link_of).collect::<Result<_, _>>()?;
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
        let deleted = "UPDATE link SET deleted_at = coalesce(deleted_at, $3) WHERE token = $2 AND account_id = $1
         RETURNING link_id";
        let deleted = tx
            .one(deleted, values![account_id, token.to_string(), now])
            .await?;
        tx.commit_surely().await?;
        Ok(deleted)
    }

    /// The link that a token opens, gone or not, of whatever account.
    pub async fn stored_link(&self, token: &Token) -> Result<Option<StoredLink>> {
        let row = "SELECT l.account_id, a.time_zone, l.link_id, l.form_id, f.status, f.content, octet_length(f.content) AS size,
                f.revision, l.bus_prop_ids, l.track_fields, l.expires_at,
                l.max_responses, l.used, l.deleted_at, l.kiosk,
                l.campaign_id IS NOT NULL AS is_of_message, l.is_test,
                b.name, b.color, b.language, b.logo IS NOT NULL AS has_logo
           FROM link l
           JOIN account a ON a.account_id = l.account_id
           LEFT JOIN branding b ON b.account_id = l.account_id
           JOIN form f ON f.account_id = l.account_id AND f.form_id = l.form_id
          WHERE l.token = $1";
        let row = self.row(row, values![token.to_string()]).await?;
        let stored = row.map(|row| {
            let size: i32 = get(&row, "size")?;
            Ok(StoredLink {
                account_id: get(&row, "account_id")?,
                size: usize::try_from(size).unwrap_or(usize::MAX),
                row,
            })
        });
        stored.transpose()
    }
}
