//! Contract §8: sending.

mod audience;
mod driver;
mod faults;
mod funnel;
mod kannel;
mod life;
mod lists;
mod peer;
mod providers;
mod replies;
mod reports;
mod segments;
mod smpp;

use tests::app::{App, Setup};

/// A service with these senders.
fn with_senders(senders: &str) -> Setup {
    App::setup()
        .setting("FEEDBACK_SENDERS", senders)
        .setting("FEEDBACK_PUBLIC_URL", "https://feedback.example")
}

/// A service whose simulated provider is quick and has no failures.
fn with_demo() -> Setup {
    with_senders("demo=demo:?delay=10ms&failures=0&rate=100000&window=200")
}
