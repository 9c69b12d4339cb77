//! Part `docids`: the set that finds a body's duplicates, against the standard library's set of texts.

use std::collections::HashSet;
use std::time::Instant;

use anyhow::{Result, ensure};
use domain::dedupe::DocIdSet;
use domain::docid::DocId;
use tests::bench::million;
use tests::bench::report::{Row, Target, Unit};
use tests::bench::settings::Settings;

pub(super) fn measure(settings: &Settings) -> Result<Vec<Row>> {
    let mut row = Row::new(
        format!("set of {} docids", settings.records),
        Unit::Seconds,
        "HashSet<String>",
        Target::RatioAtMost(0.6),
    );
    let docids: Vec<String> = million::at_random(settings.records)
        .into_iter()
        .map(|number| format!("order-{number:08}"))
        .collect();
    for _ in 0..settings.rounds {
        let ours = fill(DocIdSet::default(), &docids, |set, docid| {
            DocId::parse(docid).is_ok_and(|docid| set.insert(docid))
        })?;
        let theirs = fill(HashSet::new(), &docids, |set, docid| {
            set.insert(docid.to_owned())
        })?;
        row.round(ours, theirs);
    }
    Ok(vec![row])
}

/// The seconds that it takes to fill a set.
fn fill<S>(mut set: S, docids: &[String], insert: impl Fn(&mut S, &str) -> bool) -> Result<f64> {
    let start = Instant::now();
    for docid in docids {
        ensure!(insert(&mut set, docid), "{docid} twice");
    }
    Ok(start.elapsed().as_secs_f64())
}
