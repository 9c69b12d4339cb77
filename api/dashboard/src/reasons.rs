//! Why something was refused, as people read it.

use std::iter::once;

use api_http::Problem;
use api_language::Text;
use domain::record::RecordError;

/// So many records of a refused import are named.
const RECORDS: usize = 5;

/// What is wrong, member by member if any are, as people read it.
pub fn reasons(t: &Text, problem: &Problem) -> String {
    let reasons = problem.members().iter();
    let reasons: Vec<_> = reasons
        .map(|one| t.refused(one.code, &one.detail))
        .collect();
    if !reasons.is_empty() {
        return reasons.join("; ");
    }
    let whole = t.refused(problem.code().as_str(), problem.detail());
    let records = problem.records().iter().take(RECORDS).map(|one| {
        let why = record_reason(t, one);
        format!("{} {}: {why}", t.get("record"), one.index + 1)
    });
    once(whole).chain(records).collect::<Vec<_>>().join("; ")
}

/// What is wrong with a record, as people read it.
pub fn record_reason(t: &Text, error: &RecordError) -> String {
    t.refused(error.code.into(), &error.detail)
}
