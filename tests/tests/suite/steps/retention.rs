//! What accounts keep no longer: the rows of sealed days go, what was counted of them stays, and nobody counts them anew or is asked
//! twice.

use anyhow::{Context, Result, ensure};
use chrono::TimeDelta;
use domain::campaign::{CampaignAction, CampaignStatus, Count, MessageStatus};
use domain::link::TrackFields;
use domain::retention::Retention;
use domain::scope::Scopes;
use serde_json::json;
use store::Error;
use store::form::PublicLink;
use store::report::WHOLE;
use store::retention::{Seals, WouldGo};
use store::send::{CampaignChange, CampaignKey, PastMessage};
use uuid::Uuid;

use super::fixture::phone;
use super::lists::{pages, query};
use super::rebuilding::{check, rebuild, spoil};
use super::sending::{SENDER, content};
use super::survey::{Survey, stored};

/// Lets go of all that is to go, as if a day had passed since that was set. Whoever is killed after any of its steps leaves nothing that does
/// not stand.
async fn let_go(survey: &Survey) -> Result<()> {
    let holds = "UPDATE retention SET holds_from = NULL";
    survey.ledger.damage(holds, survey.form.account_id).await?;
    while survey.ledger.store.let_go().await? {
        stands(survey).await?;
    }
    Ok(())
}

/// Whether all that can be counted is what is stored, and stays so when it is counted anew.
async fn stands(survey: &Survey) -> Result<()> {
    let store = &survey.ledger.store;
    for _ in 0..2 {
        assert_eq!(check(survey).await?, []);
        assert_eq!(store.check_links(survey.form).await?, []);
        assert_eq!(store.check_contacts(survey.form.account_id).await?, []);
        for key in store.all_campaigns().await? {
            assert_eq!(store.check_campaign(key).await?, []);
            ensure!(!store.rebuild_campaign(key).await?);
        }
        assert_eq!(rebuild(survey).await?, 0);
        ensure!(!store.rebuild_links(survey.form).await?);
    }
    Ok(())
}

#[tokio::test]
async fn what_was_counted_of_sealed_days_stays_and_its_rows_go() -> Result<()> {
    let survey = Survey::open().await?;
    let (store, account) = (&survey.ledger.store, survey.form.account_id);
    let sent = survey.send("1_2").await?;
    let given = json!({"nps": 9, "mood": 5, "why": "Good."});
    let visits = [0, -1, -39, -40].map(|days| (Uuid::new_v4(), days));
    let answers = visits.map(|(visit, days)| survey.answer(&sent, visit, days, &given));
    let recorded = survey.record(&answers).await?;
    let view = survey.view(&sent, Uuid::new_v4(), -38);
    store.record_views(&[view]).await?;
    survey.roll_up().await?;
    let counts = [
        survey.rollup(WHOLE).await?.days,
        survey.rollup(1).await?.days,
    ];
    let retention = Retention {
        answers_days: Some(30),
        visits_days: Some(30),
        ..Retention::default()
    };
    let zone = sent.link.time_zone;
    let would_go = WouldGo {
        answers: 2,
        visits: 3,
        ..WouldGo::default()
    };
    assert_eq!(store.would_go(account, zone, &retention).await?, would_go);
    store.set_retention(account, &retention).await?;
    ensure!(!store.let_go().await?, "it can be taken back for a day");
    ensure!(store.retention(account).await?.holds_from.is_some());
    let_go(&survey).await?;
    let kept = store.retention(account).await?;
    let seals = kept.sealed;
    assert_eq!((kept.retention, seals.messages), (retention, None));
    ensure!(seals.answers == seals.visits && seals.answers.is_some());
    assert_eq!(
        store.would_go(account, zone, &retention).await?,
        WouldGo::default()
    );
    let (total, left) = pages(&survey, &query(&survey)?, 10).await?;
    assert_eq!((total, left.len()), (4, 2));
    stands(&survey).await?;
    let after = [
        survey.rollup(WHOLE).await?.days,
        survey.rollup(1).await?.days,
    ];
    assert_eq!(after, counts);
    let link = survey.read_link(&sent).await?;
    assert_eq!((link.views, link.responses), (5, 4));
    // Its visit is known for ever.
    let again = survey.answer(&sent, visits[3].0, 0, &given);
    let again = survey.record(&[again]).await?;
    assert_eq!(
        again,
        [store::collect::Recorded::Repeated(stored(recorded[3]))]
    );
    // A fault of today is found, and mended.
    spoil(&survey, "2").await?;
    ensure!(!check(&survey).await?.is_empty());
    survey.roll_up().await?;
    assert_eq!(rebuild(&survey).await?, 1);
    ensure!(store.rebuild_links(survey.form).await?);
    // Kept for longer, nothing comes back.
    store.set_retention(account, &Retention::default()).await?;
    let_go(&survey).await?;
    assert_eq!(store.retention(account).await?.sealed, seals);
    stands(&survey).await
}

