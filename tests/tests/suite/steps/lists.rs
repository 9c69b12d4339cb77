//! Lists of feedbacks: they have what their filter says, their total is their length, and they are as of the last change.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use chrono::NaiveDate;
use chrono_tz::Tz;
use domain::date_range::day_of;
use domain::link::TrackFields;
use serde_json::json;
use store::PAGE_BYTES;
use store::report::{
    AnswerFilter, FeedbackPage, FeedbackQuery, FeedbackRow, ListPosition, ReadSize,
};
use uuid::Uuid;

use super::reports::range;
use super::survey::{Survey, stored};

pub(super) fn query(survey: &Survey) -> Result<FeedbackQuery> {
    Ok(FeedbackQuery {
        form: survey.form,
        range: range(survey)?,
        time_zone: Tz::Pacific__Kiritimati,
        bus_prop_id: None,
        comments_only: false,
        track_fields: TrackFields::default(),
        answers: AnswerFilter::default(),
    })
}

/// All pages of `rows` each; every page has the same total.
pub(super) async fn pages(
    survey: &Survey,
    query: &FeedbackQuery,
    rows: usize,
) -> Result<(i64, Vec<Uuid>)> {
    let (mut ids, mut before) = (Vec::new(), None);
    loop {
        let store = &survey.ledger.store;
        let FeedbackPage { page, total, .. } = store.feedback_page(query, before, rows).await?;
        assert!(page.rows.len() == rows || page.next.is_none());
        ids.extend(page.rows.iter().map(|row| row.feedback_id));
        before = page.next;
        if before.is_none() {
            return Ok((total, ids));
        }
    }
}

fn stride(rows: usize, among: usize) -> ReadSize {
    ReadSize {
        rows,
        among,
        bytes: PAGE_BYTES,
    }
}

/// The same as [`pages`], as a stream reads it.
async fn parts(survey: &Survey, query: &FeedbackQuery, stride: ReadSize) -> Result<Vec<Uuid>> {
    let (mut ids, mut place) = (Vec::new(), ListPosition::default());
    loop {
        let store = &survey.ledger.store;
        let part = store.feedback_part(query, place, stride).await?;
        assert!(part.rows.len() <= stride.rows);
        ids.extend(part.rows.iter().map(|row| row.feedback_id));
        match part.next {
            Some(next) => place = next,
            None => return Ok(ids),
        }
    }
}

#[tokio::test]
async fn lists_have_what_their_filter_says_and_their_total_is_their_length() -> Result<()> {
    let survey = Survey::open().await?;
    let given = [json!({"nps": 9, "why": "Good."}), json!({"nps": 2})];
    let mut all: BTreeMap<Uuid, (&str, bool, i64)> = BTreeMap::new();
    for n in 0..48_i64 {
        let ids = ["", "1", "1_2", "2_3"][usize::try_from(n % 4)?];
        let comment = n % 3 == 0;
        let days = -(n * 5 % 46);
        let sent = survey.send(ids).await?;
        let answers = &given[usize::from(!comment)];
        let answer = survey.answer(&sent, Uuid::new_v4(), days, answers);
        let id = stored(survey.record(&[answer]).await?[0]);
        all.insert(id, (ids, comment, days));
        if n == 20 {
            survey.roll_up().await?;
        }
    }
    let erased: Vec<Uuid> = all.keys().copied().step_by(7).collect();
    for id in &erased {
        survey
            .ledger
            .store
            .erase_feedback(survey.form.account_id, *id)
            .await?;
        all.remove(id);
    }
    for rolled_up in [false, true] {
        for bus_prop_id in [None, Some(1), Some(2), Some(3)] {
            for comments_only in [false, true] {
                for wanted in [
                    &[][..],
                    &["a=b=c"],
                    &["zone=north", "a=b=c"],
                    &["a=b=c", "zone=b=c"],
                ] {
                    let mut track_fields = TrackFields::default();
                    for text in wanted {
                        track_fields.push(text)?;
                    }
                    let query = FeedbackQuery {
                        bus_prop_id,
                        comments_only,
                        track_fields,
                        ..query(&survey)?
                    };
                    let mut expected: Vec<Uuid> = all
                        .iter()
                        .filter(|(_, (ids, comment, days))| {
                            let bus_prop = bus_prop_id.map(|id: u32| id.to_string());
                            *days >= -40
                                && (*comment || !comments_only)
                                && bus_prop.is_none_or(|id| ids.split('_').any(|i| i == id))
                        })
                        .map(|(id, _)| *id)
                        .collect();
                    if wanted.contains(&"zone=b=c") {
                        expected.clear();
                    }
                    expected.reverse();
                    for rows in [1, 5, 100] {
                        let (total, ids) = pages(&survey, &query, rows).await?;
                        assert_eq!(ids, expected, "{rolled_up} {query:?} {rows}");
                        assert_eq!(
                            total,
                            i64::try_from(expected.len())?,
                            "{rolled_up} {query:?}"
                        );
                    }
                    for (rows, among) in [(1, 1), (2, 3), (100, 5), (100, 1_000)] {
                        let ids = parts(&survey, &query, stride(rows, among)).await?;
                        assert_eq!(ids, expected, "{rolled_up} {query:?} {rows} among {among}");
                    }
                }
            }
        }
        survey.roll_up().await?;
    }
    let page = survey
        .ledger
        .store
        .feedback_page(&query(&survey)?, None, 1)
        .await?;
    let row = &page.page.rows[0];
    let fields: serde_json::Value = serde_json::from_str(&row.track_fields)?;
    assert_eq!(fields, json!({"zone": "north", "a": "b=c"}));
    assert!(page.as_of >= row.submitted_at);
    has_its_newest_comments(&survey, &all).await
}

