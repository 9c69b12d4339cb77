//! How links are made, and those that are made once: of a sheet of QR codes, and the one that tries a form.

use std::collections::HashMap;

use chrono::{DateTime, SubsecRound, Utc};
use domain::link::{BusPropIds, Token, TrackFields};
use entity::form;
use sea_orm::sea_query::LockType;
use sea_orm::{EntityTrait, QuerySelect};
use uuid::Uuid;

use super::{Link, link_columns, links, read_links};
use crate::form::FormKey;
use crate::tx::{BatchStatement, Sql, batch_row, statement};
use crate::{Error, Result, Store, Tx};

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
    /// It tries the form: what comes through it is not stored.
    pub is_test: bool,
    /// The key or the person who makes it, as the audit log names them.
    pub made_by: Option<String>,
    /// From where, as the audit log has it.
    pub made_from: Option<String>,
}

batch_row! {
    /// A tracking field of a link.
    pub(crate) struct LinkTrackField {
        form: FormKey,
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
            form,
            track_field: format!("{name}={value}"),
            link_id,
        })
    }
}

batch_row! {
    /// Whose link a token opens.
    pub(crate) struct LinkToken {
        token: String,
        account_id: Uuid,
    }
}

/// Where links lie on several nodes, their tokens lead to the account.
pub(crate) const NEW_TOKEN: &BatchStatement<LinkToken> = statement!(LinkToken: postgres: ""; citus:
    "INSERT INTO link_token ({columns}) SELECT {columns} FROM batch ON CONFLICT DO NOTHING"; sqlite: ""
);

pub(crate) const NEW_TRACK_FIELD: &BatchStatement<LinkTrackField> = statement!(LinkTrackField:
    "INSERT INTO link_track_field ({columns}) SELECT {columns} FROM batch WHERE true ON CONFLICT DO NOTHING"
);

batch_row! {
    /// A link by hand, as it is stored.
    struct LinkByHand {
        form: FormKey,
        link_id: Uuid,
        token: String,
        bus_prop_ids: String,
        track_fields: String,
        expires_at: Option<DateTime<Utc>>,
        max_responses: Option<i64>,
        created_at: DateTime<Utc>,
        is_test: bool,
        name: Option<String>,
        kiosk: bool,
        made_by: Option<String>,
        made_from: Option<String>,
    }
}

const NEW_LINK: &BatchStatement<LinkByHand> = statement!(LinkByHand:
    "INSERT INTO link ({columns}) SELECT {columns} FROM batch"
);

batch_row! {
    /// What a link that is made once is found by.
    struct KeptLink {
        form: FormKey,
        bus_prop_ids: String,
        is_test: bool,
        name: Option<String>,
    }
}

/// Of those alike the oldest that has this name or none, by an index of its own: programs make any number of links of kiosks.
const KEPT: &BatchStatement<KeptLink> = statement!(KeptLink: links!(
    "batch CROSS JOIN link",
    "l.account_id = batch.account_id AND l.link_id = (
          SELECT k.link_id FROM link k
           WHERE k.account_id = batch.account_id AND k.form_id = batch.form_id AND k.is_test = batch.is_test
             AND k.bus_prop_ids = batch.bus_prop_ids AND k.campaign_id IS NULL AND (k.kiosk OR k.is_test)
             AND (k.name IS NULL OR k.name = batch.name)
             AND k.deleted_at IS NULL AND k.expires_at IS NULL AND k.max_responses IS NULL AND k.track_fields = '{}'
           ORDER BY k.link_id LIMIT 1)"
));

impl NewLink {
    /// The link that is made of it.
    fn made_at(&self, now: DateTime<Utc>) -> Link {
        Link {
            link_id: Uuid::now_v7(),
            token: self.token,
            form_id: self.form_id,
            bus_prop_ids: self.bus_prop_ids.clone(),
            track_fields: self.track_fields.clone(),
            expires_at: self.expires_at.map(|end| end.trunc_subsecs(6)),
            max_responses: self.max_responses,
            name: self.name.clone(),
            kiosk: self.kiosk,
            is_test: self.is_test,
            made_by: self.made_by.clone(),
            made_from: self.made_from.clone(),
            created_at: now,
            deleted_at: None,
            views: 0,
            responses: 0,
        }
    }
}

