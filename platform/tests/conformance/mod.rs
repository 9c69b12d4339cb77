//! What every queue must do, whatever is behind it: each rule is one function, and each backend runs
//! all of them. What only one backend can do is tested beside its run.

// Each test binary uses a part.
#![allow(
    dead_code,
    clippy::allow_attributes,
    reason = "shared by several test binaries"
)]

/// Makes a test of each rule, run through a function that brings what it needs.
macro_rules! rules {
    ($suite:ident, $with:path: $($rule:ident,)+) => {
        mod $suite {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $rule() {
                    $with(crate::conformance::$suite::$rule).await;
                }
            )+
        }
    };
}

#[macro_use]
pub mod queue;

use std::time::Duration;

/// No rule takes longer than this, however busy the machine is.
pub const DEADLINE: Duration = Duration::from_secs(30);

/// Waits for something that must happen.
pub async fn soon<T>(what: &str, happening: impl Future<Output = T>) -> T {
    tokio::time::timeout(DEADLINE, happening)
        .await
        .unwrap_or_else(|_| panic!("not within {DEADLINE:?}: {what}"))
}

/// Asks again and again until the answer is yes.
pub async fn eventually(what: &str, mut condition: impl AsyncFnMut() -> bool) {
    soon(what, async {
        while !condition().await {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}