/// The newest comments are found by the comments of each day.
async fn has_its_newest_comments(
    survey: &Survey,
    all: &BTreeMap<Uuid, (&str, bool, i64)>,
) -> Result<()> {
    let mut days: BTreeMap<NaiveDate, i64> = BTreeMap::new();
    let comments = all.iter().filter(|(_, (_, comment, _))| *comment);
    for (_, (_, _, offset)) in comments.clone() {
        *days.entry(survey.day(*offset)).or_default() += 1;
    }
    let newest: Vec<Uuid> = comments.map(|(id, _)| *id).rev().take(5).collect();
    let store = &survey.ledger.store;
    let mut snapshot = store.snapshot().await?;
    let comments = FeedbackQuery {
        comments_only: true,
        ..query(survey)?
    };
    let found = snapshot.latest(&comments, days, (5, 5)).await?.rows;
    let ids: Vec<Uuid> = found.iter().map(|row| row.feedback_id).collect();
    assert_eq!(ids, newest);
    assert!(found.iter().all(|row| row.answers.contains("Good.")));
    Ok(())
}

#[tokio::test]
async fn what_was_written_is_found_by_its_fields_and_words() -> Result<()> {
    let survey = Survey::open().await?;
    let (mut written, mut all_days) = (Vec::new(), BTreeMap::<NaiveDate, i64>::new());
    for n in 0..24_i64 {
        let has_comment = n % 3 == 0;
        let answers = if has_comment {
            json!({"nps": 9, "why": "Good."})
        } else {
            json!({"nps": 2})
        };
        let sent = survey.send("1").await?;
        let answer = survey.answer(&sent, Uuid::new_v4(), n - 30, &answers);
        let id = stored(survey.record(&[answer]).await?[0]);
        written.extend(has_comment.then_some(id));
        *all_days.entry(survey.day(n - 30)).or_default() += 1;
    }
    written.reverse();
    let by_field = FeedbackQuery {
        answers: AnswerFilter {
            any_of: vec!["none".to_owned(), "why".to_owned()],
            ..AnswerFilter::default()
        },
        ..query(&survey)?
    };
    let mut snapshot = survey.ledger.store.snapshot().await?;
    for (most, count) in [((5, 1_000), 5), ((1_000, 1_000), 8), ((1_000, 9), 3)] {
        let latest = snapshot.latest(&by_field, all_days.clone(), most).await?;
        let ids: Vec<Uuid> = latest.rows.iter().map(|row| row.feedback_id).collect();
        assert_eq!(ids, written[..count], "{most:?}");
        let oldest = latest.rows.last().context("no rows")?;
        let of_oldest = day_of(oldest.submitted_at, Tz::Pacific__Kiritimati);
        let since = match most {
            (5, _) => of_oldest.succ_opt(),
            (_, 9) => Some(survey.day(-15)),
            _ => Some(range(&survey)?.start()),
        };
        assert_eq!(latest.since, since, "{most:?}");
    }
    drop(snapshot);
    for (words, keys, count) in [
        (&["GOOD"][..], &["none", "why"][..], written.len()),
        (&["good", "bad"], &["why"], 0),
        (&["good"], &["none"], 0),
        (&["good"], &[], 0),
    ] {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let searched = FeedbackQuery {
            answers: AnswerFilter {
                words: texts(words),
                word_keys: texts(keys),
                ..AnswerFilter::default()
            },
            ..query(&survey)?
        };
        let (total, ids) = pages(&survey, &searched, 7).await?;
        let expected = (i64::try_from(count)?, count);
        assert_eq!((total, ids.len()), expected, "{searched:?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_page_is_as_of_the_last_change_rolled_up_or_not() -> Result<()> {
    let survey = Survey::open().await?;
    let query = query(&survey)?;
    let store = &survey.ledger.store;
    let as_of = async || anyhow::Ok(store.feedback_page(&query, None, 10).await?.as_of);
    let sent = survey.send("1").await?;
    let mut last = as_of().await?;
    let mut ids = Vec::new();
    for _ in 0..3 {
        let answer = survey.answer(&sent, Uuid::new_v4(), 0, &json!({"nps": 9}));
        ids.push(stored(survey.record(&[answer]).await?[0]));
        let pending = as_of().await?;
        assert!(pending > last, "{pending} after {last}");
        survey.roll_up().await?;
        assert_eq!(as_of().await?, pending, "rolled up");
        last = pending;
    }
    for id in ids {
        store.erase_feedback(survey.form.account_id, id).await?;
        let pending = as_of().await?;
        assert!(pending > last, "{pending} after {last}");
        survey.roll_up().await?;
        assert_eq!(as_of().await?, pending, "rolled up");
        last = pending;
    }
    // A change of the form may come between an answer and its roll-up.
    let answer = survey.answer(&sent, Uuid::new_v4(), 0, &json!({"nps": 9}));
    survey.record(&[answer]).await?;
    let edited = json!({
        "title": "How was it really?",
        "bus_props": [{"bus_prop_id": "1", "bus_prop": "store:S1"}],
        "fields": [{"key": "nps", "type": "nps", "label": "Recommend us?", "required": false}],
    });
    survey.edit(survey.form, &edited).await?;
    let pending = as_of().await?;
    survey.roll_up().await?;
    assert_eq!(as_of().await?, pending, "rolled up");
    Ok(())
}

#[tokio::test]
async fn large_answers_come_in_parts_of_bounded_size() -> Result<()> {
    const COUNT: usize = 150;
    let survey = Survey::open().await?;
    let sent = survey.send("1").await?;
    let long = "\u{1F600}".repeat(10_000);
    let answers: Vec<_> = (0..COUNT)
        .map(|_| survey.answer(&sent, Uuid::new_v4(), 0, &json!({"why": &long})))
        .collect();
    survey.record(&answers).await?;
    survey.roll_up().await?;
    let query = query(&survey)?;
    let store = &survey.ledger.store;
    let bytes = |rows: &[FeedbackRow]| rows.iter().map(|row| row.answers.len()).sum::<usize>();
    let first = store.feedback_page(&query, None, 1_000).await?.page;
    assert!(first.rows.len() < COUNT);
    assert!(bytes(&first.rows) < 5 << 20);
    assert_eq!(first.next, first.rows.last().map(|row| row.feedback_id));
    let rest = store.feedback_page(&query, first.next, 1_000).await?.page;
    assert_eq!(rest.next, None);
    assert_eq!(first.rows.len() + rest.rows.len(), COUNT);
    let (rows, among) = (1_000, 1_000);
    let part = store
        .feedback_part(&query, ListPosition::default(), stride(rows, among))
        .await?;
    assert_eq!(part.rows.len(), first.rows.len());
    assert_eq!(
        parts(&survey, &query, stride(rows, among)).await?.len(),
        COUNT
    );
    Ok(())
}
