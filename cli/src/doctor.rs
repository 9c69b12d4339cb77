//! `feedback doctor`: what a process would find, what looks wrong, and what to do about it. Exit 1 if something is wrong.

use std::fmt::Write;

use anyhow::bail;
use platform::config::Config;
use platform::doctor::{Finding, Verdict, examine};

use crate::output::print;

pub(crate) async fn run(config: Config, json: bool) -> anyhow::Result<()> {
    let findings = examine(&config).await;
    print(findings.as_slice(), json, show)?;
    let wrong = findings
        .iter()
        .filter(|finding| finding.verdict == Verdict::Wrong)
        .count();
    if wrong > 0 {
        bail!("{wrong} of {} are wrong", findings.len());
    }
    Ok(())
}

/// A line each, and below it what to do.
fn show(findings: &[Finding]) -> String {
    let mut text = String::new();
    for Finding {
        verdict,
        about,
        found,
        advice,
    } in findings
    {
        let verdict = match verdict {
            Verdict::Ok => "ok",
            Verdict::Warning => "warning",
            Verdict::Wrong => "WRONG",
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{verdict:8} {about:12} {found}");
        if let Some(advice) = advice {
            let _ = writeln!(text, "{:8} {:12} → {advice}", "", "");
        }
    }
    text
}