#[tokio::test]
async fn by_a_clock_that_was_ahead_nothing_goes_later_that_is_to_be_kept() -> Result<()> {
    let survey = Survey::open().await?;
    let (store, account) = (&survey.ledger.store, survey.form.account_id);
    let sent = survey.send("1").await?;
    let days = [0, -10, -39];
    let answers = days.map(|days| survey.answer(&sent, Uuid::new_v4(), days, &json!({"nps": 9})));
    survey.record(&answers).await?;
    survey.roll_up().await?;
    let ahead = "UPDATE retention SET holds_from = NULL, answers_sealed = '2999-01-01'";
    // Kept for ever by now, what the clock sealed still goes, but for the least that can be kept.
    for (answers_days, kept) in [(Some(30), 2), (None, 1)] {
        let retention = Retention {
            answers_days,
            ..Retention::default()
        };
        store.set_retention(account, &retention).await?;
        survey.ledger.damage(ahead, account).await?;
        let_go(&survey).await?;
        let (_, left) = pages(&survey, &query(&survey)?, 10).await?;
        assert_eq!(left.len(), kept);
    }
    Ok(())
}

/// A campaign that began 40 days before noon and asked these then.
async fn past(survey: &Survey, status: CampaignStatus, docids: &[&str]) -> Result<CampaignKey> {
    let (store, account) = (&survey.ledger.store, survey.form.account_id);
    let made = content(survey.form.form_id, false)?;
    let made = store.create_campaign(account, &made).await?;
    let key = CampaignKey::new(account, made.campaign_id);
    let at = survey.noon - TimeDelta::days(40);
    let ended = (status == CampaignStatus::Finished).then_some(at);
    store.backdate_campaign(key, status, at, ended).await?;
    let (sent, mut messages) = (survey.send("1").await?, Vec::new());
    for (docid, number) in docids.iter().zip(1..) {
        let mut track_fields = TrackFields::default();
        track_fields.push(&format!("docid={docid}"))?;
        let link = PublicLink {
            link_id: Uuid::now_v7(),
            track_fields,
            max_responses: Some(1),
            is_of_message: true,
            ..sent.link.clone()
        };
        messages.push(PastMessage {
            link,
            docid: (*docid).to_owned(),
            phone: phone(number),
            fields: "{}".to_owned(),
            sent_at: at,
            delivered: true,
        });
    }
    let pepper = &survey.ledger.pepper;
    store
        .add_past_messages(key, SENDER, &messages, pepper)
        .await?;
    // The first answers.
    let first = super::survey::Sent {
        token: sent.token,
        link: messages.swap_remove(0).link,
    };
    let answer = survey.answer(&first, Uuid::new_v4(), -40, &json!({"nps": 9}));
    stored(survey.record(&[answer]).await?[0]);
    Ok(key)
}

