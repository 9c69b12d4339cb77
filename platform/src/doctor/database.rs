//! Whether the database, its standbys and what is stored are as they should be.

use std::fs;
use std::path::Path;

use chrono::{TimeDelta, Utc};
use domain::sms::SenderState;
use nix::sys::statvfs::statvfs;
use store::server::ServerFacts;
use store::{Error, Store, Workload, of_each_host};
use tokio::time::timeout;

use super::{ANSWER, Finding};
use crate::backends::connect;
use crate::config::Config;
use crate::migrate::folder_of;
use crate::one_line;

/// Clocks that differ by more put records, days and time limits at the wrong moment.
const CLOCKS: TimeDelta = TimeDelta::seconds(1);
/// The oldest PostgreSQL that was ever tried, as it writes its number.
const OLDEST_POSTGRES: i32 = 150_000;
/// The connections of one api and one worker.
const CONNECTIONS: i32 = 40;
/// Less room than this is soon used up by an import.
const LITTLE_ROOM: u64 = 1 << 30;

pub(super) async fn of_database(config: &Config) -> Vec<Finding> {
    let about = "database";
    let file = Store::file(config.database.expose()).ok().flatten();
    let mut findings = Vec::new();
    if let Some(file) = &file {
        findings.push(of_room(folder_of(file)));
        let Ok(kept) = fs::metadata(file) else {
            // To connect would make it.
            let found = format!("there is none at {} yet", file.display());
            findings.push(Finding::ok(about, found));
            return findings;
        };
        let found = format!("{}, {} MiB", file.display(), kept.len() >> 20);
        findings.push(Finding::ok(about, found));
    }
    let store = match connect(config, Workload::Maintenance(1)) {
        Ok(store) => store,
        Err(error) => {
            findings.push(Finding::wrong(
                about,
                error.to_string(),
                "correct the setting",
            ));
            return findings;
        }
    };
    let reached = match timeout(ANSWER, store.server_facts()).await {
        Ok(Ok(facts)) => {
            findings.extend(facts.iter().flat_map(of_server));
            true
        }
        Ok(Err(error)) => {
            let advice = "if it runs: host, port, user, password and database of DATABASE_URL, its firewall and pg_hba.conf";
            findings.push(Finding::wrong(about, one_line(&error), advice));
            false
        }
        Err(late) => {
            let advice = "see that it runs and that nothing between drops packets";
            findings.push(Finding::wrong(about, late.to_string(), advice));
            false
        }
    };
    if reached {
        findings.extend(of_stored(config, &store).await);
    }
    store.close().await;
    findings
}

/// The standbys that answer what only reads.
pub(super) async fn of_replicas(config: &Config) -> Vec<Finding> {
    let about = "replicas";
    let url = config.read_url.as_ref();
    let hosts = url.map(|url| of_each_host(url.expose()));
    let mut findings = Vec::new();
    for (n, host) in (1..).zip(hosts.unwrap_or_default()) {
        let advice = "host, port, user, password and database of DATABASE_READ_URL, its firewall and pg_hba.conf";
        let store = match Store::connect(&host, Workload::Maintenance(1)) {
            Ok(store) => store,
            Err(error) => {
                findings.push(Finding::wrong(about, one_line(&error), advice));
                continue;
            }
        };
        let facts = timeout(ANSWER, store.server_facts()).await;
        store.close().await;
        let finding = match facts {
            Ok(Ok(Some(facts))) if facts.is_read_only => {
                Finding::ok(about, format!("no. {n} is PostgreSQL {}", facts.version))
            }
            Ok(Ok(_)) => {
                let found = format!("no. {n} is no standby: it takes writes");
                Finding::wrong(about, found, "name standbys of the database alone")
            }
            // Reports come from the primary then.
            Ok(Err(error)) => {
                Finding::warning(about, format!("no. {n}: {}", one_line(&error)), advice)
            }
            Err(late) => Finding::warning(about, format!("no. {n}: {late}"), advice),
        };
        findings.push(finding);
    }
    findings
}

fn of_server(facts: &ServerFacts) -> Vec<Finding> {
    let about = "database";
    let found = format!("PostgreSQL {} at {}", facts.version, facts.address);
    let mut findings = vec![if facts.version_number < OLDEST_POSTGRES {
        Finding::warning(
            about,
            found,
            "use PostgreSQL 15 or newer: no older one was tried",
        )
    } else {
        Finding::ok(about, found)
    }];
    if facts.is_read_only {
        let advice = "promote it, or name the primary in DATABASE_URL";
        findings.push(Finding::wrong(about, "takes no writes", advice));
    }
    if !facts.is_durable {
        let advice = "set fsync = on and synchronous_commit = on";
        let found = "a power cut loses what was answered as stored";
        findings.push(Finding::warning("durability", found, advice));
    }
    if facts.lacks_standby {
        let found = "commits wait for a standby, and none is connected: nothing can be stored";
        let advice = "bring the standby back, or clear synchronous_standby_names and reload";
        findings.push(Finding::wrong("durability", found, advice));
    }
    let apart = (facts.now - Utc::now()).abs();
    let found = format!(
        "that of the database and this machine's differ by {:.1} s",
        apart.as_seconds_f64()
    );
    findings.push(if apart > CLOCKS {
        let advice = "let both be set by NTP";
        Finding::warning("clocks", found, advice)
    } else {
        Finding::ok("clocks", found)
    });
    let found = format!(
        "{} of {} connections are open; an api opens 24 at most, a worker 16",
        facts.connections, facts.max_connections
    );
    findings.push(if facts.max_connections < CONNECTIONS {
        Finding::warning("connections", found, "raise max_connections")
    } else {
        Finding::ok("connections", found)
    });
    if facts.foreign_tables > 0 {
        let found = format!("{} tables belong to another role", facts.foreign_tables);
        let advice = "migrate as a member of that role: FEEDBACK_MIGRATE_URL";
        findings.push(Finding::warning("privileges", found, advice));
    }
    findings
}

