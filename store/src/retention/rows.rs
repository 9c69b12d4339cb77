//! What goes of sealed days. Each of these drops at most some hundred rows, as others wait for the one writer of SQLite meanwhile.
//! What goes is found apart from dropping it, as in `end_cancelled_messages`.
//!
//! `visit` stays: whose visit answered before gets the same answer for ever. `contact` stays, and a campaign that ended plans nobody
//! anew: so nobody is asked twice. A message's link stays open as long as its answer is kept, because an erasure finds the answer by it;
//! then it forgets its tracking fields. But the link has the message's phone from then on, as its page still offers *No more messages*, and
//! the docid, because an erasure finds the phone by it.

use chrono::{DateTime, NaiveDate, Utc};
use domain::link::TrackFields;
use sea_orm::FromQueryResult;
use uuid::Uuid;

use super::Sealed;
use crate::collect::LinkCounts;
use crate::form::{FormKey, LinkTrackField};
use crate::report::first_id;
use crate::send::{CampaignKey, MessageKey};
use crate::tx::{BatchStatement, JsonText, Sql, Statement, batch_row, statement, values};
use crate::{Error, Result, Tx};

/// Rows that one transaction drops.
const SOME: i64 = 500;

/// A form with answers below an id, of days that are sealed: another program's time zones may have put the day of such an id later. Subqueries are look-ups by key, which the planner cannot turn around.
const FORM_WITH_ANSWERS: &Statement = statement!(
    "SELECT f.form_id FROM form f WHERE f.account_id = $1 AND (
            SELECT b.feedback_id FROM feedback b
             WHERE b.account_id = f.account_id AND b.form_id = f.form_id AND b.feedback_id < $2 AND b.day <= $3
             ORDER BY b.feedback_id LIMIT 1) IS NOT NULL
      LIMIT 1"
);

const ANSWERS: &Statement = statement!(
    "SELECT account_id, form_id, feedback_id FROM feedback
      WHERE account_id = $1 AND form_id = $2 AND feedback_id < $3 AND day <= $4 ORDER BY feedback_id LIMIT $5"
);

batch_row! {
    #[derive(FromQueryResult)]
    struct AnswerKey {
        #[sea_orm(nested)]
        form: FormKey,
        feedback_id: Uuid,
    }
}

const DROP_ANSWERS: &BatchStatement<AnswerKey> = statement!(AnswerKey:
    "DELETE FROM feedback WHERE ({columns}) IN (SELECT {columns} FROM batch) RETURNING link_id"
);

const FORM_WITH_VIEWS: &Statement = statement!(
    "SELECT f.form_id FROM form f WHERE f.account_id = $1 AND (
            SELECT v.day FROM visit_view v
             WHERE v.account_id = f.account_id AND v.form_id = f.form_id AND v.day <= $2
             ORDER BY v.day LIMIT 1) IS NOT NULL
      LIMIT 1"
);

const VIEWS: &Statement = statement!(
    "SELECT account_id, link_id, visit, day FROM visit_view
      WHERE account_id = $1 AND form_id = $2 AND day <= $3 ORDER BY day LIMIT $4"
);

batch_row! {
    #[derive(FromQueryResult)]
    struct SealedView {
        account_id: Uuid,
        link_id: Uuid,
        visit: Uuid,
        day: NaiveDate,
    }
}

const DROP_VIEWS: &BatchStatement<SealedView> = statement!(SealedView:
    "DELETE FROM visit_view WHERE ({columns}) IN (SELECT {columns} FROM batch) RETURNING link_id"
);

/// The messages of a campaign that go: those that were accepted on a sealed day, or never. A first message goes with its reminder.
macro_rules! gone {
    ($account:literal, $campaign:literal, $day:literal) => {
        concat!(
            "m.account_id = ", $account, " AND m.campaign_id = ", $campaign,
            " AND (m.accepted_day IS NULL OR m.accepted_day <= ", $day, ")
              AND NOT EXISTS (
                  SELECT 1 FROM message r WHERE r.account_id = m.account_id AND r.campaign_id = m.campaign_id
                     AND r.kind = 'reminder' AND r.kind <> 'test' AND r.docid = m.docid AND r.accepted_day > ", $day, ")"
        )
    };
}

