//! Messages stepped by hand: imports plan them, drivers claim them and record what became of them, receipts, views and answers
//! come, people are erased and opt out, campaigns pause, go on and are cancelled, and processes die between any two steps.
//!
//! Whatever the order: a docid and a phone have one message of a campaign, a message whose fate is not certain is never handed
//! over again, and the counts are those of the messages.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::AtomicU16;

use anyhow::{Context, Result, ensure};
use chrono::TimeDelta;
use domain::campaign::{
    CampaignAction, CampaignContent, CampaignStatus, Count, Counts, Message, MessageKind,
    MessageStatus, ReceiptStatus, SkipReason,
};
use domain::link::Token;
use domain::pepper::Pepper;
use domain::price::Prices;
use domain::rollup::DayCounts;
use serde_json::json;
use store::report::{Slice, WHOLE};
use store::send::drive::{Claimed, DriveOutcome, Driver, DueKey, Outcome, Wanted};
use store::send::lease::{Lease, Taker};
use store::send::receipt::NewReceipt;
use store::send::{CampaignChange, CampaignKey};
use uuid::Uuid;

use super::fixture::{Received, phone};
use super::model::Dice;
use super::survey::{Sent, Survey};

const DOCIDS: [&str; 12] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
const STEPS: usize = 120;
pub(super) const SENDER: &str = "demo";

/// What a provider and the people know of a message.
#[derive(Debug, Default)]
struct Fate {
    handed_over: usize,
    /// It was handed over, and nobody knows that it was not sent.
    may_be_sent: bool,
    /// Somebody asked to send it again without knowing.
    is_asked_again: bool,
}

fn outcome(claimed: DueKey, status: MessageStatus) -> Outcome {
    Outcome {
        claimed,
        status,
        code: Some("code".to_owned()),
        provider_ids: vec![],
        retry_after: None,
        stays: false,
    }
}

struct Story {
    survey: Survey,
    key: CampaignKey,
    lease: Lease,
    /// Claimed under the lease, without a recorded result.
    in_hand: Vec<Claimed>,
    open: Vec<Received>,
    fates: HashMap<Uuid, Fate>,
    /// Whose each message is, also once nothing says it any more.
    docids: HashMap<Uuid, String>,
    /// Of messages that were handed over.
    tokens: Vec<Token>,
    dice: Dice,
    /// Whether delivered messages get a reminder, a day later than the story ends.
    reminds: bool,
}

pub(super) fn content(form_id: Uuid, reminds: bool) -> Result<CampaignContent> {
    let mut body = json!({
        "name": "Every order", "form_id": form_id, "sender": SENDER, "text": "Hi {v|you}: {link}",
        "audience": {"on_import": true}, "send_window": null, "contact_gap_days": 1,
    });
    if reminds {
        body["reminder"] = json!({"after_days": 1, "text": "Still: {link}"});
    }
    CampaignContent::parse(&body).map_err(|problems| anyhow::anyhow!("{problems:?}"))
}

impl Story {
    async fn begin(seed: u64) -> Result<Self> {
        let mut survey = Survey::open().await?;
        let (store, account) = (&survey.ledger.store, survey.form.account_id);
        let made = store
            .create_campaign(
                account,
                &content(survey.form.form_id, seed.is_multiple_of(2))?,
            )
            .await?;
        let key = CampaignKey::new(account, made.campaign_id);
        let started = store.act_on_campaign(key, CampaignAction::Start).await?;
        ensure!(matches!(started, CampaignChange::Done(_)), "{started:?}");
        let lease = store
            .take_lease(SENDER, &mut Taker::new(Uuid::new_v4()))
            .await?;
        survey.ledger.campaign_id = Some(key.campaign_id);
        Ok(Self {
            survey,
            key,
            lease: lease.context("no lease")?,
            in_hand: Vec::new(),
            open: Vec::new(),
            fates: HashMap::new(),
            docids: HashMap::new(),
            tokens: Vec::new(),
            dice: Dice::new(seed),
            reminds: seed.is_multiple_of(2),
        })
    }

