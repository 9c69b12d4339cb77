//! Who asks on behalf of an account takes turns with others at the database.

use std::pin::pin;
use std::sync::Arc;

use anyhow::{Result, bail};
use platform::places::Places;
use store::{Gate, Gates, on_behalf_of};
use uuid::Uuid;

use super::fixture::Ledger;

const A: Uuid = Uuid::from_u128(1);
const B: Uuid = Uuid::from_u128(2);

#[tokio::test]
async fn an_account_that_has_its_share_waits_and_another_does_not() -> Result<()> {
    let ledger = Ledger::open().await?;
    let gate = || Arc::new(Places::shared(2, 1)) as Arc<dyn Gate>;
    let store = ledger.store.in_turns(Gates {
        connections: gate(),
        writer: gate(),
    });
    let held = on_behalf_of(A, store.snapshot()).await?;
    let mut waits = pin!(on_behalf_of(A, store.ping()));
    let others = async {
        for _ in 0..10 {
            // Whoever has a turn does not wait for one of their own.
            let both = async {
                let first = store.snapshot().await?;
                store.ping().await?;
                first.rollback().await
            };
            on_behalf_of(B, both).await?;
            store.ping().await?;
        }
        anyhow::Ok(())
    };
    tokio::select! {
        biased;
        _ = &mut waits => bail!("it did not wait for its turn"),
        others = others => others?,
    }
    held.rollback().await?;
    Ok(waits.await?)
}
