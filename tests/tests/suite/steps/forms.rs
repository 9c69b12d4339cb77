//! The life of a form in the store, and lists of forms.

use anyhow::Result;
use serde_json::json;
use store::form::{Form, FormChange, FormEdit, FormKey};
use store::{Error, PAGE_BYTES};
use uuid::Uuid;

use super::survey::{Survey, content, read_form};

#[tokio::test]
async fn every_change_of_a_form_raises_its_version_and_follows_its_life() -> Result<()> {
    let survey = Survey::open().await?;
    let (store, account) = (&survey.ledger.store, survey.form.account_id);
    let draft = store.create_form(account, &content()).await?;
    let id = draft.form_id;
    assert_eq!(store.form(account, id).await?.as_ref(), Some(&draft));
    assert_eq!(store.form(Uuid::new_v4(), id).await?, None);
    let mut renamed = content();
    renamed.title = "Renamed".to_owned();
    let stale = store
        .edit_form(account, id, Some(2), FormEdit::Replace(&renamed))
        .await?;
    assert!(matches!(stale, FormChange::Changed), "{stale:?}");
    let form = done(
        store
            .edit_form(account, id, Some(1), FormEdit::Replace(&renamed))
            .await?,
    );
    assert_eq!((form.revision, form.content.title.as_str()), (2, "Renamed"));
    let form = done(
        store
            .edit_form(account, id, None, FormEdit::Publish)
            .await?,
    );
    assert_eq!(form.published_at, Some(form.updated_at));
    let again = store
        .edit_form(account, id, Some(3), FormEdit::Publish)
        .await?;
    assert!(matches!(again, FormChange::Refused(_)), "{again:?}");
    let form = done(
        store
            .edit_form(account, id, Some(3), FormEdit::Delete)
            .await?,
    );
    assert_eq!(store.form(account, id).await?, Some(form));
    let dead = store
        .edit_form(account, id, Some(4), FormEdit::Replace(&renamed))
        .await?;
    assert!(matches!(dead, FormChange::Refused(_)), "{dead:?}");
    let foreign = store
        .edit_form(Uuid::new_v4(), id, None, FormEdit::Delete)
        .await?;
    assert!(matches!(foreign, FormChange::NotFound), "{foreign:?}");
    let version = store.form_data_version(FormKey::new(account, id)).await?;
    assert_eq!(version.map(|version| version.number), Some(4));
    Ok(())
}

/// A program of an older release takes an answer with a text beside a choice for a broken one.
#[tokio::test]
async fn a_text_beside_a_choice_waits_until_no_older_program_runs() -> Result<()> {
    let survey = Survey::open().await?;
    let (store, account) = (&survey.ledger.store, survey.form.account_id);
    let choice = json!({"title": "T", "bus_props": ["store:S1"], "fields": [
        {"key": "how", "type": "choice", "label": "How?", "required": false,
         "options": [{"value": "web", "label": "Web"}, {"value": "other", "label": "Other", "text": true}]}]});
    let asks = read_form(&choice);
    let draft = store.create_form(account, &asks).await?;
    let older = "UPDATE schema_version SET version = 9";
    survey.ledger.damage(older, account).await?;
    let made = store.create_form(account, &asks).await;
    assert!(matches!(made, Err(Error::UpgradeUnfinished)), "{made:?}");
    let (id, replace) = (draft.form_id, FormEdit::Replace(&asks));
    let replaced = store.edit_form(account, id, None, replace).await;
    let refused = matches!(replaced, Err(Error::UpgradeUnfinished));
    assert!(refused, "{replaced:?}");
    store.create_form(account, &content()).await?;
    Ok(())
}

fn done(change: FormChange) -> Form {
    match change {
        FormChange::Done(form) => *form,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn forms_are_listed_by_status_newest_first() -> Result<()> {
    use domain::form::FormStatus::{Deleted, Draft, Published};
    let survey = Survey::open().await?;
    let (store, account) = (&survey.ledger.store, survey.form.account_id);
    let mut drafts = Vec::new();
    for _ in 0..5 {
        drafts.push(store.create_form(account, &content()).await?.form_id);
    }
    drafts.reverse();
    let ids = async |status, before, limit| -> Result<Vec<Uuid>> {
        let forms = store.forms(account, status, before, limit).await?;
        let ids: Vec<Uuid> = forms.rows.iter().map(|form| form.form_id).collect();
        let is_whole = ids.len() < limit;
        assert_eq!(forms.next, ids.last().copied().filter(|_| !is_whole));
        Ok(ids)
    };
    assert_eq!(ids(Draft, None, 50).await?, drafts);
    assert_eq!(ids(Draft, None, 2).await?, drafts[..2]);
    assert_eq!(ids(Draft, Some(drafts[1]), 50).await?, drafts[2..]);
    assert_eq!(ids(Published, None, 50).await?, [survey.form.form_id]);
    assert_eq!(ids(Deleted, None, 50).await?, Vec::<Uuid>::new());
    Ok(())
}

#[tokio::test]
async fn a_page_of_large_forms_ends_early_and_goes_on_behind_its_last() -> Result<()> {
    use domain::form::FormStatus::Draft;
    let survey = Survey::open().await?;
    let (store, account) = (&survey.ledger.store, survey.form.account_id);
    let texts = (0..600).map(|n| format!("store:{n}-{}", "x".repeat(480)));
    let large = json!({"title": "Large", "bus_props": texts.collect::<Vec<_>>(), "fields": []});
    let large = read_form(&large);
    let mut forms = Vec::new();
    for _ in 0..30 {
        forms.push(store.create_form(account, &large).await?.form_id);
    }
    forms.reverse();
    let (mut listed, mut before, mut sizes) = (Vec::new(), None, Vec::new());
    loop {
        let page = store.forms(account, Draft, before, 1_000).await?;
        listed.extend(page.rows.iter().map(|form| form.form_id));
        let mut size = 0;
        for form in &page.rows {
            size += form.content.len();
        }
        sizes.push(size);
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    assert_eq!(listed, forms);
    assert!(sizes.len() > 2, "{sizes:?}");
    assert!(
        sizes.iter().all(|size| *size < PAGE_BYTES + (1 << 20)),
        "{sizes:?}"
    );
    Ok(())
}
