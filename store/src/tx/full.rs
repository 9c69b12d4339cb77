//! Whether the database's disk is full. Nobody else tells: what is read, and the pings of readiness, take no room.

use std::time::{Duration, Instant};

use parking_lot::Mutex;
use sea_orm::SqlxError;

/// How long after the last refusal the disk counts as full. Whoever is refused tries again sooner.
const OVER: Duration = Duration::from_secs(15);

/// When the database of this process last had no room.
static LAST: Mutex<Option<Instant>> = Mutex::new(None);

/// Whether the database had no room to store something a moment ago.
pub fn is_disk_full() -> bool {
    is_recent(*LAST.lock())
}

fn is_recent(last: Option<Instant>) -> bool {
    last.is_some_and(|last| last.elapsed() < OVER)
}

/// Remembers it if that is what an error of the driver says, and writes a line when it begins.
pub(super) fn note(error: Option<&SqlxError>) {
    let database = error.and_then(SqlxError::as_database_error);
    let Some(database) = database.filter(|error| error.code().is_some_and(|code| is_full(&code)))
    else {
        return;
    };
    let before = LAST.lock().replace(Instant::now());
    if !is_recent(before) {
        tracing::error!(
            error = database.message(),
            "the disk of the database is full: nothing can be stored"
        );
    }
}

/// PostgreSQL's `disk_full`, or SQLite's `SQLITE_FULL`.
fn is_full(code: &str) -> bool {
    ["53100", "13"].contains(&code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_from_other_troubles_and_forgotten() {
        assert!(is_full("53100") && is_full("13"));
        assert!(
            !["53300", "53200", "5", "10", "58030"]
                .map(is_full)
                .contains(&true)
        );
        assert!(!is_recent(None) && is_recent(Some(Instant::now())));
        assert!(!is_recent(Instant::now().checked_sub(OVER)));
    }
}