/// A campaign that ended before a moment, has nothing left to do, and has such messages.
const ENDED_CAMPAIGN: &Statement = statement!(
    "SELECT c.campaign_id FROM campaign c
      WHERE c.account_id = $1 AND c.status IN ('FINISHED', 'CANCELLED') AND c.finished_at < $2
        AND (SELECT d.message_id FROM message_due d
              WHERE d.account_id = c.account_id AND d.campaign_id = c.campaign_id LIMIT 1) IS NULL
        AND (SELECT m.message_id FROM message m WHERE ",
    gone!("c.account_id", "c.campaign_id", "$3"),
    " LIMIT 1) IS NOT NULL
      LIMIT 1"
);

const MESSAGES: &Statement = statement!(lock "FOR UPDATE OF m":
    "SELECT m.account_id, m.message_id FROM message m WHERE ", gone!("$1", "$2", "$3"), " ORDER BY m.message_id LIMIT $4"
);

const DROP_RECEIPTS: &BatchStatement<MessageKey> = statement!(MessageKey:
    "DELETE FROM receipt WHERE ({columns}) IN (SELECT {columns} FROM batch)"
);

const DROP_MESSAGES: &BatchStatement<MessageKey> = statement!(MessageKey:
    "DELETE FROM message WHERE ({columns}) IN (SELECT {columns} FROM batch)
     RETURNING link_id, CASE WHEN message_id = link_id AND docid <> '' THEN coalesce(sent_mac, phone_mac) END AS phone_mac"
);

#[derive(FromQueryResult)]
struct GoneMessage {
    link_id: Uuid,
    /// Null also of a reminder, whose link is that of the first message, and of a test of no recipient: no erasure would find it.
    phone_mac: Option<Vec<u8>>,
}

batch_row! {
    struct LinkKey {
        account_id: Uuid,
        link_id: Uuid,
    }
}

/// Who answers just now holds the link, so that what follows sees the answer, or the answer sees that the link is gone.
const HOLD_LINKS: &BatchStatement<LinkKey> = statement!(LinkKey lock "FOR UPDATE OF l":
    "SELECT l.link_id FROM batch JOIN link l ON l.account_id = batch.account_id AND l.link_id = batch.link_id
      WHERE l.campaign_id IS NOT NULL ORDER BY l.link_id"
);

/// Links of messages that are gone, through which no answer came that is kept.
const LEFT_LINKS: &BatchStatement<LinkKey> = statement!(LinkKey:
    "SELECT l.link_id, l.form_id, l.track_fields
       FROM batch JOIN link l ON l.account_id = batch.account_id AND l.link_id = batch.link_id
      WHERE l.campaign_id IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM message m WHERE m.account_id = l.account_id AND m.message_id = l.link_id)
        AND NOT EXISTS (
            SELECT 1 FROM visit v JOIN feedback b
                ON b.account_id = v.account_id AND b.form_id = l.form_id AND b.feedback_id = v.feedback_id
             WHERE v.account_id = l.account_id AND v.link_id = l.link_id)"
);

#[derive(FromQueryResult)]
struct LeftLink {
    link_id: Uuid,
    form_id: Uuid,
    track_fields: JsonText<TrackFields>,
}

batch_row! {
    struct EndedLink {
        link: LinkKey,
        track_fields: String,
        at: DateTime<Utc>,
    }
}

const END_LINKS: &BatchStatement<EndedLink> = statement!(EndedLink:
    "UPDATE link AS l SET track_fields = batch.track_fields, deleted_at = coalesce(l.deleted_at, batch.at)
       FROM batch WHERE l.account_id = batch.account_id AND l.link_id = batch.link_id"
);

batch_row! {
    struct LinkPhone {
        link: LinkKey,
        phone_mac: Vec<u8>,
    }
}

const KEEP_PHONES: &BatchStatement<LinkPhone> = statement!(LinkPhone:
    "UPDATE link AS l SET phone_mac = batch.phone_mac
       FROM batch WHERE l.account_id = batch.account_id AND l.link_id = batch.link_id"
);

const DROP_TRACK_FIELDS: &BatchStatement<LinkTrackField> = statement!(LinkTrackField:
    "DELETE FROM link_track_field WHERE ({columns}) IN (SELECT {columns} FROM batch)"
);