    async fn step(&mut self) -> Result<()> {
        match self.dice.roll(16) {
            0 | 1 => self.import().await,
            2 => self.store_a_chunk().await,
            3..=5 => self.claim().await.map(drop),
            6 | 7 => self.record().await,
            8 => self.receive_receipt().await,
            9 => self.take_over().await,
            10 => self.erase_or_opt_out().await,
            11 => self.act(CampaignAction::Pause).await,
            12 => self.act(CampaignAction::Resume).await,
            13 => self.answer().await,
            14 => self.resend().await,
            _ => {
                self.survey.ledger.store.roll_up_campaign_counts().await?;
                Ok(())
            }
        }
    }

    async fn import(&mut self) -> Result<()> {
        let rows: BTreeMap<&str, u32> = (0..3)
            .map(|_| {
                let docid = self.dice.one(&DOCIDS);
                (docid, u32::try_from(self.dice.roll(15)).unwrap_or(0))
            })
            .collect();
        let rows: Vec<_> = rows.into_iter().collect();
        self.open.push(self.survey.ledger.post(&[&rows]).await?);
        Ok(())
    }

    async fn store_a_chunk(&mut self) -> Result<()> {
        if self.open.is_empty() {
            return Ok(());
        }
        let at = self.dice.roll(self.open.len());
        let received = self.open.swap_remove(at);
        let ledger = &self.survey.ledger;
        ledger.step(ledger.chunk(&received, 0)).await?;
        Ok(())
    }

    async fn drive(&mut self, outcomes: &[Outcome], messages: usize) -> Result<DriveOutcome> {
        let ledger = &self.survey.ledger;
        let prices = Prices::alike("0.05EUR".parse()?);
        let driver = Driver {
            lease: &self.lease,
            pepper: &ledger.pepper,
            countries: None,
            types: None,
            link_prefix: "https://feedback.example/f/",
            keeps_ids: true,
            numbers: &AtomicU16::new(0),
            has_receipts: true,
            parts_per_day: Some(1_000),
            prices: Some(&prices),
        };
        let campaign = self.key;
        let wanted = [Wanted { campaign, messages }];
        let wanted = if messages == 0 { &[][..] } else { &wanted };
        Ok(ledger.store.drive(&driver, outcomes, wanted).await?)
    }

    /// Claims a few messages; true if no more were due.
    async fn claim(&mut self) -> Result<bool> {
        let messages = 1 + self.dice.roll(3);
        let DriveOutcome::Done {
            claimed, drained, ..
        } = self.drive(&[], messages).await?
        else {
            anyhow::bail!("the lease is lost");
        };
        for message in claimed {
            let fate = self.fates.entry(message.key.message_id).or_default();
            ensure!(
                !fate.may_be_sent,
                "handed over though it may have been sent"
            );
            let link = message.text.split_once("https://feedback.example/f/");
            let (_, token) = link.context("no link")?;
            self.tokens.push(token.parse()?);
            fate.handed_over += 1;
            fate.may_be_sent = true;
            self.in_hand.push(message);
        }
        Ok(!drained.is_empty())
    }

    /// Somebody answers, perhaps before the provider said that it has the message.
    async fn answer(&mut self) -> Result<()> {
        if self.tokens.is_empty() {
            return Ok(());
        }
        let token = self.tokens[self.dice.roll(self.tokens.len())];
        let link = self.survey.open_link(token).await?;
        let sent = Sent { token, link };
        let given = json!({"mood": 5});
        let answer = self.survey.answer(&sent, Uuid::new_v4(), 0, &given);
        self.survey.record(&[answer]).await?;
        Ok(())
    }

    async fn record(&mut self) -> Result<()> {
        if self.in_hand.is_empty() {
            return Ok(());
        }
        let at = self.dice.roll(self.in_hand.len());
        let message = self.in_hand.swap_remove(at);
        let ended = |status| outcome(message.key, status);
        let again = Outcome {
            retry_after: Some(TimeDelta::zero()),
            ..ended(MessageStatus::Scheduled)
        };
        let outcome = match self.dice.roll(6) {
            0 | 1 => Outcome {
                code: None,
                provider_ids: vec![message.key.message_id.to_string()],
                ..ended(MessageStatus::Accepted)
            },
            2 => ended(MessageStatus::Failed),
            3 => again,
            4 => Outcome {
                code: None,
                ..again
            },
            _ => ended(MessageStatus::Unknown),
        };
        let is_sure = outcome.retry_after.is_some();
        // Recorded twice it counts once.
        for _ in 0..=self.dice.roll(2) {
            self.drive(std::slice::from_ref(&outcome), 0).await?;
        }
        if is_sure && let Some(fate) = self.fates.get_mut(&message.key.message_id) {
            fate.may_be_sent = false;
        }
        Ok(())
    }

