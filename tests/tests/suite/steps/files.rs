//! Files that somebody looks at before they are imported.

use anyhow::{Result, ensure};
use chrono::Utc;
use store::import::Upload;
use uuid::Uuid;

use super::fixture::Ledger;

#[tokio::test]
async fn a_file_that_makes_room_for_others_takes_no_part_any_more() -> Result<()> {
    let ledger = Ledger::open().await?;
    let (store, account) = (&ledger.store, ledger.account_id);
    let file = |_| Upload {
        upload_id: Uuid::now_v7(),
        name: "a.csv".to_owned(),
        created_at: Utc::now(),
    };
    let files: Vec<Upload> = (0..8).map(file).collect();
    for file in &files {
        store.begin_upload(account, file).await?;
    }
    let mut kept = Vec::new();
    for Upload { upload_id, .. } in &files {
        ensure!(store.upload(account, *upload_id).await?.is_none(), "whole");
        let part = (b"a".to_vec(), true);
        let is_there = store.add_upload_part(account, *upload_id, 1, part).await?;
        ensure!(
            store.upload(account, *upload_id).await?.is_some() == is_there,
            "half"
        );
        kept.push(is_there);
    }
    ensure!(
        kept == [[false; 5].as_slice(), &[true; 3]].concat(),
        "{kept:?}"
    );
    Ok(())
}
