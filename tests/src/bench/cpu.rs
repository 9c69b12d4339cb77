//! How long processors were at work: for a process and everybody it started, and for all of a bench.

use std::fs;

use anyhow::{Context, Result};

/// Kernel ticks in a second, as `/proc` counts on all Linux.
const TICKS: f64 = 100.0;

/// Core-seconds of a process and its descendants, those among them that have ended.
///
/// # Errors
/// When the process is gone.
pub fn of_process(pid: i32) -> Result<f64> {
    let root = Times::read(pid)?;
    let mut ticks = root.own + root.of_ended;
    for child in children(pid) {
        // One that ends meanwhile counts among the ended the next time.
        ticks += Times::read(child).map_or(0.0, |times| times.own);
    }
    Ok(ticks / TICKS)
}

/// Core-seconds of this process and of everything that it or its descendants started, those among them that have ended: whatever
/// else runs on the machine does not count.
///
/// # Errors
/// When the system does not tell.
pub fn of_all() -> Result<f64> {
    let mut family = vec![i32::try_from(std::process::id())?];
    let mut ticks = 0.0;
    while let Some(pid) = family.pop() {
        ticks += Times::read(pid).map_or(0.0, |times| times.own + times.of_ended);
        family.extend(children(pid));
    }
    Ok(ticks / TICKS)
}

/// Those that any of its threads started.
fn children(pid: i32) -> Vec<i32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task"));
    let threads = threads.into_iter().flatten().flatten();
    let lists = threads.map(|thread| fs::read_to_string(thread.path().join("children")));
    let children = lists.flatten().collect::<Vec<_>>().join(" ");
    children.split_whitespace().flat_map(str::parse).collect()
}

/// Ticks in user and kernel mode.
struct Times {
    own: f64,
    of_ended: f64,
}

impl Times {
    fn read(pid: i32) -> Result<Self> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
        // The name may have spaces and brackets.
        let (_, fields) = stat.rsplit_once(')').context("no name")?;
        let fields: Vec<&str> = fields.split_whitespace().collect();
        let tick = |n: usize| -> Result<f64> { Ok(fields.get(n).context("too short")?.parse()?) };
        Ok(Self {
            own: tick(11)? + tick(12)?,
            of_ended: tick(13)? + tick(14)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_been_at_work_and_with_its_descendants_longer() {
        let own = of_process(std::process::id().try_into().unwrap()).unwrap();
        assert!(own <= of_all().unwrap());
    }
}