#[tokio::test]
async fn of_campaigns_that_are_over_the_messages_go_and_nobody_is_asked_again() -> Result<()> {
    let survey = Survey::open().await?;
    let (store, account) = (&survey.ledger.store, survey.form.account_id);
    let over = past(&survey, CampaignStatus::Finished, &["a", "b"]).await?;
    let running = past(&survey, CampaignStatus::Running, &["c", "d"]).await?;
    survey.roll_up().await?;
    let counts = survey.rollup(WHOLE).await?.days;
    let retention = Retention {
        messages_days: Some(30),
        ..Retention::default()
    };
    let zone = chrono_tz::Tz::Pacific__Kiritimati;
    let would_go = store.would_go(account, zone, &retention).await?;
    assert_eq!((would_go.messages, would_go.answers), (2, 0));
    store.set_retention(account, &retention).await?;
    let_go(&survey).await?;
    for (key, left) in [(over, 0), (running, 2)] {
        let messages = store.campaign_messages(key, None, None, 10).await?;
        assert_eq!(messages.rows.len(), left);
        let counted = store.campaign_counts(account, &[key.campaign_id]).await?;
        assert_eq!(counted[0].first.get(Count::Recipients), 2);
    }
    assert_eq!(survey.rollup(WHOLE).await?.days, counts);
    stands(&survey).await?;
    let again = store
        .resend_messages(over, MessageStatus::Undelivered)
        .await?;
    ensure!(matches!(again, CampaignChange::Refused(_)), "{again:?}");
    let again = store.act_on_campaign(over, CampaignAction::Resume).await?;
    ensure!(matches!(again, CampaignChange::Refused(_)), "{again:?}");
    // The answer still has its person, whom an erasure finds.
    let named = async || {
        let mut query = query(&survey)?;
        query.track_fields.push("docid=a")?;
        anyhow::Ok(pages(&survey, &query, 10).await?.1.len())
    };
    assert_eq!(named().await?, 1);
    survey.ledger.erase("a").await?;
    assert_eq!(named().await?, 0);
    stands(&survey).await
}

#[tokio::test]
async fn no_more_messages_outlives_the_message_until_the_person_is_erased() -> Result<()> {
    let survey = Survey::open().await?;
    let (store, account) = (&survey.ledger.store, survey.form.account_id);
    let key = past(&survey, CampaignStatus::Finished, &["a", "b"]).await?;
    let messages = store.campaign_messages(key, None, None, 10).await?.rows;
    let link_of = |docid: &str| {
        let mut messages = messages.iter();
        let found = messages.find(|message| message.docid.as_deref() == Some(docid));
        found
            .map(|message| message.message_id)
            .context("no message")
    };
    let retention = Retention {
        messages_days: Some(30),
        ..Retention::default()
    };
    store.set_retention(account, &retention).await?;
    let_go(&survey).await?;
    ensure!(
        store
            .campaign_messages(key, None, None, 10)
            .await?
            .rows
            .is_empty()
    );
    // One link has an answer and stays, the other one ends.
    for (docid, number) in [("a", 1), ("b", 2)] {
        let link = link_of(docid)?;
        ensure!(
            store.opt_out_by_message(account, link, "page").await?,
            "{docid}"
        );
        let pepper = &survey.ledger.pepper;
        let since = store.suppression(account, &phone(number), pepper).await?;
        ensure!(since.is_some_and(|(_, source)| source == "page"));
        survey.ledger.erase(docid).await?;
        ensure!(!store.opt_out_by_message(account, link, "page").await?);
        let since = store.suppression(account, &phone(number), pepper).await?;
        ensure!(since.is_some(), "what {docid} said is forgotten");
    }
    stands(&survey).await
}

#[tokio::test]
async fn of_a_message_to_no_recipient_no_phone_stays() -> Result<()> {
    let survey = Survey::open().await?;
    let (store, account) = (&survey.ledger.store, survey.form.account_id);
    let key = past(&survey, CampaignStatus::Finished, &["a", "b"]).await?;
    let of_nobody = "UPDATE message SET docid = '' WHERE docid = 'b'";
    survey.ledger.damage(of_nobody, account).await?;
    let messages = store.campaign_messages(key, None, None, 10).await?.rows;
    let retention = Retention {
        messages_days: Some(30),
        ..Retention::default()
    };
    store.set_retention(account, &retention).await?;
    let_go(&survey).await?;
    for message in messages {
        let link = message.message_id;
        let has_phone = store.opt_out_by_message(account, link, "page").await?;
        assert_eq!(has_phone, message.docid.as_deref() == Some("a"));
    }
    Ok(())
}

