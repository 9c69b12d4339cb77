//! Campaigns: made, read, listed, changed, and led through their life.

use chrono::{DateTime, Utc};
use domain::campaign::{
    Audience, CampaignAction, CampaignContent, CampaignStatus, Counts, MessageKind, SenderChoice,
};
use domain::form::FormStatus;
use entity::{campaign, campaign_tally};
use sea_orm::sea_query::LockType;
use sea_orm::{ColumnTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect};
use serde::Serialize;
use uuid::Uuid;

use super::moving::moves_from;
use super::{BUDGETS, REASONS, SEVERAL_SENDERS};
use crate::tx::{Sql, Statement, batch_row, statement, values};
use crate::{Error, ListPage, Result, Store, Tx};

/// The lowest number of a program from which on all of them know that what waits for a campaign is moved or withdrawn: an older one
/// would send some of it twice.
const MOVE: i64 = 11;

batch_row! {
    /// A campaign, by its account and its id.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, FromQueryResult)]
    pub struct CampaignKey {
        account_id: Uuid,
        campaign_id: Uuid,
    }
}

impl CampaignKey {
    pub fn new(account_id: Uuid, campaign_id: Uuid) -> Self {
        Self {
            account_id,
            campaign_id,
        }
    }
}

/// A stored campaign.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Campaign {
    pub campaign_id: Uuid,
    pub status: CampaignStatus,
    #[serde(flatten)]
    pub content: CampaignContent,
    /// 1 at first, one more with every change of any kind.
    #[serde(skip)]
    pub revision: i64,
    pub created_at: DateTime<Utc>,
    #[serde(skip)]
    pub updated_at: DateTime<Utc>,
    pub started_at: Option<DateTime<Utc>>,
    pub finished_at: Option<DateTime<Utc>>,
    /// It takes no more imports and ends once nothing is left to do.
    #[serde(skip)]
    pub finishing: bool,
    /// Its messages have senders of their own: it names several, or another one than at its start.
    #[serde(skip)]
    pub names_several: bool,
}

/// What a change of a campaign came to.
#[derive(Clone, Debug)]
pub enum CampaignChange {
    Done(Box<Campaign>),
    /// Not known in this account.
    NotFound,
    /// It has another revision than the expected one. Judged before the status.
    Changed,
    /// The status that it has does not allow the change.
    Refused(CampaignStatus),
    /// It was started, and a member that stays as it is from then on is another.
    Fixed(&'static str),
    /// Its form is not PUBLISHED.
    FormNotPublished,
}

impl Campaign {
    pub(super) fn read(row: &campaign::Model) -> Result<Self> {
        Ok(Self {
            campaign_id: row.campaign_id,
            status: row.status.parse().map_err(Error::broken)?,
            content: serde_json::from_str(&row.content).map_err(Error::broken)?,
            revision: row.revision,
            created_at: row.created_at,
            updated_at: row.updated_at,
            started_at: row.started_at,
            finished_at: row.finished_at,
            finishing: row.finishing,
            names_several: row.senders.is_some(),
        })
    }
}

/// Once it was started its messages may have whatever senders it named.
fn set_senders(row: &mut campaign::Model, choice: &SenderChoice) {
    let former = row.senders.take().filter(|_| row.started_at.is_some());
    if row.started_at.is_none() {
        choice.first().clone_into(&mut row.sender);
    }
    if former.is_some() || choice.only() != Some(row.sender.as_str()) {
        let mut names = choice.names();
        names.extend(former.iter().flat_map(|names| names.split_whitespace()));
        if row.started_at.is_some() {
            names.insert(row.sender.as_str());
        }
        let names: Vec<&str> = names.into_iter().collect();
        row.senders = Some(format!(" {} ", names.join(" ")));
    }
}

/// The lowest number of a program from which on all of them do what a content says; 0: any.
fn needs(content: &CampaignContent) -> i64 {
    // An older one could not read several.
    if content.sender.only().is_none() {
        SEVERAL_SENDERS
    } else if content.budget.is_some() {
        BUDGETS
    } else if content.asks_only_some() {
        REASONS
    } else {
        0
    }
}

/// Gives the row a content and what follows from it.
fn set_content(row: &mut campaign::Model, content: &CampaignContent) -> Result<()> {
    set_senders(row, &content.sender);
    row.form_id = content.form_id;
    row.content = serde_json::to_string(content).map_err(Error::broken)?;
    row.on_import = matches!(content.audience, Audience::OnImport { .. });
    row.planned = row.on_import;
    Ok(())
}

const DELETE_MESSAGES: [&Statement; 4] = [
    statement!("DELETE FROM campaign_tally WHERE account_id = $1 AND campaign_id = $2"),
    statement!("DELETE FROM campaign_delta WHERE account_id = $1 AND campaign_id = $2"),
    statement!("DELETE FROM message_due WHERE account_id = $1 AND campaign_id = $2"),
    statement!("DELETE FROM message WHERE account_id = $1 AND campaign_id = $2"),
];

impl Store {
    /// Makes a campaign in DRAFT.
    ///
    /// # Errors
    /// [`Error::UpgradeUnfinished`] of one that asks only some, has a budget, or names several senders.
    pub async fn create_campaign(
        &self,
        account_id: Uuid,
        content: &CampaignContent,
    ) -> Result<Campaign> {
        let key = CampaignKey::new(account_id, Uuid::now_v7());
        self.create_campaign_as(key, content).await
    }