impl Tx {
    async fn insert_links(&self, account_id: Uuid, links: &[Link]) -> Result<()> {
        let (mut tokens, mut rows, mut fields) = (Vec::new(), Vec::new(), Vec::new());
        for link in links {
            let form = FormKey::new(account_id, link.form_id);
            tokens.push(LinkToken {
                token: link.token.to_string(),
                account_id,
            });
            rows.push(LinkByHand {
                form,
                link_id: link.link_id,
                token: link.token.to_string(),
                bus_prop_ids: link.bus_prop_ids.to_string(),
                track_fields: serde_json::to_string(&link.track_fields).map_err(Error::broken)?,
                expires_at: link.expires_at,
                max_responses: link.max_responses,
                created_at: link.created_at,
                is_test: link.is_test,
                name: link.name.clone(),
                kiosk: link.kiosk,
                made_by: link.made_by.clone(),
                made_from: link.made_from.clone(),
            });
            fields.extend(LinkTrackField::of(form, link.link_id, &link.track_fields));
        }
        if self.is_distributed() {
            self.execute_batch(NEW_TOKEN, tokens).await?;
        }
        self.execute_batch(NEW_LINK, rows).await?;
        self.execute_batch(NEW_TRACK_FIELD, fields).await
    }

    /// The links that last and are like those wanted, each in its place.
    async fn kept_links(&self, wanted: &[NewLink]) -> Result<Vec<Option<Link>>> {
        let keys = wanted.iter().map(|link| KeptLink {
            form: FormKey::new(link.account_id, link.form_id),
            bus_prop_ids: link.bus_prop_ids.to_string(),
            is_test: link.is_test,
            name: link.name.clone(),
        });
        let kept = read_links(self.fetch_batch(KEPT, keys.collect()).await?)?;
        let kept = kept
            .into_iter()
            .map(|link| ((link.bus_prop_ids.clone(), link.is_test), link));
        let kept: HashMap<(BusPropIds, bool), Link> = kept.collect();
        let found = |link: &NewLink| {
            kept.get(&(link.bus_prop_ids.clone(), link.is_test))
                .cloned()
        };
        Ok(wanted.iter().map(found).collect())
    }
}

impl Store {
    /// Makes a link.
    pub async fn create_link(&self, link: &NewLink) -> Result<Link> {
        let tx = self.begin().await?;
        let made = link.made_at(tx.now().await?);
        tx.insert_links(link.account_id, std::slice::from_ref(&made))
            .await?;
        tx.commit_surely().await?;
        Ok(made)
    }

    /// The links of a form that are alike, in the order of those wanted, each made unless there is one without a name or of the same:
    /// once, however often and by how many it is asked for. All last and have no tracking fields, and are a kiosk's or try the form.
    pub async fn keep_links(&self, form: FormKey, wanted: &[NewLink]) -> Result<Vec<Link>> {
        let tx = self.begin_long().await?;
        let row = form::Entity::find_by_id((form.account_id, form.form_id));
        row.lock(LockType::NoKeyUpdate).one(&tx).await?;
        let now = tx.now().await?;
        let kept = tx.kept_links(wanted).await?;
        let (mut links, mut made) = (Vec::new(), Vec::new());
        for (wanted, kept) in wanted.iter().zip(kept) {
            links.push(kept.unwrap_or_else(|| {
                let link = wanted.made_at(now);
                made.push(link.clone());
                link
            }));
        }
        tx.insert_links(form.account_id, &made).await?;
        tx.commit_surely().await?;
        Ok(links)
    }

    /// Those that [`Self::keep_links`] made of the links wanted, each in its place.
    pub async fn kept_links(&self, wanted: &[NewLink]) -> Result<Vec<Option<Link>>> {
        self.snapshot().await?.kept_links(wanted).await
    }
}