#[tokio::test]
async fn an_erasure_after_retention_finds_the_phone_that_a_reminder_went_to() -> Result<()> {
    let survey = Survey::open().await?;
    let (store, account) = (&survey.ledger.store, survey.form.account_id);
    past(&survey, CampaignStatus::Finished, &["a", "b"]).await?;
    let retention = Retention {
        messages_days: Some(30),
        ..Retention::default()
    };
    store.set_retention(account, &retention).await?;
    let_go(&survey).await?;
    // As if the first message had gone to another phone.
    let other = "UPDATE link SET phone_mac = NULL";
    survey.ledger.damage(other, account).await?;
    let pepper = &survey.ledger.pepper;
    store.opt_out(account, &phone(1), "page", pepper).await?;
    let whose = async || {
        let list = store.suppressed(account, None, 10).await?;
        anyhow::Ok(
            list.rows
                .into_iter()
                .map(|row| row.docid)
                .collect::<Vec<_>>(),
        )
    };
    assert_eq!(whose().await?, [Some("a".to_owned())]);
    survey.ledger.erase("a").await?;
    // Imported again, they have another phone.
    let batch = survey.ledger.post(&[&[("a", 9)]]).await?;
    survey.ledger.step(survey.ledger.chunk(&batch, 0)).await?;
    assert_eq!(whose().await?, [None]);
    Ok(())
}

#[tokio::test]
async fn an_answer_of_a_later_day_stays_and_what_is_broken_of_one_account_holds_up_no_other()
-> Result<()> {
    let survey = Survey::open().await?;
    let (store, account) = (&survey.ledger.store, survey.form.account_id);
    let sent = survey.send("1").await?;
    let given = json!({"nps": 9});
    let answers = [-39, -40].map(|days| survey.answer(&sent, Uuid::new_v4(), days, &given));
    let recorded = survey.record(&answers).await?;
    survey.roll_up().await?;
    // As if the time zone had been another then.
    let day = survey.day(0);
    let later = format!("UPDATE feedback SET day = '{day}' WHERE feedback_id = {{id}}");
    survey.ledger.damage(&later, stored(recorded[0])).await?;
    let retention = Retention {
        answers_days: Some(30),
        ..Retention::default()
    };
    let other = store
        .create_key("other", None, Scopes::ALL)
        .await?
        .account_id;
    for account_id in [account, other] {
        store.set_retention(account_id, &retention).await?;
    }
    let broken = "UPDATE retention SET answers_days = 99999 WHERE account_id = {id}";
    survey.ledger.damage(broken, other).await?;
    let holds = "UPDATE retention SET holds_from = NULL";
    survey.ledger.damage(holds, account).await?;
    while let Ok(true) = store.let_go().await {}
    ensure!(store.let_go().await.is_err());
    // Lists leave out what is sealed, and what is not of the day of its id.
    let open = "UPDATE retention SET answers_sealed = NULL";
    survey.ledger.damage(open, account).await?;
    let day = survey.day(-39);
    let back = format!("UPDATE feedback SET day = '{day}' WHERE feedback_id = {{id}}");
    survey.ledger.damage(&back, stored(recorded[0])).await?;
    let (_, left) = pages(&survey, &query(&survey)?, 10).await?;
    assert_eq!(left.len(), 1);
    Ok(())
}

#[tokio::test]
async fn beside_older_programs_nothing_goes() -> Result<()> {
    let survey = Survey::open().await?;
    let (store, account) = (&survey.ledger.store, survey.form.account_id);
    let key = past(&survey, CampaignStatus::Finished, &["a", "b"]).await?;
    let retention = Retention {
        messages_days: Some(30),
        ..Retention::default()
    };
    store.set_retention(account, &retention).await?;
    let older = "UPDATE schema_version SET version = 26";
    survey.ledger.damage(older, account).await?;
    let_go(&survey).await?;
    assert_eq!(
        store
            .campaign_messages(key, None, None, 10)
            .await?
            .rows
            .len(),
        2
    );
    assert_eq!(store.retention(account).await?.sealed, Seals::default());
    let refused = store.set_retention(account, &retention).await;
    ensure!(
        matches!(refused, Err(Error::UpgradeUnfinished)),
        "{refused:?}"
    );
    Ok(())
}
