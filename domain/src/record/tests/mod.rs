//! Records by their members, without a body around them.

mod codes;
mod law;

use super::check::{Given, Member, check};
use super::{Parsed, Problem, RecordCode};

fn judge<'a>(members: &[(&'a str, Given<'a>)]) -> Parsed<'a> {
    let members: Vec<_> = members
        .iter()
        .map(|&(name, value)| Member { name, value })
        .collect();
    check(members.iter().copied())
}

/// Pointer and code of each problem, in order; none of a valid record.
fn problems(parsed: &Parsed) -> Vec<(String, RecordCode)> {
    match parsed {
        Parsed::Valid(_) => Vec::new(),
        Parsed::Broken { problems, .. } => {
            assert!(!problems.is_empty(), "a broken record has a problem");
            let place = |problem: &Problem| (problem.pointer.clone(), problem.code);
            problems.iter().map(place).collect()
        }
    }
}

fn assert_problems(members: &[(&str, Given)], expected: &[(&str, RecordCode)]) {
    let expected: Vec<_> = expected
        .iter()
        .map(|&(pointer, code)| (pointer.to_owned(), code))
        .collect();
    assert_eq!(problems(&judge(members)), expected);
}

fn many(fields: usize) -> Vec<String> {
    (0..fields).map(|n| format!("f{n:05}")).collect()
}
