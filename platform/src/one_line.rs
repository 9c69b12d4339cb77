//! Errors as lines of the log and of stderr.

use std::error::Error;
use std::fmt::Write;

/// An error and its causes in one line: `the database is unavailable: … : …`.
pub fn one_line(error: &(dyn Error + 'static)) -> String {
    let mut line = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let text = cause.to_string();
        // Many repeat their source's text in their own.
        if !line.contains(&text) {
            // Writing to a String cannot fail.
            let _ = write!(line, ": {text}");
        }
        source = cause.source();
    }
    line.replace(['\n', '\r'], " ")
}
