//! Figures that the documents give, and the laws of intervals.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::answer::Answers;
use crate::form::{FormContent, FormInput};
use crate::rollup::{Delta, FieldCounts};

fn example() -> DayCounts {
    DayCounts {
        views: 120,
        responses: 48,
        comments: 17,
        happy: 26,
        happiness_answers: 32,
        promoters: 20,
        passives: 20,
        detractors: 8,
        nps_answers: 48,
        sent: 200,
        delivered: 160,
        answered: 50,
        delivered_and_answered: 40,
    }
}

/// Rounds to as many decimals as the documents' example shows.
fn round(value: &mut Value, decimals: i32) {
    let factor = 10_f64.powi(decimals);
    *value = json!((value.as_f64().unwrap() * factor).round() / factor);
}

#[test]
fn the_contracts_example_comes_out() {
    let mut metrics = serde_json::to_value(Metrics::from(&example())).unwrap();
    for end in ["low", "high"] {
        round(&mut metrics["happiness"][end], 3);
        round(&mut metrics["nps_detail"][end], 2);
    }
    let documented = json!({
        "views": 120, "responses": 48, "response_rate": 0.4, "comments": 17,
        "happiness_rate": 0.8125, "happiness": {"happy": 26, "answers": 32, "low": 0.647, "high": 0.911},
        "nps": 25.0,
        "nps_detail": {"promoters": 20, "passives": 20, "detractors": 8, "answers": 48, "low": 3.68, "high": 43.38},
        "sent": 200, "delivered": 160, "answered": 50, "response_rate_delivered": 0.25
    });
    assert_eq!(metrics, documented);
}

#[test]
fn members_come_in_the_contracts_order() {
    let text = serde_json::to_string(&Metrics::from(&DayCounts::default())).unwrap();
    assert_eq!(
        text,
        concat!(
            r#"{"views":0,"responses":0,"response_rate":null,"comments":0,"happiness_rate":null,"#,
            r#""happiness":{"happy":0,"answers":0,"low":null,"high":null},"nps":null,"#,
            r#""nps_detail":{"promoters":0,"passives":0,"detractors":0,"answers":0,"low":null,"high":null},"#,
            r#""sent":null,"delivered":null,"answered":null,"response_rate_delivered":null}"#,
        )
    );
}

#[test]
fn an_interval_holds_the_score_of_few_answers_that_agree() {
    assert_eq!(Interval::nps(1, 0, 1).map(|i| i.high), Some(100.0));
    assert_eq!(Interval::nps(0, 1, 1).map(|i| i.low), Some(-100.0));
    assert_eq!(Interval::wilson(0, 1).map(|i| i.low), Some(0.0));
    assert_eq!(Interval::wilson(1, 1).map(|i| i.high), Some(1.0));
}

#[test]
fn what_differs_is_told_and_null_where_either_is() {
    let previous = DayCounts {
        views: 100,
        responses: 50,
        ..DayCounts::default()
    };
    let change = serde_json::to_value(MetricsChange::new(example(), previous)).unwrap();
    assert_eq!(
        change,
        json!({
            "views": 20, "responses": -2, "response_rate": 0.4 - 0.5, "comments": 17,
            "happiness_rate": null, "happiness": {"happy": 26, "answers": 32},
            "nps": null, "nps_detail": {"promoters": 20, "passives": 20, "detractors": 8, "answers": 48},
            "sent": null, "delivered": null, "answered": null, "response_rate_delivered": null
        })
    );
    let same = MetricsChange::new(example(), example());
    assert_eq!((same.nps, same.happiness_rate), (Some(0.0), Some(0.0)));
    assert_eq!(
        (same.sent, same.response_rate_delivered),
        (Some(0), Some(0.0))
    );
    assert_eq!(MetricsChange::new(previous, example()).nps, None);
}