fn of_room(folder: &Path) -> Finding {
    let about = "disk";
    // It may be made at the start.
    let there = folder.ancestors().find(|folder| folder.exists());
    match statvfs(there.unwrap_or(Path::new("."))) {
        Ok(disk) => {
            let free = disk.blocks_available() * disk.fragment_size();
            let found = format!("{} MiB are free for the database", free >> 20);
            if free < LITTLE_ROOM {
                return Finding::warning(about, found, "make room before the next import");
            }
            Finding::ok(about, found)
        }
        Err(error) => Finding::warning(about, error.to_string(), "ask the system why"),
    }
}

/// What is stored cannot be read.
fn unread(about: &'static str, error: &Error) -> Finding {
    Finding::wrong(about, one_line(error), "the log of the database says why")
}

async fn of_stored(config: &Config, store: &Store) -> Vec<Finding> {
    let about = "schema";
    let plan = match store.migration_plan().await {
        Ok(plan) => plan,
        Err(error @ Error::Schema(_)) => {
            let advice = "name another database, or run the release that made this one";
            return vec![Finding::wrong(about, one_line(&error), advice)];
        }
        Err(error) => return vec![unread(about, &error)],
    };
    let Some(newest) = plan.newest else {
        return vec![Finding::ok(about, "empty: the first process makes it")];
    };
    if let Some(lowest) = plan.lowest.filter(|lowest| *lowest > plan.program) {
        let found = format!(
            "admits programs from {lowest} on, and this one is {}",
            plan.program
        );
        return vec![Finding::wrong(about, found, "run a newer release")];
    }
    if !plan.up.is_empty() {
        let found = format!("{newest}, and this program needs {}", plan.program);
        let advice =
            "run `feedback migrate`; `feedback serve` does so by itself when it is embedded";
        return vec![Finding::wrong(about, found, advice)];
    }
    let schema = if plan.finish.is_empty() {
        Finding::ok(about, newest.to_string())
    } else {
        let found = format!("{newest}, and an older release may still run on it");
        let advice = "once none does: `feedback migrate finish`";
        Finding::warning(about, found, advice)
    };
    let mut findings = vec![
        schema,
        of_pepper(config, store).await,
        of_senders(config, store).await,
    ];
    findings.extend(of_needed_senders(config, store).await);
    findings
}

/// Senders that campaigns need and the settings do not have.
async fn of_needed_senders(config: &Config, store: &Store) -> Option<Finding> {
    let about = "senders";
    let mut needed = match store.needed_senders().await {
        Ok(needed) => needed,
        Err(error) => return Some(unread(about, &error)),
    };
    needed.retain(|name| config.senders.iter().all(|sender| sender.name != *name));
    let advice = "put them back into FEEDBACK_SENDERS, or give the campaigns another sender";
    let names = needed.into_iter().collect::<Vec<_>>().join(", ");
    let found = format!("campaigns need {names}, which the settings do not have");
    (!names.is_empty()).then(|| Finding::warning(about, found, advice))
}

async fn of_senders(config: &Config, store: &Store) -> Finding {
    let about = "senders";
    let names: Vec<&str> = config
        .senders
        .iter()
        .map(|sender| sender.name.as_str())
        .collect();
    if names.is_empty() {
        return Finding::warning(about, "nobody carries messages", "set FEEDBACK_SENDERS");
    }
    let stored = match store.senders().await {
        Ok(stored) => stored,
        Err(error) => return unread(about, &error),
    };
    let in_error = stored.iter().filter(|sender| {
        sender.state == SenderState::Error && names.contains(&sender.name.as_str())
    });
    let in_error: Vec<_> = in_error
        .map(|sender| {
            format!(
                "{} ({})",
                sender.name,
                sender.reason.as_deref().unwrap_or("-")
            )
        })
        .collect();
    if in_error.is_empty() {
        return Finding::ok(about, names.join(", "));
    }
    let found = format!("{} refuse to carry messages", in_error.join(", "));
    Finding::warning(about, found, "look up the code: docs/senders")
}

/// Whether the pepper is the one that made the hashes in the database.
async fn of_pepper(config: &Config, store: &Store) -> Finding {
    let about = "pepper";
    let known = match store.known_pepper().await {
        Ok(known) => known,
        Err(error) => return Finding::wrong(about, one_line(&error), "see the database"),
    };
    if let Some(file) = config.pepper_file().filter(|file| !file.exists()) {
        let found = format!("{} is not there", file.display());
        if known.is_none() {
            return Finding::ok(about, format!("{found}: `feedback serve` makes it"));
        }
        let advice =
            "put it back, or set FEEDBACK_PEPPER: the phones in the database are hashed under it";
        return Finding::wrong(about, found, advice);
    }
    let pepper = match config.pepper() {
        Ok(Some(pepper)) => pepper,
        Ok(None) => return Finding::warning(about, "none: nothing is sent", "set FEEDBACK_PEPPER"),
        Err(error) => return Finding::wrong(about, error.to_string(), "correct it"),
    };
    if known.is_some_and(|known| !pepper.fingerprints().any(|own| own == known)) {
        let found = "another one than that which hashed the phones in the database";
        return Finding::wrong(about, found, "put the one of before back");
    }
    Finding::ok(about, "fits the database")
}
