//! Ringing for chunks that wait in the ledger. A doorbell that fails is no loss: the worker's sweeper finds the chunks.

use domain::message::{Lane, Message};
use futures::{StreamExt, TryStreamExt, stream};
use tracing::Instrument;
use uuid::Uuid;

use api_http::AppState;
use platform::request_id::RequestId;

/// So many rings wait for the broker's confirmation at once.
const AT_ONCE: usize = 16;

/// Whose chunks to ring for.
pub struct Doorbell {
    pub account_id: Uuid,
    pub batch_id: Uuid,
    pub lane: Lane,
    pub request_id: RequestId,
}

impl Doorbell {
    /// Rings once a chunk, in a task of its own. The first failure ends it.
    pub fn ring_later(self, state: &AppState, chunk_nos: Vec<i64>) {
        let queue = state.queue().clone();
        let ringing = async move {
            let rung = stream::iter(chunk_nos)
                .map(Ok)
                .try_for_each_concurrent(AT_ONCE, async |chunk_no| {
                    queue.publish(self.lane, &self.message(chunk_no)).await
                })
                .await;
            if let Err(error) = rung {
                tracing::warn!(batch.id = %self.batch_id, %error, "doorbells failed; the sweeper takes over");
            }
        };
        state.tasks().spawn(ringing.in_current_span());
    }

    fn message(&self, chunk_no: i64) -> Message {
        Message::ImportChunkV1 {
            account_id: self.account_id,
            batch_id: self.batch_id,
            chunk_no,
            request_id: self.request_id.as_str().to_owned(),
        }
    }
}