proptest! {
    #[test]
    fn figures_follow_the_definitions_and_stay_within_their_ends(
        views in 0_i64..100_000, responses in 0_i64..100_000, comments in 0_i64..100_000,
        happy in 0_i64..100_000, unhappy in 0_i64..100_000, few in 0_u8..3,
        groups in prop::array::uniform3(0_i64..100_000),
    ) {
        let small = |count: i64| if few == 0 { count } else { count % 3 };
        let [promoters, passives, detractors] = groups.map(small);
        let counts = DayCounts {
            views: views + responses,
            responses,
            comments,
            happy: small(happy),
            happiness_answers: small(happy) + small(unhappy),
            promoters,
            passives,
            detractors,
            nps_answers: promoters + passives + detractors,
            ..DayCounts::default()
        };
        let metrics = Metrics::from(&counts);
        prop_assert_eq!(metrics.response_rate.is_none(), counts.views == 0);
        prop_assert!(metrics.response_rate.is_none_or(|rate| (0.0..=1.0).contains(&rate)));

        let n = real(counts.happiness_answers);
        let ends = metrics.happiness.low.zip(metrics.happiness.high);
        prop_assert_eq!(metrics.happiness_rate.is_none(), n == 0.0);
        prop_assert_eq!(ends.is_none(), n == 0.0);
        if let Some(((low, high), rate)) = ends.zip(metrics.happiness_rate) {
            prop_assert!(0.0 <= low && low <= rate && rate <= high && high <= 1.0);
            let centre = (real(counts.happy) + Z_95 * Z_95 / 2.0) / (n + Z_95 * Z_95);
            prop_assert!(low < centre && centre < high);
            // Wilson's ends are where the rate is just z standard errors away.
            for end in [low, high] {
                let distance = (rate - end).abs() - Z_95 * (end * (1.0 - end) / n).sqrt();
                prop_assert!(distance.abs() < 1e-7, "{distance}");
            }
        }

        let n = real(counts.nps_answers);
        let ends = metrics.nps_detail.low.zip(metrics.nps_detail.high);
        prop_assert_eq!(metrics.nps.is_none(), n == 0.0);
        prop_assert_eq!(ends.is_none(), n == 0.0);
        if let Some(((low, high), nps)) = ends.zip(metrics.nps) {
            prop_assert!(-100.0 <= low && low <= nps && nps <= high && high <= 100.0);
            let centre = 100.0 * real(promoters - detractors) / (n + 3.0);
            prop_assert!(low < centre && centre < high);
            // The same interval as the mean of +1, 0 and -1 for each answer and pseudo-answer.
            let m = centre / 100.0;
            let weights = [(1.0, real(promoters) + 0.75), (0.0, real(passives) + 1.5), (-1.0, real(detractors) + 0.75)];
            let squares: f64 = weights.iter().map(|(x, weight)| weight * (x - m) * (x - m)).sum();
            let reach = 100.0 * Z_95 * squares.sqrt() / (n + 3.0);
            let expected = (
                (centre - reach).max(-100.0).min(nps),
                (centre + reach).min(100.0).max(nps),
            );
            prop_assert!((low - expected.0).abs() < 1e-9 && (high - expected.1).abs() < 1e-9);
        }
    }

    #[test]
    fn figures_of_any_numbers_are_numbers(counters in prop::array::uniform9(any::<i64>())) {
        let [views, responses, comments, happy, happiness_answers, promoters, passives, detractors, nps_answers] = counters;
        let counts = DayCounts {
            views, responses, comments, happy, happiness_answers, promoters, passives, detractors, nps_answers,
            ..DayCounts::default()
        };
        let metrics = Metrics::from(&counts);
        let (happiness, nps) = (metrics.happiness, metrics.nps_detail);
        let figures = [metrics.response_rate, metrics.happiness_rate, metrics.nps, happiness.low, happiness.high, nps.low, nps.high];
        prop_assert!(figures.into_iter().flatten().all(f64::is_finite));
    }

    #[test]
    fn the_days_of_a_range_sum_to_its_metrics(days in prop::collection::vec(prop::array::uniform9(0_i64..50), 0..10)) {
        let days: Vec<DayCounts> = days
            .into_iter()
            .map(|[views, responses, comments, happy, unhappy, promoters, passives, detractors, _]| DayCounts {
                views: views + responses,
                responses,
                comments,
                happy,
                happiness_answers: happy + unhappy,
                promoters,
                passives,
                detractors,
                nps_answers: promoters + passives + detractors,
                ..DayCounts::default()
            })
            .collect();
        let metrics = Metrics::from(&days.iter().copied().sum());
        let total = |counter: fn(&DayCounts) -> i64| days.iter().map(counter).sum::<i64>();
        prop_assert_eq!(metrics.views, total(|day| day.views));
        prop_assert_eq!(metrics.responses, total(|day| day.responses));
        prop_assert_eq!(metrics.comments, total(|day| day.comments));
        prop_assert_eq!(metrics.happiness.happy, total(|day| day.happy));
        prop_assert_eq!(metrics.happiness.answers, total(|day| day.happiness_answers));
        prop_assert_eq!(metrics.nps_detail.promoters, total(|day| day.promoters));
        prop_assert_eq!(metrics.nps_detail.passives, total(|day| day.passives));
        prop_assert_eq!(metrics.nps_detail.detractors, total(|day| day.detractors));
        prop_assert_eq!(metrics.nps_detail.answers, total(|day| day.nps_answers));
    }
}

fn form() -> FormContent {
    let form = json!({"title": "Test", "bus_props": [], "fields": [
        {"key": "nps", "type": "nps", "label": "Recommend?", "required": true},
        {"key": "stars", "type": "rating", "scale": 3, "label": "Stars", "required": false},
        {"key": "colour", "type": "choice", "label": "Colour", "required": false,
         "options": [{"value": "r", "label": "Red"}, {"value": "g", "label": "Green"}]},
        {"key": "extras", "type": "choices", "label": "Extras", "required": false,
         "options": [{"value": "x", "label": "X"}, {"value": "y", "label": "Y"}]},
        {"key": "comment", "type": "comment", "label": "Why?", "required": false},
    ]});
    FormContent::new(FormInput::parse(&form).unwrap()).unwrap()
}