    async fn receive_receipt(&mut self) -> Result<()> {
        let sent: Vec<Uuid> = self
            .fates
            .iter()
            .filter(|(_, fate)| fate.may_be_sent || fate.is_asked_again)
            .map(|(id, _)| *id)
            .collect();
        if sent.is_empty() {
            return Ok(());
        }
        let message_id = sent[self.dice.roll(sent.len())];
        let status = self.dice.one(&[
            ReceiptStatus::Accepted,
            ReceiptStatus::Delivered,
            ReceiptStatus::Undelivered,
            ReceiptStatus::Expired,
        ]);
        let receipt = NewReceipt {
            account_id: self.key.account_id,
            message_id,
            sender: SENDER.to_owned(),
            attempt: None,
            part: None,
            status,
            code: None,
        };
        self.survey.ledger.store.record_receipts(&[receipt]).await?;
        let messages = self.messages().await?;
        let reported = messages
            .iter()
            .find(|message| message.message_id == message_id);
        // What was skipped meanwhile stays so, and what failed is sent again as somebody asked for.
        if [ReceiptStatus::Accepted, ReceiptStatus::Delivered].contains(&status)
            && reported.is_some_and(|message| message.skipped_reason.is_none())
            && let Some(fate) = self.fates.get_mut(&message_id)
        {
            fate.may_be_sent = true;
        }
        Ok(())
    }

    /// A person asks to send again what may have been sent.
    async fn resend(&mut self) -> Result<()> {
        let messages = self.messages().await?;
        let store = &self.survey.ledger.store;
        let change = store
            .resend_messages(self.key, MessageStatus::Unknown)
            .await?;
        ensure!(matches!(change, CampaignChange::Done(_)), "{change:?}");
        for message in messages {
            if message.status == MessageStatus::Unknown
                && let Some(fate) = self.fates.get_mut(&message.message_id)
            {
                (fate.may_be_sent, fate.is_asked_again) = (false, true);
            }
        }
        Ok(())
    }

    /// The process that drives dies; another takes the lease.
    async fn take_over(&mut self) -> Result<()> {
        let store = self.survey.ledger.store.clone();
        store.release_lease(&self.lease).await?;
        let old = self.lease.clone();
        let lease = store
            .take_lease(SENDER, &mut Taker::new(Uuid::new_v4()))
            .await?;
        self.lease = lease.context("no lease")?;
        ensure!(self.lease.fence > old.fence, "{old:?}, {:?}", self.lease);
        let (abandoned, _) = store.claimed_under(&self.lease).await?;
        ensure!(abandoned.len() == self.in_hand.len(), "{abandoned:?}");
        let outcomes: Vec<_> = abandoned
            .into_iter()
            .map(|(claimed, _)| outcome(claimed, MessageStatus::Unknown))
            .collect();
        self.drive(&outcomes, 0).await?;
        self.in_hand.clear();
        let new = self.lease.clone();
        // The dead one wakes up. Where the database has lost commits both may have the same fence.
        for fence in [old.fence, new.fence] {
            self.lease = Lease {
                fence,
                ..old.clone()
            };
            let step = self.drive(&[], 3).await?;
            ensure!(matches!(step, DriveOutcome::LeaseLost), "{step:?}");
            ensure!(!store.renew_lease(&self.lease).await?, "{old:?}");
        }
        self.lease = new;
        Ok(())
    }

    async fn erase_or_opt_out(&mut self) -> Result<()> {
        let ledger = &self.survey.ledger;
        let account = self.key.account_id;
        if self.dice.roll(2) == 0 {
            let docid = self.dice.one(&DOCIDS);
            ledger.erase(docid).await?;
        } else {
            let phone = phone(u32::try_from(self.dice.roll(15)).unwrap_or(0));
            ledger
                .store
                .opt_out(account, &phone, "test", &ledger.pepper)
                .await?;
        }
        Ok(())
    }

    async fn act(&mut self, action: CampaignAction) -> Result<()> {
        let store = &self.survey.ledger.store;
        store.act_on_campaign(self.key, action).await?;
        Ok(())
    }