    /// The same with an id that was drawn before, by which the audit log has it.
    ///
    /// # Errors
    /// As [`Self::create_campaign`].
    pub async fn create_campaign_as(
        &self,
        key: CampaignKey,
        content: &CampaignContent,
    ) -> Result<Campaign> {
        let CampaignKey {
            account_id,
            campaign_id,
        } = key;
        let tx = self.begin().await?;
        // An older program would ask everybody.
        let needed = needs(content);
        if needed > 0 && !tx.admits_only_from(needed).await? {
            return Err(Error::UpgradeUnfinished);
        }
        let now = tx.now().await?;
        let mut row = campaign::Model {
            account_id,
            campaign_id,
            status: CampaignStatus::Draft.into_str().to_owned(),
            sender: String::new(),
            senders: None,
            form_id: content.form_id,
            content: String::new(),
            revision: 1,
            on_import: false,
            finishing: false,
            planned: false,
            planned_to: String::new(),
            moved_to: None,
            created_at: now,
            updated_at: now,
            started_at: None,
            finished_at: None,
        };
        set_content(&mut row, content)?;
        let made = Campaign::read(&row)?;
        tx.insert(row).await?;
        // The lock of whoever adds to the tallies.
        let tally = campaign_tally::Model {
            account_id,
            campaign_id,
            kind: MessageKind::First.into_str().to_owned(),
            counts: Counts::default().to_string(),
        };
        tx.insert(tally).await?;
        let is_made = async { Ok(self.campaign(key).await?.is_some()) };
        tx.commit_or_ask(is_made).await?;
        Ok(made)
    }

    /// One campaign.
    pub async fn campaign(&self, key: CampaignKey) -> Result<Option<Campaign>> {
        let row = campaign::Entity::find_by_id((key.account_id, key.campaign_id)).one(self);
        row.await?.as_ref().map(Campaign::read).transpose()
    }

    /// A page of an account's campaigns, newest first, of those older than `before`.
    pub async fn campaigns(
        &self,
        account_id: Uuid,
        before: Option<Uuid>,
        limit: usize,
    ) -> Result<ListPage<Campaign>> {
        let rows = campaign::Entity::find()
            .filter(campaign::Column::AccountId.eq(account_id))
            .filter(campaign::Column::CampaignId.lt(before.unwrap_or(Uuid::max())))
            .order_by_desc(campaign::Column::CampaignId)
            .limit(limit as u64 + 1)
            .all(self)
            .await?;
        let campaigns = rows.iter().map(Campaign::read).collect::<Result<_, _>>()?;
        let position = |campaign: &Campaign| campaign.campaign_id;
        Ok(ListPage::new(campaigns, limit, false, position))
    }

    /// Gives a campaign another content: a DRAFT any, one that was started and is not over what
    /// [`fixed_change`](CampaignContent::fixed_change) allows. It holds for what is not handed over; what waits is moved by a worker.
    ///
    /// # Errors
    /// [`Error::UpgradeUnfinished`] of one that was started, asks only some, has a budget, or names several senders.
    pub async fn replace_campaign(
        &self,
        key: CampaignKey,
        revision: Option<i64>,
        content: &CampaignContent,
    ) -> Result<CampaignChange> {
        // Nothing makes it untrue again.
        let tx = self.snapshot().await?;
        let may_move = tx.admits_only_from(MOVE).await?;
        let may_choose = tx.admits_only_from(SEVERAL_SENDERS).await?;
        let needed = needs(content);
        let is_known = needed == 0 || tx.admits_only_from(needed).await?;
        drop(tx);
        self.change_campaign(key, revision, |row, status, now| {
            let is_draft = status == CampaignStatus::Draft;
            if !is_draft && !status.is_open() {
                return Ok(Err(CampaignChange::Refused(status)));
            }
            if !is_draft && !may_move || !is_known {
                return Err(Error::UpgradeUnfinished);
            }
            let before: CampaignContent =
                serde_json::from_str(&row.content).map_err(Error::broken)?;
            let changes_sender = !is_draft && before.sender != content.sender;
            if changes_sender && !may_choose {
                return Err(Error::UpgradeUnfinished);
            }
            let (planned, was_moved) = (row.planned, row.moved_to.take());
            set_content(row, content)?;
            if !is_draft {
                if let Some(name) = before.fixed_change(content) {
                    return Ok(Err(CampaignChange::Fixed(name)));
                }
                // Whoever was left out for it is planned after all.
                let limit = |content: &CampaignContent| content.max_messages.unwrap_or(u64::MAX);
                row.planned = planned;
                if limit(content) > limit(&before) {
                    row.planned = false;
                    row.planned_to.clear();
                }
                row.moved_to = moves_from(&before, content, now, was_moved)?;
            }
            Ok(Ok(()))
        })
        .await
    }

