//! What links and answers say of a person who is erased: their tracking fields. The answers stay.

use std::collections::{BTreeMap, BTreeSet};

use domain::campaign::CampaignContent;
use entity::{campaign, link, link_track_field};
use sea_orm::sea_query::LockType;
use sea_orm::{EntityTrait, QuerySelect};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::ErasedPerson;
use crate::form::FormKey;
use crate::tx::{Sql, Statement, statement, values};
use crate::{Error, Result, Store, Tx};

/// Of messages, and those with the docid among their tracking fields: a look-up by key for each form of the account.
pub(super) const LINKS: &Statement = statement!(
    "SELECT link_id FROM message WHERE account_id = $1 AND docid = $2
      UNION
     SELECT t.link_id FROM form f CROSS JOIN link_track_field t
      WHERE f.account_id = $1 AND t.account_id = f.account_id AND t.form_id = f.form_id AND t.track_field = $3"
);

/// Those with the docid among their tracking fields, up to so many.
const NAMING: &Statement = statement!(
    "SELECT t.link_id FROM form f CROSS JOIN link_track_field t
      WHERE f.account_id = $1 AND t.account_id = f.account_id AND t.form_id = f.form_id AND t.track_field = $2 LIMIT $3"
);
/// Links that one transaction forgets while there are more.
const AT_ONCE: usize = 500;

const FORGET_IN_ANSWERS: &Statement = statement!(
    postgres: "UPDATE feedback SET track_fields = CAST($4 AS jsonb) WHERE account_id = $1 AND form_id = $2 AND feedback_id IN (
                   SELECT feedback_id FROM visit WHERE account_id = $1 AND link_id = $3)";
    sqlite: "UPDATE feedback SET track_fields = $4 WHERE account_id = $1 AND form_id = $2 AND feedback_id IN (
                 SELECT feedback_id FROM visit WHERE account_id = $1 AND link_id = $3)"
);

impl Store {
    /// Forgets the tracking fields of links that name a person, as long as there are many, in transactions of their own: in one with all
    /// else nobody else would write to SQLite meanwhile, and it would never end in time.
    pub(super) async fn forget_many_links(&self, person: &ErasedPerson<'_>) -> Result<()> {
        loop {
            let links = some_naming(self, person).await?;
            if links.len() < AT_ONCE {
                return Ok(());
            }
            let forget = || async {
                let mut tx = self.begin_long().await?;
                tx.forget_fields_of(person.account_id, &links).await?;
                tx.commit_surely().await
            };
            self.retry(forget).await?;
        }
    }
}

/// Links with the docid of a person among their tracking fields, as many as are forgotten at once.
async fn some_naming(db: &impl Sql, person: &ErasedPerson<'_>) -> Result<BTreeSet<Uuid>> {
    let field = format!("docid={}", person.docid);
    let most = i64::try_from(AT_ONCE).map_err(Error::broken)?;
    let found = values![person.account_id, field, most];
    let links: Vec<Uuid> = db.fetch_values(NAMING, found).await?;
    Ok(links.into_iter().collect())
}

impl Tx {
    /// Whether there are so many links that name a person that they are not forgotten together with all else.
    pub(super) async fn has_many_links(&self, person: &ErasedPerson<'_>) -> Result<bool> {
        Ok(some_naming(self, person).await?.len() >= AT_ONCE)
    }

    /// Forgets the phones and the tracking fields of a person's links and of what was answered through them, but those that made a business
    /// property. Reports that show such answers have another version from then on.
    pub(super) async fn forget_track_fields(&mut self, person: &ErasedPerson<'_>) -> Result<()> {
        let (account_id, docid) = (person.account_id, person.docid);
        let field = format!("docid={docid}");
        let values = values![account_id, docid, field];
        let links: Vec<Uuid> = self.fetch_values(LINKS, values).await?;
        // They are taken in the order in which answers take them.
        self.forget_fields_of(account_id, &links.into_iter().collect())
            .await
    }

    async fn forget_fields_of(&mut self, account_id: Uuid, links: &BTreeSet<Uuid>) -> Result<()> {
        let mut kept_of: BTreeMap<Uuid, BTreeSet<String>> = BTreeMap::new();
        let mut changed = BTreeSet::new();
        for link_id in links.iter().copied() {
            // An answer that is being stored holds its link, so that it is found after this.
            let link = link::Entity::find_by_id((account_id, link_id)).lock(LockType::Update);
            let Some(link) = link.one(self).await? else {
                continue;
            };
            let form_id = link.form_id;
            if let Some(campaign_id) = link.campaign_id
                && !kept_of.contains_key(&campaign_id)
            {
                let kept = self.made_properties(account_id, campaign_id).await?;
                kept_of.insert(campaign_id, kept);
            }
            let kept = link.campaign_id;
            let kept = kept.and_then(|campaign_id| kept_of.get(&campaign_id));
            let mut fields: Map<String, Value> =
                serde_json::from_str(&link.track_fields).map_err(Error::broken)?;
            let all = fields.clone();
            fields
                .retain(|name, _| name != "docid" && kept.is_some_and(|kept| kept.contains(name)));
            let left = serde_json::to_string(&fields).map_err(Error::broken)?;
            let forget = statement!(
                "UPDATE link SET track_fields = $3, name = NULL, phone_mac = NULL WHERE account_id = $1 AND link_id = $2"
            );
            self.execute(forget, values![account_id, link_id, left.as_str()])
                .await?;
            for (name, value) in all.iter().filter(|(name, _)| !fields.contains_key(*name)) {
                let field = format!("{name}={}", value.as_str().unwrap_or_default());
                let key = (account_id, form_id, field, link_id);
                let delete = link_track_field::Entity::delete_by_id(key);
                delete.exec(self).await?;
            }
            let values = values![account_id, form_id, link_id, left];
            if self.execute(FORGET_IN_ANSWERS, values).await? > 0 {
                changed.insert(form_id);
            }
        }
        let now = self.now().await?;
        for form_id in changed {
            self.raise_version(FormKey::new(account_id, form_id), now)
                .await?;
        }
        Ok(())
    }

    /// The fields of recipients that made business properties of a campaign's links.
    async fn made_properties(
        &self,
        account_id: Uuid,
        campaign_id: Uuid,
    ) -> Result<BTreeSet<String>> {
        let campaign = campaign::Entity::find_by_id((account_id, campaign_id));
        let Some(campaign) = campaign.one(self).await? else {
            return Ok(BTreeSet::new());
        };
        let content: CampaignContent =
            serde_json::from_str(&campaign.content).map_err(Error::broken)?;
        Ok(content.bus_props_from.into_values().collect())
    }
}
