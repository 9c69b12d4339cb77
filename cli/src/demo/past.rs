//! 120 days of the demo: a rhythm by week, one store that slides, and some bad days.

use std::str::FromStr;

use anyhow::Context;
use chrono::{DateTime, Datelike, NaiveTime, TimeDelta, TimeZone, Utc, Weekday};
use domain::answer::Answers;
use domain::form::{AnswerShape, FieldType, FormContent};
use domain::link::{BusPropIds, TrackFields};
use domain::pepper::Pepper;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use serde_json::{Map, Value, json};
use store::Store;
use store::account::PageBranding;
use store::collect::{NewAnswer, NewView};
use store::form::{FormKey, PublicLink};
use store::report::ScanScope;
use store::send::PastMessage;
use uuid::{NoContext, Timestamp, Uuid};

use super::TIME_ZONE;
use super::company::{SENDER, SLIDES, STORES, Survey};

/// Rows of a transaction.
const ROWS: usize = 500;
/// The same company each time.
const SEED: u64 = 20_261_123;
/// The days, counted back, on which a new coffee machine did not work.
const BAD_DAYS: std::ops::RangeInclusive<i64> = 11..=16;
/// For so many days a store slides.
const SLIDE_DAYS: i64 = 45;

const COMMENTS: &str = include_str!("comments.tsv");
pub(super) const NAMES: [&str; 16] = [
    "Anna", "Ben", "Clara", "David", "Emma", "Felix", "Grace", "Hugo", "Ida", "Jonas", "Lea",
    "Mila", "Noah", "Olivia", "Paul", "Zoé",
];

/// What became of one message.
struct Story {
    message: PastMessage,
    viewed_at: Option<DateTime<Utc>>,
    answers: Option<(DateTime<Utc>, Value)>,
}

pub(super) async fn make(store: &Store, surveys: &[Survey], pepper: &Pepper) -> anyhow::Result<()> {
    let mut rng = StdRng::seed_from_u64(SEED);
    let mut number = 0;
    for survey in surveys {
        let form = FormKey::new(survey.campaign.account_id, survey.form.form_id);
        for back in (survey.days.1..=survey.days.0).rev() {
            let stories = day(survey, back, &mut number, &mut rng)?;
            for stories in stories.chunks(ROWS) {
                keep(store, survey, stories, pepper).await?;
            }
        }
        while worker::roll_up::run(store, form, ScanScope::All)
            .await?
            .rows
            > 0
        {}
        store.roll_up_campaign_counts().await?;
    }
    Ok(())
}

async fn keep(
    store: &Store,
    survey: &Survey,
    stories: &[Story],
    pepper: &Pepper,
) -> anyhow::Result<()> {
    let messages: Vec<_> = stories.iter().map(|story| story.message.clone()).collect();
    store
        .add_past_messages(survey.campaign, SENDER, &messages, pepper)
        .await?;
    let (mut views, mut answers) = (Vec::new(), Vec::new());
    for story in stories {
        let (link, visit) = (&story.message.link, Uuid::new_v4());
        views.extend(story.viewed_at.map(|at| NewView::new(link, visit, at)));
        if let Some((at, given)) = &story.answers {
            let given = Answers::from_json(&link.content, given);
            let given = given.map_err(|wrong| anyhow::anyhow!("{wrong:?}"))?;
            answers.push(NewAnswer::new(link, visit, *at, &given));
        }
    }
    store.record_views(&views).await?;
    store.record_answers(&answers).await?;
    Ok(())
}

/// The messages of a day, so many days ago.
fn day(
    survey: &Survey,
    back: i64,
    number: &mut u32,
    rng: &mut StdRng,
) -> anyhow::Result<Vec<Story>> {
    let now = Utc::now();
    let date = (now - TimeDelta::days(back))
        .with_timezone(&TIME_ZONE)
        .date_naive();
    // In tenths of an ordinary day.
    let busy = match date.weekday() {
        Weekday::Sat => 15,
        Weekday::Sun => 12,
        Weekday::Mon => 7,
        _ => 10,
    };
    let mut stories = Vec::new();
    for (place, (store, language)) in STORES.iter().enumerate() {
        // Some stores are larger.
        let tenths = survey.a_day * busy * (5 + place % 7) / 96;
        let count = tenths / 10 + usize::from(rng.random_range(0..10) < tenths % 10);
        for _ in 0..count {
            let minute = rng.random_range(9 * 60..20 * 60);
            let second = minute * 60 + rng.random_range(0..60);
            let time = NaiveTime::from_num_seconds_from_midnight_opt(second, 0);
            let local = date.and_time(time.context("no such time")?);
            let sent_at = TIME_ZONE
                .from_local_datetime(&local)
                .earliest()
                .context("no such time")?;
            let sent_at = sent_at.with_timezone(&Utc);
            if sent_at < now - TimeDelta::minutes(5) {
                *number += 1;
                let story = story(survey, (store, language), back, sent_at, *number, rng);
                stories.push(story?);
            }
        }
    }
    Ok(stories)
}