    /// Everything that must be so after each step.
    async fn check(&mut self) -> Result<()> {
        let messages = self.messages().await?;
        let named = messages.iter();
        let named = named.filter_map(|message| Some((message.message_id, message.docid.clone()?)));
        self.docids.extend(named);
        let store = &self.survey.ledger.store;
        let counts = store
            .campaign_counts(self.key.account_id, &[self.key.campaign_id])
            .await?;
        let counts = counts.into_iter().next().context("no counts")?;
        for (kind, mut counts) in [
            (MessageKind::First, counts.first),
            (MessageKind::Reminder, counts.reminder),
        ] {
            let there = messages.iter().filter(|message| message.kind == kind);
            let there = self.recount(there)?;
            counts.add(Count::Parts, -counts.get(Count::Parts));
            ensure!(
                counts == there,
                "{kind:?}: {counts:?} are told, {there:?} are there"
            );
        }
        let accepted = messages
            .iter()
            .filter(|message| message.kind != MessageKind::Test && message.accepted_at.is_some());
        let accepted: Vec<&Message> = accepted.collect();
        ensure!(
            accepted.iter().all(|message| message.status.is_accepted()),
            "{accepted:?}"
        );
        let mut drifts = store.check_campaign(self.key).await?;
        drifts.extend(store.check_contacts(self.key.account_id).await?);
        let (form, slices) = (self.survey.form, store.slices(self.survey.form).await?);
        drifts.extend(store.check_slice(form, &slices, Slice::Messages).await?);
        ensure!(drifts.is_empty(), "{drifts:?}");
        let is_delivered = |message: &&&Message| message.delivered_at.is_some();
        let is_answered = |message: &&&Message| message.answered_at.is_some();
        let wanted = [
            accepted.len(),
            accepted.iter().filter(is_delivered).count(),
            accepted.iter().filter(is_answered).count(),
            accepted
                .iter()
                .filter(is_delivered)
                .filter(is_answered)
                .count(),
        ];
        ensure!(self.reported().await? == wanted, "not {wanted:?}");
        Ok(())
    }

    /// What reports count of messages once all is rolled up.
    async fn reported(&self) -> Result<[usize; 4]> {
        self.survey.roll_up().await?;
        let rollup = self.survey.rollup(WHOLE).await?.days;
        let counts: DayCounts = rollup.iter().map(|(_, delta)| delta.counts).sum();
        let counts = [
            counts.sent,
            counts.delivered,
            counts.answered,
            counts.delivered_and_answered,
        ];
        Ok(counts.map(|count| usize::try_from(count).unwrap_or(usize::MAX)))
    }

    /// The counts of these messages, of which none may be wrong.
    fn recount<'a>(&self, messages: impl Iterator<Item = &'a Message>) -> Result<Counts> {
        let mut counted = Counts::default();
        let mut docids = BTreeSet::new();
        for message in messages {
            let docid = self.docids.get(&message.message_id);
            let docid = docid.context("a message of nobody")?;
            ensure!(docids.insert(docid), "two messages to {docid}");
            counted.add(Count::Recipients, 1);
            counted.add(Count::Viewed, message.viewed_at.is_some().into());
            counted.add(Count::Answered, message.answered_at.is_some().into());
            match message.skipped_reason {
                // There is no other campaign, so the account sent to nobody before.
                Some(SkipReason::ContactGap) => anyhow::bail!("skipped for itself: {message:?}"),
                Some(reason) => counted.add(Count::Skipped(reason), 1),
                None => counted.add(Count::Status(message.status), 1),
            }
            let handed_over = self.fates.get(&message.message_id);
            let waits = [
                MessageStatus::Scheduled,
                MessageStatus::Skipped,
                MessageStatus::Cancelled,
            ];
            if waits.contains(&message.status) {
                ensure!(
                    handed_over.is_none_or(|fate| !fate.may_be_sent),
                    "{message:?} forgets"
                );
            }
        }
        Ok(counted)
    }

    async fn messages(&self) -> Result<Vec<Message>> {
        let store = &self.survey.ledger.store;
        let mut messages = Vec::new();
        let mut before = None;
        loop {
            let page = store.campaign_messages(self.key, None, before, 5).await?;
            messages.extend(page.rows);
            before = page.next;
            if before.is_none() {
                return Ok(messages);
            }
        }
    }

    /// What is under way ends, or is cancelled; then the campaign does.
    async fn end(&mut self) -> Result<()> {
        self.act(CampaignAction::Resume).await?;
        // A reminder that waits keeps the campaign running.
        if self.reminds || self.dice.roll(2) == 0 {
            self.act(CampaignAction::Cancel).await?;
            self.check().await?;
            while self.survey.ledger.store.end_cancelled_messages().await? > 0 {}
            return self.check().await;
        }
        while !self.open.is_empty() {
            self.store_a_chunk().await?;
        }
        self.take_over().await?;
        loop {
            let drained = self.claim().await?;
            if drained && self.in_hand.is_empty() {
                break;
            }
            while !self.in_hand.is_empty() {
                self.record().await?;
            }
        }
        self.act(CampaignAction::Finish).await?;
        let store = &self.survey.ledger.store;
        store.finish_campaigns().await?;
        let campaign = store.campaign(self.key).await?.context("no campaign")?;
        ensure!(
            campaign.status == CampaignStatus::Finished,
            "{:?}",
            campaign.status
        );
        self.check().await
    }
}