impl Tx {
    /// Answers up to a day, which ends at a moment, of one form.
    pub(super) async fn drop_answers(
        &mut self,
        account_id: Uuid,
        last: NaiveDate,
        end: DateTime<Utc>,
    ) -> Result<bool> {
        let before = first_id(end);
        let form = self.fetch_value(FORM_WITH_ANSWERS, values![account_id, before, last]);
        let Some(form_id) = form.await? else {
            return Ok(false);
        };
        let form = FormKey::new(account_id, form_id);
        let answers = values![form, before, last, SOME];
        let keys: Vec<AnswerKey> = self.fetch_all(ANSWERS, answers).await?;
        let links: Vec<Uuid> = self.fetch_batch_values(DROP_ANSWERS, keys).await?;
        let mut gone = LinkCounts::default();
        for link_id in &links {
            gone.add(*link_id, 0, 1);
        }
        self.forget_links(account_id, links).await?;
        // Reports show the latest comments.
        let now = self.now().await?;
        self.raise_version(form, now).await?;
        self.add_sealed_to_links(form, &gone).await?;
        Ok(true)
    }

    /// Views up to a day, of one form.
    pub(super) async fn drop_views(&self, account_id: Uuid, last: NaiveDate) -> Result<bool> {
        let form = self.fetch_value(FORM_WITH_VIEWS, values![account_id, last]);
        let form: Option<Uuid> = form.await?;
        let Some(form_id) = form else {
            return Ok(false);
        };
        let form = FormKey::new(account_id, form_id);
        let views = values![form, last, SOME];
        let views: Vec<SealedView> = self.fetch_all(VIEWS, views).await?;
        let links: Vec<Uuid> = self.fetch_batch_values(DROP_VIEWS, views).await?;
        let mut gone = LinkCounts::default();
        for link_id in links {
            gone.add(link_id, 1, 0);
        }
        self.add_sealed_to_links(form, &gone).await?;
        Ok(true)
    }

    /// Messages that were accepted up to a day, of one campaign that ended before a moment.
    pub(super) async fn drop_messages(
        &mut self,
        account_id: Uuid,
        last: NaiveDate,
        ended_before: DateTime<Utc>,
    ) -> Result<bool> {
        let ended = values![account_id, ended_before, last];
        let Some(campaign_id) = self.fetch_value(ENDED_CAMPAIGN, ended).await? else {
            return Ok(false);
        };
        let key = CampaignKey::new(account_id, campaign_id);
        // Since then it may have been opened again. From here on it cannot be.
        self.lock_campaign(key).await?;
        if !self.is_campaign_sealed(key).await? {
            return Ok(false);
        }
        let messages = values![key, last, SOME];
        let messages: Vec<MessageKey> = self.fetch_all(MESSAGES, messages).await?;
        self.execute_batch(DROP_RECEIPTS, messages.clone()).await?;
        let gone: Vec<GoneMessage> = self.fetch_batch(DROP_MESSAGES, messages).await?;
        let links = gone.iter().map(|message| message.link_id).collect();
        self.forget_links(account_id, links).await?;
        let phones = gone.into_iter().filter_map(|message| {
            let link_id = message.link_id;
            let link = LinkKey {
                account_id,
                link_id,
            };
            Some(LinkPhone {
                link,
                phone_mac: message.phone_mac?,
            })
        });
        self.execute_batch(KEEP_PHONES, phones.collect()).await?;
        Ok(true)
    }

    /// Ends those of these links whose message is gone and whose answer is, if there was one: of the person they have the docid alone.
    async fn forget_links(&self, account_id: Uuid, mut links: Vec<Uuid>) -> Result<()> {
        links.sort_unstable();
        links.dedup();
        let link = |link_id| LinkKey {
            account_id,
            link_id,
        };
        let held = links.iter().copied().map(link).collect();
        let held: Vec<Uuid> = self.fetch_batch_values(HOLD_LINKS, held).await?;
        let held = held.into_iter().map(link).collect();
        let left: Vec<LeftLink> = self.fetch_batch(LEFT_LINKS, held).await?;
        let at = self.now().await?;
        let (mut fields, mut ended) = (Vec::new(), Vec::new());
        for LeftLink {
            link_id,
            form_id,
            track_fields,
        } in left
        {
            let (kept, gone) = track_fields.0.split("docid");
            let form = FormKey::new(account_id, form_id);
            fields.extend(LinkTrackField::of(form, link_id, &gone));
            ended.push(EndedLink {
                link: link(link_id),
                track_fields: serde_json::to_string(&kept).map_err(Error::broken)?,
                at,
            });
        }
        self.execute_batch(DROP_TRACK_FIELDS, fields).await?;
        self.execute_batch(END_LINKS, ended).await
    }
}
