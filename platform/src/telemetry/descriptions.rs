//! What each metric means: the HELP of `/metrics`, which docs/METRICS.md repeats.

use metrics::{counter, describe_counter, describe_gauge, describe_histogram};

/// A metric, by its name and meaning.
enum Description {
    /// A counter without labels.
    Counter(&'static str, &'static str),
    /// A counter with a label that has no other values than these.
    CounterBy(
        &'static str,
        &'static str,
        &'static str,
        &'static [&'static str],
    ),
    /// A counter with labels whose values show with the first event.
    OpenCounter(&'static str, &'static str),
    Gauge(&'static str, &'static str),
    Histogram(&'static str, &'static str),
}

use Description::{Counter, CounterBy, Gauge, Histogram, OpenCounter};

const DESCRIPTIONS: [Description; 44] = [
    // Requests.
    OpenCounter(
        "feedback_http_requests_total",
        "Requests that were answered, by route, method and status",
    ),
    Histogram(
        "feedback_http_request_seconds",
        "Time from a request's head to its answer's head, by route and method",
    ),
    CounterBy(
        "feedback_commits_total",
        "Commits of groups of answers, views and receipts",
        "group",
        &["answers", "views", "receipts"],
    ),
    // Imports.
    OpenCounter(
        "feedback_imports_total",
        "Imports that were answered: accepted, refused, or the code of a problem",
    ),
    Histogram(
        "feedback_import_seconds",
        "Time from an import's head to its answer",
    ),
    Histogram(
        "feedback_import_parse_seconds",
        "Time in which an import was read, without waiting for its sender or the database",
    ),
    Counter(
        "feedback_import_body_bytes_total",
        "Bytes of imports, decompressed",
    ),
    CounterBy(
        "feedback_import_records_total",
        "Records that imports brought",
        "result",
        &["accepted", "rejected"],
    ),
    CounterBy(
        "feedback_import_chunks_total",
        "Tries to store a chunk of an import, by what they came to",
        "outcome",
        &["stored", "failed", "parked", "put_off"],
    ),
    Histogram(
        "feedback_import_chunk_seconds",
        "Time in which a chunk was stored, by lane",
    ),
    CounterBy(
        "feedback_import_stored_records_total",
        "Records that were stored, by what they changed",
        "outcome",
        &["created", "updated", "unchanged", "superseded"],
    ),
    Counter(
        "feedback_import_waits_total",
        "Tries to store a chunk that found the database away",
    ),
    Gauge(
        "feedback_import_waiting_chunks",
        "Chunks of accepted imports that are not stored yet, by lane, of at most 10,000 imports",
    ),
    Gauge(
        "feedback_import_parked_chunks",
        "Chunks that failed for good and wait for somebody, by lane, of at most 10,000 imports",
    ),
    Gauge(
        "feedback_import_oldest_chunk_seconds",
        "Time since the oldest import with waiting chunks was accepted, by lane; 0 where none wait",
    ),
    // Answers and reports.
    OpenCounter(
        "feedback_answers_total",
        "Answers that people sent: stored, or the code of a problem",
    ),
    Counter("feedback_views_total", "Views of forms that were counted"),
    Counter(
        "feedback_rolled_up_deltas_total",
        "Pending counts that were added to the rollups",
    ),
    Histogram(
        "feedback_rollup_seconds",
        "Time in which pending counts of a form were added to the rollups",
    ),
    Gauge(
        "feedback_rollup_lag_seconds",
        "Age of the oldest counts that no report shows yet; 0 where there are none",
    ),
    CounterBy(
        "feedback_cache_gets_total",
        "Entries that were asked of Redis, by what came back",
        "outcome",
        &["hit", "miss", "error"],
    ),
    // Messages.
    OpenCounter(
        "feedback_messages_total",
        "Results of handing messages over, by sender and status",
    ),
    OpenCounter(
        "feedback_receipts_total",
        "Receipts of messages that came from providers, by sender and status",
    ),
    Histogram(
        "feedback_message_lag_seconds",
        "Time from the moment at which a message is due until it is handed over, by sender",
    ),
    Gauge(
        "feedback_messages_due",
        "Messages of running campaigns that may be sent by now, by sender, at most 10,000",
    ),
    Gauge(
        "feedback_messages_oldest_due_seconds",
        "Time since the oldest of these messages was due, by sender; 0 where none are",
    ),
    Gauge(
        "feedback_messages_unknown",
        "Messages of which nobody knows whether they were sent, by sender, of campaigns that go on or ended within a week",
    ),
    Gauge(
        "feedback_unmatched_receipts",
        "Receipts between a minute and an hour old that fit no message, by sender, at most 10,000",
    ),
    OpenCounter(
        "feedback_sender_states_total",
        "Changes of a sender to a state",
    ),
    Gauge("feedback_senders", "Senders in the settings of the process"),
    Gauge(
        "feedback_sender_state",
        "1 for the state in which a sender is, 0 for the others",
    ),
    // Processes and servers.
    Gauge(
        "feedback_worker_heartbeat_age_seconds",
        "Time since a loop of the worker last showed that it turns",
    ),
    Gauge(
        "feedback_backlog_timestamp_seconds",
        "Unix time at which the worker last read from the database what waits",
    ),
    CounterBy(
        "feedback_queue_published_total",
        "Notifications that were published",
        "outcome",
        &["ok", "error"],
    ),
    Counter(
        "feedback_queue_interruptions_total",
        "Times at which the broker was lost or not there",
    ),
    Gauge(
        "feedback_database_connections",
        "Connections to the database by pool, used and idle",
    ),
    Gauge(
        "feedback_database_connections_max",
        "Connections to the database that the process opens at most, by pool",
    ),
    Gauge(
        "feedback_database_disk_full",
        "1 while the database has no room to store anything, else 0",
    ),
    Gauge(
        "feedback_history_lost_seconds",
        "Time of which commits are lost, for an hour after a failover that lost some; else 0",
    ),
    Gauge(
        "feedback_replica_lag_seconds",
        "Age of the state that a standby is known to have, by its host",
    ),
    Gauge(
        "feedback_tls_certificate_end_timestamp_seconds",
        "Unix time at which the certificate of the listener ends",
    ),
    Gauge(
        "feedback_disk_free_bytes",
        "Free bytes of the disk with the embedded database",
    ),
    Gauge(
        "feedback_disk_size_bytes",
        "Size of the disk with the embedded database",
    ),
    Gauge(
        "process_resident_memory_bytes",
        "Resident memory of the process",
    ),
];

/// Describes all metrics. Counters begin at 0 where their labels are known: what appears with its first event hides that event from
/// `rate` and `increase`.
pub(super) fn describe() {
    for description in DESCRIPTIONS {
        match description {
            Counter(name, help) => {
                describe_counter!(name, help);
                counter!(name).increment(0);
            }
            CounterBy(name, help, label, values) => {
                describe_counter!(name, help);
                for value in values {
                    counter!(name, label => *value).increment(0);
                }
            }
            OpenCounter(name, help) => describe_counter!(name, help),
            Gauge(name, help) => describe_gauge!(name, help),
            Histogram(name, help) => describe_histogram!(name, help),
        }
    }
}
