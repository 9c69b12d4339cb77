//! How long the service took to go on.

use std::fmt;
use std::time::Duration;

use serde_json::{Value, json};

/// What was measured.
#[derive(Clone, Debug, Default)]
pub struct Times {
    /// Until all chunks of a killed worker were in other hands or done, while other faults went on.
    pub(super) resumed: Vec<Duration>,
    /// The same with nothing else broken.
    pub(super) resumed_alone: Vec<Duration>,
    /// Until an api answered again, once its database did.
    pub(super) back: Vec<Duration>,
}

impl Times {
    /// Adds those of another part of the plan.
    pub(super) fn add(&mut self, more: Self) {
        self.resumed.extend(more.resumed);
        self.resumed_alone.extend(more.resumed_alone);
        self.back.extend(more.back);
    }

    /// As milliseconds.
    pub(super) fn to_json(&self) -> Value {
        let milliseconds = |times: &[Duration]| -> Value {
            let times = times.iter();
            times
                .map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
                .collect()
        };
        json!([
            milliseconds(&self.resumed),
            milliseconds(&self.resumed_alone),
            milliseconds(&self.back),
        ])
    }

    /// What [`Self::to_json`] made.
    pub(super) fn of_json(json: &Value) -> Self {
        let times = |place: usize| {
            let times = json[place].as_array().into_iter().flatten();
            times
                .filter_map(Value::as_u64)
                .map(Duration::from_millis)
                .collect()
        };
        Self {
            resumed: times(0),
            resumed_alone: times(1),
            back: times(2),
        }
    }
}

impl fmt::Display for Times {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (what, times) in [
            ("chunks of a killed worker go on", &self.resumed_alone),
            ("the same beside other faults", &self.resumed),
            ("database back to service back", &self.back),
        ] {
            let mut times: Vec<f64> = times.iter().map(Duration::as_secs_f64).collect();
            times.sort_by(f64::total_cmp);
            let at = |percent: usize| {
                let place = (times.len() * percent).div_ceil(100).max(1) - 1;
                times.get(place).copied().unwrap_or_default()
            };
            let (count, middle, most, longest) = (times.len(), at(50), at(99), at(100));
            writeln!(
                out,
                "{count:6} times {what}: p50 {middle:.1} s, p99 {most:.1} s, longest {longest:.1} s"
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_come_back_from_a_file_and_have_percentiles() {
        let resumed_alone = (1..=200).map(Duration::from_secs).collect();
        let times = Times {
            resumed_alone,
            ..Times::default()
        };
        let read = Times::of_json(&times.to_json());
        let told = read.to_string();
        assert!(told.contains("200 times chunks of a killed worker go on: p50 100.0 s, p99 198.0 s, longest 200.0 s"), "{told}");
        assert!(
            told.contains("0 times database back to service back: p50 0.0 s"),
            "{told}"
        );
    }
}