fn counts(submissions: &[Value]) -> FieldCounts {
    let mut sum = Delta::default();
    for submission in submissions {
        let form = form();
        let answers = Answers::from_json(&form, submission).unwrap();
        sum.merge(&Delta::answer(&form, &answers));
    }
    sum.fields
}

#[test]
fn a_field_lists_every_grade_and_option_with_its_share() {
    let counts = counts(&[
        json!({"nps": 10, "stars": 1, "colour": "g", "extras": ["x", "y"], "comment": "Yes."}),
        json!({"nps": 3, "stars": 3, "extras": ["y"]}),
        json!({"nps": 3, "stars": 3, "extras": ["y"]}),
        json!({"nps": 4}),
    ]);
    let fields = FieldSummary::of_form(&form(), &counts, 4);
    let fields = serde_json::to_value(&fields).unwrap();
    assert_eq!(
        fields[0]["distribution"].as_array().unwrap().len(),
        11,
        "grades 0 to 10"
    );
    assert_eq!(fields[0]["mean"], json!(5.0));
    assert_eq!(
        fields[0]["distribution"][3],
        json!({"value": 3, "label": "3", "count": 2, "share": 0.5})
    );
    assert_eq!(
        fields[1],
        json!({"key": "stars", "type": "rating", "label": "Stars", "retired": false, "answers": 3,
            "skipped": 1, "mean": 7.0 / 3.0, "distribution": [
                {"value": 1, "label": "1", "count": 1, "share": 1.0 / 3.0},
                {"value": 2, "label": "2", "count": 0, "share": 0.0},
                {"value": 3, "label": "3", "count": 2, "share": 2.0 / 3.0}]})
    );
    assert_eq!(
        fields[2],
        json!({"key": "colour", "type": "choice", "label": "Colour", "retired": false, "answers": 1,
            "skipped": 3, "mean": null, "distribution": [
                {"value": "r", "label": "Red", "count": 0, "share": 0.0},
                {"value": "g", "label": "Green", "count": 1, "share": 1.0}]})
    );
    assert_eq!(
        fields[3]["distribution"],
        json!([{"value": "x", "label": "X", "count": 1, "share": 1.0 / 3.0},
            {"value": "y", "label": "Y", "count": 3, "share": 1.0}])
    );
    assert_eq!(
        fields[4],
        json!({"key": "comment", "type": "comment", "label": "Why?", "retired": false,
            "answers": 1, "skipped": 3, "mean": null, "distribution": []})
    );
}

proptest! {
    #[test]
    fn a_fields_figures_agree_with_each_other(
        submissions in prop::collection::vec((0..=10, prop::option::of(1..=3), prop::option::of("[rg]")), 1..20)
    ) {
        let submissions: Vec<Value> = submissions
            .into_iter()
            .map(|(nps, stars, colour)| json!({"nps": nps, "stars": stars, "colour": colour}))
            .collect();
        let responses = i64::try_from(submissions.len()).unwrap();
        for field in FieldSummary::of_form(&form(), &counts(&submissions), responses) {
            let given = |submission: &&Value| !submission[field.key.as_str()].is_null();
            prop_assert_eq!(usize::try_from(field.answers), Ok(submissions.iter().filter(given).count()));
            prop_assert_eq!(field.answers + field.skipped, responses);
            let counted: i64 = field.distribution.iter().map(|share| share.count).sum();
            let shares: Option<f64> = field.distribution.iter().map(|share| share.share).sum();
            prop_assert_eq!(counted, field.answers);
            if field.answers == 0 {
                prop_assert_eq!(field.mean, None);
                prop_assert!(field.distribution.iter().all(|share| share.share.is_none()));
            } else {
                prop_assert!(shares.is_some_and(|sum| (sum - 1.0).abs() < 1e-12));
            }
            let grades: Vec<f64> = submissions.iter().filter_map(|s| s[field.key.as_str()].as_f64()).collect();
            let mean = grades.iter().sum::<f64>() / real(field.answers);
            prop_assert_eq!(field.mean, (!grades.is_empty()).then_some(mean));
        }
    }
}

#[test]
fn a_field_without_answers_has_zeros_and_nulls() {
    let fields = FieldSummary::of_form(&form(), &FieldCounts::default(), 2);
    let stars = serde_json::to_value(&fields[1]).unwrap();
    assert_eq!(
        (&stars["answers"], &stars["skipped"]),
        (&json!(0), &json!(2))
    );
    assert_eq!(stars["mean"], Value::Null);
    assert_eq!(
        stars["distribution"][0],
        json!({"value": 1, "label": "1", "count": 0, "share": null})
    );
}
