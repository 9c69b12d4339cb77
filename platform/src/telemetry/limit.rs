//! Lines of one cause are limited: while a disk is full or a server away, hundreds of things a second fail in the same way.

use std::collections::HashMap;
use std::fmt::{self, Debug};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// How long after a line others of its cause are left out.
const PERIOD: Duration = Duration::from_secs(10);
/// Causes that are told apart at a time. Beyond them, whatever is written in one place of the code is of one cause.
const CAUSES: usize = 256;
/// What makes a cause, besides the place in the code.
const FIELDS: [&str; 6] = ["message", "error", "reason", "code", "cause", "sender.name"];

/// A format that leaves out warnings and errors of a cause of which one was just written, and counts them on the next one.
pub(super) struct Limited<F> {
    format: F,
    causes: Mutex<Causes>,
}

impl<F> Limited<F> {
    pub(super) fn new(format: F) -> Self {
        Self {
            format,
            causes: Mutex::default(),
        }
    }
}

impl<S, N, F> FormatEvent<S, N> for Limited<F>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let left_out = if *event.metadata().level() > Level::WARN {
            Some(0)
        } else {
            self.causes.lock().note(event, Instant::now())
        };
        match left_out {
            // Nothing is written then, not even an empty line.
            None => Ok(()),
            Some(0) => self.format.format_event(context, writer, event),
            Some(left_out) => {
                let mut line = String::new();
                let into = Writer::new(&mut line);
                self.format.format_event(context, into, event)?;
                writer.write_str(&with_count(&line, left_out))
            }
        }
    }
}

/// The line, of JSON or for people, with how many were left out before it.
fn with_count(line: &str, left_out: u64) -> String {
    let line = line.trim_end();
    match line.strip_suffix('}') {
        Some(object) if line.starts_with('{') => format!("{object},\"left_out\":{left_out}}}\n"),
        _ => format!("{line} left_out={left_out}\n"),
    }
}

/// The causes of the last lines, by their hashes.
#[derive(Default)]
struct Causes(HashMap<u64, Last>);

/// The last line of a cause.
struct Last {
    written: Instant,
    left_out: u64,
}

impl Causes {
    fn note(&mut self, event: &Event<'_>, now: Instant) -> Option<u64> {
        let mut of_place = DefaultHasher::new();
        event.metadata().callsite().hash(&mut of_place);
        let mut fields = Fields(of_place.clone());
        event.record(&mut fields);
        self.admit(of_place.finish(), fields.0.finish(), now)
    }

    /// How many lines were left out before the one that is to be written; `None`: it is left out too.
    fn admit(&mut self, place: u64, cause: u64, now: Instant) -> Option<u64> {
        let is_recent = |last: &Last| now.saturating_duration_since(last.written) < PERIOD;
        if self.0.len() >= CAUSES && !self.0.contains_key(&cause) {
            self.0.retain(|_, last| is_recent(last));
        }
        let is_full = self.0.len() >= CAUSES && !self.0.contains_key(&cause);
        let key = if is_full { place } else { cause };
        match self.0.get_mut(&key) {
            Some(last) if is_recent(last) => {
                last.left_out += 1;
                None
            }
            last => {
                let left_out = last.map_or(0, |last| last.left_out);
                let last = Last {
                    written: now,
                    left_out: 0,
                };
                self.0.insert(key, last);
                Some(left_out)
            }
        }
    }
}

/// Hashes the fields that make a cause.
struct Fields(DefaultHasher);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if FIELDS.contains(&field.name()) {
            (field.name(), format!("{value:?}")).hash(&mut self.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Seek};
    use std::sync::Arc;

    use tracing_subscriber::layer::SubscriberExt;

    use super::*;

    #[test]
    fn a_cause_has_a_line_in_ten_seconds_with_what_was_left_out() {
        let mut causes = Causes::default();
        let begin = Instant::now();
        let mut at = |millis, cause| causes.admit(0, cause, begin + Duration::from_millis(millis));
        assert_eq!(at(0, 1), Some(0));
        assert_eq!(at(0, 2), Some(0), "another cause");
        for millis in 1..=410 {
            assert_eq!(at(millis, 1), None);
        }
        assert_eq!(at(9_999, 1), None);
        assert_eq!(at(10_000, 1), Some(411));
        assert_eq!(at(10_001, 1), None);
        assert_eq!(at(60_000, 1), Some(1));
        assert_eq!(at(60_000, 2), Some(0));
    }

    #[test]
    fn of_too_many_causes_those_of_one_place_are_one() {
        let mut causes = Causes::default();
        let begin = Instant::now();
        let many = CAUSES as u64;
        for cause in 1..=many {
            assert_eq!(causes.admit(0, cause, begin), Some(0));
        }
        assert_eq!(causes.admit(0, many + 1, begin), Some(0));
        assert_eq!(causes.admit(0, many + 2, begin), None);
        assert_eq!(causes.admit(0, 1, begin), None, "one that is known");
        // What is long over makes room.
        let later = begin + PERIOD;
        assert_eq!(causes.admit(0, many + 3, later), Some(0));
        assert_eq!(causes.0.len(), 1);
    }

    #[test]
    fn a_count_is_a_field_of_the_line() {
        let cases = [
            (
                "{\"level\":\"WARN\"}\n",
                "{\"level\":\"WARN\",\"left_out\":3}\n",
            ),
            ("WARN away {x}\n", "WARN away {x} left_out=3\n"),
        ];
        for (line, expected) in cases {
            assert_eq!(with_count(line, 3), expected);
        }
    }

    #[test]
    fn failures_alike_are_one_line_and_all_else_is_written() {
        let file = Arc::new(tempfile::tempfile().unwrap());
        let lines = tracing_subscriber::fmt::layer()
            .with_writer(file.clone())
            .json()
            .map_event_format(Limited::new);
        let subscriber = tracing_subscriber::registry().with(lines);
        tracing::subscriber::with_default(subscriber, || {
            for seconds in 0..3 {
                for error in ["the disk is full", "no answer"] {
                    tracing::warn!(seconds, error, "request not served");
                }
                tracing::info!(seconds, "request answered");
            }
        });
        let mut text = String::new();
        (&*file).rewind().unwrap();
        (&*file).read_to_string(&mut text).unwrap();
        let count = |part| text.lines().filter(|line| line.contains(part)).count();
        assert_eq!(count("the disk is full"), 1, "{text}");
        assert_eq!(count("no answer"), 1, "{text}");
        assert_eq!(count("request answered"), 3, "{text}");
        assert_eq!(text.lines().count(), 5, "{text}");
    }
}