fn story(
    survey: &Survey,
    (place, language): (&str, &str),
    back: i64,
    sent_at: DateTime<Utc>,
    number: u32,
    rng: &mut StdRng,
) -> anyhow::Result<Story> {
    let form = &survey.form;
    let name = NAMES.choose(rng).copied().unwrap_or_default();
    let docid = format!("order-{number:06}");
    let mut track_fields = TrackFields::default();
    for field in [
        format!("docid={docid}"),
        format!("store={place}"),
        format!("first_name={name}"),
    ] {
        track_fields
            .push(&field)
            .map_err(|wrong| anyhow::anyhow!("{wrong:?}"))?;
    }
    let entry = form.content.bus_prop_by_text(&format!("store:{place}"));
    let ids = entry.map_or_else(String::new, |entry| entry.id.to_string());
    let seconds = u64::try_from(sent_at.timestamp())?;
    let link = PublicLink {
        account_id: survey.campaign.account_id,
        time_zone: TIME_ZONE,
        link_id: Uuid::new_v7(Timestamp::from_unix(
            NoContext,
            seconds,
            rng.random_range(0..1_000_000_000),
        )),
        form_id: form.form_id,
        status: form.status,
        content: form.content.clone(),
        updated_at: form.updated_at,
        bus_prop_ids: BusPropIds::from_str(&ids)?,
        track_fields,
        expires_at: Some(sent_at + TimeDelta::days(60)),
        max_responses: Some(1),
        kiosk: false,
        used: 0,
        deleted_at: None,
        is_of_message: true,
        is_test: false,
        look: PageBranding::default(),
    };
    let delivered = rng.random_bool(0.97);
    let viewed_at = (delivered && rng.random_bool(0.52))
        .then(|| sent_at + TimeDelta::minutes(rng.random_range(1..240)));
    let viewed_at = viewed_at.filter(|at| *at < Utc::now());
    let answered = viewed_at.filter(|_| rng.random_bool(0.66));
    let mood = mood(place, back, rng);
    Ok(Story {
        message: PastMessage {
            docid,
            phone: format!("+49151{:08}", 10_000_000 + number),
            fields: json!({"store": place, "first_name": name}).to_string(),
            sent_at,
            delivered,
            link,
        },
        viewed_at,
        answers: answered.map(|at| (at, answers(&form.content, mood, language, rng))),
    })
}

/// From 0 (angry) to 100 (delighted).
pub(super) fn mood(place: &str, back: i64, rng: &mut impl Rng) -> i64 {
    let slide = if place == SLIDES {
        30 * (SLIDE_DAYS - back).max(0) / SLIDE_DAYS
    } else {
        0
    };
    let bad = if BAD_DAYS.contains(&back) { 14 } else { 0 };
    // Most are content, some are not at all.
    let drawn = (0..3).map(|_| rng.random_range(0..=100)).max();
    (drawn.unwrap_or_default() - slide - bad).max(0)
}

/// What somebody in this mood answers.
fn answers(form: &FormContent, mood: i64, language: &str, rng: &mut StdRng) -> Value {
    let mut given = Map::new();
    let grade = |lowest: i64, highest: i64| json!(grade(mood, lowest, highest));
    for field in form.page_fields() {
        let value = match field.kind.shape() {
            AnswerShape::Grade(grades) => {
                let given = field.required || rng.random_bool(0.85);
                given.then(|| grade(grades.lowest.into(), grades.highest.into()))
            }
            AnswerShape::One(options) => {
                // Late is what the unhappy say.
                let place = if mood < 40 {
                    2
                } else {
                    usize::from(rng.random_bool(0.8))
                };
                options.get(place).map(|option| json!(option.value))
            }
            AnswerShape::Many(options) => {
                let liked = options
                    .iter()
                    .filter(|_| rng.random_range(0..100) < 20 + mood / 2);
                let liked: Vec<_> = liked.map(|option| json!(option.value)).collect();
                (!liked.is_empty()).then_some(Value::Array(liked))
            }
            AnswerShape::Text { .. } => {
                let given = field.kind.field_type() == FieldType::Comment && rng.random_bool(0.35);
                given.then(|| comment(mood, language, rng)).flatten()
            }
        };
        given.extend(value.map(|value| (field.key.as_str().to_owned(), value)));
    }
    Value::Object(given)
}

/// The grade from a lowest to a highest one that somebody in this mood gives.
pub(super) fn grade(mood: i64, lowest: i64, highest: i64) -> i64 {
    (lowest + (mood * (highest - lowest) + 80) / 100).min(highest)
}

/// What somebody in this mood writes.
pub(super) fn comment(mood: i64, language: &str, rng: &mut impl Rng) -> Option<Value> {
    let tone = match mood {
        mood if mood < 55 => "bad",
        mood if mood < 80 => "fair",
        _ => "good",
    };
    let comments = COMMENTS.lines().filter_map(|line| {
        let (head, text) = line.rsplit_once('\t')?;
        (head.split_once('\t') == Some((language, tone))).then_some(text)
    });
    let comments: Vec<&str> = comments.collect();
    comments.choose(rng).map(|text| json!(text))
}