async fn tell(seed: u64) -> Result<()> {
    let mut story = Story::begin(seed).await?;
    for step in 0..STEPS {
        let told = async {
            story.step().await?;
            story.check().await
        };
        told.await
            .with_context(|| format!("seed {seed}, step {step}"))?;
    }
    story
        .end()
        .await
        .with_context(|| format!("seed {seed}, the end"))
}

#[tokio::test]
async fn nothing_is_sent_twice_and_all_is_counted_in_any_order() -> Result<()> {
    let given = std::env::var("FEEDBACK_SEED").ok();
    let given = given.and_then(|text| text.parse().ok());
    let seeds = given.map_or(1..=6, |seed: u64| seed..=seed);
    for seed in seeds {
        tell(seed).await?;
    }
    Ok(())
}

#[tokio::test]
async fn an_import_of_before_an_erasure_sends_nothing_to_who_came_back_since() -> Result<()> {
    let mut story = Story::begin(1).await?;
    let ledger = &mut story.survey.ledger;
    let before = ledger.post(&[&[("a", 1), ("b", 2)]]).await?;
    ledger.erase("a").await?;
    let campaign = ledger.campaign_id.take();
    let back = ledger.post(&[&[("a", 3)]]).await?;
    ledger.campaign_id = campaign;
    ledger.step(ledger.chunk(&back, 0)).await?;
    ledger.step(ledger.chunk(&before, 0)).await?;
    assert_eq!(ledger.value("a").await?, Some(3));
    story.claim().await?;
    story.claim().await?;
    let phones = |story: &Story| -> Vec<String> {
        let claimed = story.in_hand.iter();
        claimed.map(|claimed| claimed.phone.clone()).collect()
    };
    assert_eq!(phones(&story), [phone(2)]);
    // An import of later is for its campaign.
    let ledger = &story.survey.ledger;
    let again = ledger.post(&[&[("a", 3)]]).await?;
    ledger.step(ledger.chunk(&again, 0)).await?;
    story.claim().await?;
    assert_eq!(phones(&story), [phone(2), phone(3)]);
    Ok(())
}

#[tokio::test]
async fn who_opted_out_under_an_older_pepper_still_gets_nothing() -> Result<()> {
    let mut story = Story::begin(1).await?;
    let ledger = &mut story.survey.ledger;
    let account = story.key.account_id;
    ledger
        .store
        .opt_out(account, &phone(3), "test", &ledger.pepper)
        .await?;
    let old = "7".repeat(64);
    let pepper = Pepper::parse(&format!("{} {old}", "8".repeat(64)));
    ledger.pepper = pepper.map_err(anyhow::Error::msg)?;
    let received = ledger.post(&[&[("a", 3), ("b", 4)]]).await?;
    ledger.step(ledger.chunk(&received, 0)).await?;
    story.claim().await?;
    story.claim().await?;
    story.check().await?;
    let messages = story.messages().await?;
    let of = |docid: &str| {
        messages
            .iter()
            .find(|message| message.docid.as_deref() == Some(docid))
    };
    let reason = of("a").and_then(|message| message.skipped_reason);
    ensure!(reason == Some(SkipReason::OptedOut), "{messages:?}");
    let status = of("b").map(|message| message.status);
    ensure!(status == Some(MessageStatus::Sending), "{messages:?}");
    Ok(())
}
