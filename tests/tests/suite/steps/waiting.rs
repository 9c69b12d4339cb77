//! A campaign whose messages wait, and a receipt that comes while one of them is claimed.

use anyhow::{Context, Result, ensure};
use domain::campaign::{CampaignAction, Message};
use store::send::{CampaignChange, CampaignKey};
use uuid::Uuid;

use super::fixture::Row;
use super::sending::content;
use super::survey::Survey;

/// A running campaign, and a message that waits for each of a few people.
pub(super) struct Waiting {
    pub(super) survey: Survey,
    pub(super) key: CampaignKey,
}

impl Waiting {
    pub(super) async fn begin(rows: &[Row]) -> Result<Self> {
        let mut survey = Survey::open().await?;
        let (store, account_id) = (survey.ledger.store.clone(), survey.form.account_id);
        let content = content(survey.form.form_id, false)?;
        let made = store.create_campaign(account_id, &content).await?;
        let key = CampaignKey::new(account_id, made.campaign_id);
        let started = store.act_on_campaign(key, CampaignAction::Start).await?;
        ensure!(matches!(started, CampaignChange::Done(_)), "{started:?}");
        survey.ledger.campaign_id = Some(key.campaign_id);
        let batch = survey.ledger.post(&[rows]).await?;
        let chunk = survey.ledger.chunk(&batch, 0);
        survey.ledger.step(chunk).await?;
        Ok(Self { survey, key })
    }

    pub(super) async fn message(&self, message_id: Uuid) -> Result<Message> {
        let mut messages = self.messages().await?.into_iter();
        let message = messages.find(|message| message.message_id == message_id);
        message.context("no such message")
    }

    /// The message to somebody.
    pub(super) async fn id_of(&self, docid: &str) -> Result<Uuid> {
        let messages = self.messages().await?;
        let of = |message: &&Message| message.docid.as_deref() == Some(docid);
        let message = messages.iter().find(of);
        Ok(message.context("no message")?.message_id)
    }

    async fn messages(&self) -> Result<Vec<Message>> {
        let store = &self.survey.ledger.store;
        let page = store.campaign_messages(self.key, None, None, 50).await?;
        Ok(page.rows)
    }
}

mod servers_only {
    use std::sync::atomic::AtomicU16;

    use domain::campaign::{MessageStatus, ReceiptStatus};
    use domain::rollup::DayCounts;
    use store::report::{Slice, WHOLE};
    use store::send::drive::{DriveOutcome, Driver, Wanted};
    use store::send::lease::Taker;
    use store::send::receipt::NewReceipt;
    use tests::wait::{SOON, eventually};

    use super::*;
    use crate::steps::fixture::Ledger;
    use crate::steps::sending::SENDER;

    /// Whoever claims waits for it when all is written but the counts.
    const HOLD: &str = "LOCK TABLE campaign_delta IN EXCLUSIVE MODE; SELECT pg_sleep(600)";
    const HOLDING: &str = "datname = current_database() AND wait_event = 'PgSleep'";
    const WAITING: &str = "datname = current_database() AND wait_event_type = 'Lock'";

    /// Waits until so many sessions of the database are in a state.
    async fn until(ledger: &Ledger, sessions: usize, state: &str) -> Result<()> {
        let count = format!("SELECT count(*) FROM pg_stat_activity WHERE {state}");
        eventually(SOON, async || {
            let found = ledger.sql(&count).await?;
            ensure!(found == sessions.to_string(), "{found} have {state}");
            Ok(())
        })
        .await
    }

    /// After a failover that lost commits a message that was handed over waits again, and its receipt is still to come.
    #[tokio::test]
    async fn a_receipt_that_comes_while_its_message_is_claimed_again_is_reported() -> Result<()> {
        let waiting = Waiting::begin(&[("a", 1)]).await?;
        let (ledger, form) = (&waiting.survey.ledger, waiting.survey.form);
        let store = &ledger.store;
        let message_id = waiting.id_of("a").await?;
        let mut taker = Taker::new(Uuid::new_v4());
        let lease = store.take_lease(SENDER, &mut taker).await?;
        let lease = lease.context("no lease")?;
        let claim = async {
            until(ledger, 1, HOLDING).await?;
            let driver = Driver {
                lease: &lease,
                pepper: &ledger.pepper,
                countries: None,
                types: None,
                link_prefix: "https://feedback.example/f/",
                keeps_ids: true,
                numbers: &AtomicU16::new(0),
                has_receipts: true,
                parts_per_day: None,
                prices: None,
            };
            let wanted = Wanted {
                campaign: waiting.key,
                messages: 1,
            };
            anyhow::Ok(store.drive(&driver, &[], &[wanted]).await?)
        };
        let receive = async {
            until(ledger, 1, WAITING).await?;
            let receipt = NewReceipt {
                account_id: waiting.key.account_id,
                message_id,
                sender: SENDER.to_owned(),
                attempt: None,
                part: None,
                status: ReceiptStatus::Accepted,
                code: None,
            };
            anyhow::Ok(store.record_receipts(&[receipt]).await?)
        };
        let release = async {
            until(ledger, 2, WAITING).await?;
            let end = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE";
            ledger.sql(&format!("{end} {HOLDING}")).await
        };
        let both = async { tokio::try_join!(claim, receive, release) };
        let (_, both) = tokio::join!(ledger.sql(HOLD), both);
        let (step, (), _) = both?;
        ensure!(
            matches!(&step, DriveOutcome::Done { claimed, .. } if claimed.len() == 1),
            "{step:?}"
        );
        let message = waiting.message(message_id).await?;
        ensure!(message.status == MessageStatus::Accepted, "{message:?}");
        waiting.survey.roll_up().await?;
        let rollup = waiting.survey.rollup(WHOLE).await?.days;
        let counts: DayCounts = rollup.iter().map(|(_, delta)| delta.counts).sum();
        ensure!(counts.sent == 1, "{counts:?}");
        let mut drifts = store.check_campaign(waiting.key).await?;
        let slices = store.slices(form).await?;
        drifts.extend(store.check_slice(form, &slices, Slice::Messages).await?);
        ensure!(drifts.is_empty(), "{drifts:?}");
        Ok(())
    }
}
