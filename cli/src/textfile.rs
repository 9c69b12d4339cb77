//! Figures for the textfile collector of Prometheus's node exporter, of commands that end before anybody could scrape them.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::Context;
use chrono::Utc;

/// A figure as Prometheus takes it.
pub(crate) struct Figure {
    pub(crate) name: &'static str,
    pub(crate) meaning: &'static str,
    pub(crate) value: i64,
}

impl Figure {
    /// The Unix time of now.
    pub(crate) fn now(name: &'static str, meaning: &'static str) -> Self {
        let value = Utc::now().timestamp();
        Self {
            name,
            meaning,
            value,
        }
    }
}

/// Writes figures in place of a file, at once, so that nobody reads half of them.
pub(crate) fn write(file: &Path, figures: &[Figure]) -> anyhow::Result<()> {
    let mut text = String::new();
    for Figure {
        name,
        meaning,
        value,
    } in figures
    {
        writeln!(
            text,
            "# HELP {name} {meaning}\n# TYPE {name} gauge\n{name} {value}"
        )?;
    }
    let new = file.with_extension("new");
    fs::write(&new, text)
        .and_then(|()| fs::rename(&new, file))
        .with_context(|| format!("cannot write {}", file.display()))
}