    /// Leads a campaign on. A start needs a PUBLISHED form; the account's clock for its audience begins then. `finish` of a
    /// campaign that has something left to do only lets it take no more imports.
    pub async fn act_on_campaign(
        &self,
        key: CampaignKey,
        action: CampaignAction,
    ) -> Result<CampaignChange> {
        self.change_campaign(key, None, |row, status, now| {
            let Some(next) = status.after(action) else {
                return Ok(Err(CampaignChange::Refused(status)));
            };
            match action {
                CampaignAction::Start => row.started_at = Some(now),
                CampaignAction::Finish => row.finishing = true,
                CampaignAction::Cancel => row.finished_at = row.finished_at.or(Some(now)),
                CampaignAction::Pause | CampaignAction::Resume => {}
            }
            // What is left to do is found out beside: a worker makes it FINISHED.
            if action != CampaignAction::Finish {
                next.into_str().clone_into(&mut row.status);
            }
            Ok(Ok(()))
        })
        .await
    }

    async fn change_campaign(
        &self,
        key: CampaignKey,
        revision: Option<i64>,
        change: impl FnOnce(
            &mut campaign::Model,
            CampaignStatus,
            DateTime<Utc>,
        ) -> Result<Result<(), CampaignChange>>,
    ) -> Result<CampaignChange> {
        let mut tx = self.begin().await?;
        let Some(mut row) = tx.lock_campaign(key).await? else {
            return Ok(CampaignChange::NotFound);
        };
        let before = Campaign::read(&row)?;
        if revision.is_some_and(|expected| expected != row.revision) {
            return Ok(CampaignChange::Changed);
        }
        let now = tx.now().await?;
        if let Err(refused) = change(&mut row, before.status, now)? {
            return Ok(refused);
        }
        row.revision += 1;
        row.updated_at = now;
        let after = Campaign::read(&row)?;
        if before.started_at.is_none() && after.started_at.is_some() {
            let status =
                statement!("SELECT status FROM form WHERE account_id = $1 AND form_id = $2");
            let status = tx.fetch_value(status, values![key.account_id, row.form_id]);
            let status: Option<String> = status.await?;
            if status.as_deref() != Some(FormStatus::Published.as_str()) {
                return Ok(CampaignChange::FormNotPublished);
            }
        }
        if after.status == CampaignStatus::Cancelled {
            tx.cancel_due(key).await?;
        }
        tx.note_work(key.account_id).await?;
        tx.update(row).await?;
        let changed = async {
            let found = self.campaign(key).await?;
            let of = |campaign: &Campaign| (campaign.revision, campaign.updated_at);
            Ok(found.as_ref().map(of) == Some(of(&after)))
        };
        tx.commit_or_ask(changed).await?;
        Ok(CampaignChange::Done(Box::new(after)))
    }

    /// Deletes a DRAFT.
    pub async fn delete_campaign(&self, key: CampaignKey) -> Result<CampaignChange> {
        let mut tx = self.begin().await?;
        let Some(row) = tx.lock_campaign(key).await? else {
            return Ok(CampaignChange::NotFound);
        };
        let campaign = Campaign::read(&row)?;
        if campaign.status != CampaignStatus::Draft {
            return Ok(CampaignChange::Refused(campaign.status));
        }
        // Of a DRAFT these are tests.
        for delete in DELETE_MESSAGES {
            tx.execute(delete, values![key]).await?;
        }
        campaign::Entity::delete_by_id((key.account_id, key.campaign_id))
            .exec(&tx)
            .await?;
        tx.commit_surely().await?;
        Ok(CampaignChange::Done(Box::new(campaign)))
    }
}

impl Tx {
    /// The campaign's row, locked. Whoever plans for it waits.
    pub(crate) async fn lock_campaign(
        &mut self,
        key: CampaignKey,
    ) -> Result<Option<campaign::Model>> {
        let row = campaign::Entity::find_by_id((key.account_id, key.campaign_id));
        Ok(row.lock(LockType::NoKeyUpdate).one(self).await?)
    }
}
