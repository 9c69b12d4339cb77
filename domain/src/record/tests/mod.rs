//! Records by their members, without a body around them.

mod codes;
mod law;

use super::check::{Member, MemberValue as Value, check};
use super::{BrokenRecord, RecordCode, RecordProblem};

/// The fields of the record that the members are, as JSON.
fn judge(members: &[(&str, Value)]) -> Result<String, BrokenRecord> {
    let members = members.iter().map(|&(name, value)| Member { name, value });
    check(members, &mut Vec::new()).map(|record| record.fields.to_owned())
}

/// Pointer and code of each problem, in order; none of a valid record.
fn problems(judged: &Result<String, BrokenRecord>) -> Vec<(String, RecordCode)> {
    match judged {
        Ok(_) => Vec::new(),
        Err(BrokenRecord { problems, .. }) => {
            assert!(!problems.is_empty(), "a broken record has a problem");
            let brief = |problem: &RecordProblem| (problem.pointer.clone(), problem.code);
            problems.iter().map(brief).collect()
        }
    }
}

fn assert_problems(members: &[(&str, Value)], expected: &[(&str, RecordCode)]) {
    let expected: Vec<_> = expected
        .iter()
        .map(|&(pointer, code)| (pointer.to_owned(), code))
        .collect();
    assert_eq!(problems(&judge(members)), expected);
}

fn many(fields: usize) -> Vec<String> {
    (0..fields).map(|n| format!("f{n:05}")).collect()
}
