//! Pages of large items end early, and many who read them at once all get theirs.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use futures::future::try_join_all;
use serde_json::{Value, json};
use tests::app::App;
use tests::form::FORM;
use tests::report::page;

const FORMS: usize = 250;
const CALLERS: usize = 24;
/// A page ends with the item that reaches 4 MiB.
const PAGE: usize = (4 << 20) + (1 << 20);

/// A form of 0.9 MB.
fn large_form() -> Value {
    let texts = (0..1_000).map(|n| format!("store:{n}-{}", "ü".repeat(425)));
    json!({"title": "Large", "bus_props": texts.collect::<Vec<_>>(), "fields": []})
}

/// Makes more forms that are like the only one in DRAFT.
async fn copy_form(app: &App, copies: usize) -> Result<()> {
    let new_id = if app.embedded() {
        "randomblob(16)"
    } else {
        "gen_random_uuid()"
    };
    let each = vec!["(1)"; copies].join(",");
    app.sql(&format!(
        "INSERT INTO form (account_id, form_id, status, title, content, revision, created_at, updated_at)
         SELECT account_id, {new_id}, status, title, content, revision, created_at, updated_at FROM form, (VALUES {each}) n
          WHERE status = 'DRAFT'"
    ))
    .await?;
    Ok(())
}

#[tokio::test]
async fn callers_who_list_large_forms_at_once_all_get_pages_of_a_few_megabytes() -> Result<()> {
    let app = App::start().await?;
    let (client, witness) = (app.client().await?, app.client().await?);
    client.draft(&large_form()).await?;
    copy_form(&app, FORMS - 1).await?;
    let path = format!("{FORM}/list/DRAFT");
    let first = try_join_all((0..CALLERS).map(|_| client.get(&path)));
    let others = try_join_all((0..CALLERS).map(|_| witness.get(&path)));
    let (first, others) = tokio::try_join!(first, others)?;
    for answer in &others {
        ensure!(answer.status == 200, "the witness got {answer:?}");
    }
    for answer in &first {
        ensure!(answer.status == 200, "{} for a page", answer.status);
        let size = answer.body.len();
        ensure!((PAGE / 2..PAGE).contains(&size), "a page of {size} bytes");
    }
    let (mut listed, mut next) = (BTreeSet::new(), Some(format!("{path}?limit=1000")));
    let mut count = 0;
    while let Some(path) = next {
        let answer = client.get(&path).await?.expect(200)?;
        ensure!(
            answer.body.len() < PAGE,
            "a page of {} bytes",
            answer.body.len()
        );
        let items;
        (items, next) = page(&answer)?;
        count += items.len();
        for item in &items {
            listed.insert(item["form_id"].as_str().context("no id")?.to_owned());
        }
    }
    ensure!(count == FORMS && listed.len() == FORMS, "{count} listed");
    Ok(())
}
