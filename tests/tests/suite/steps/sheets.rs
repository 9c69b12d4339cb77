//! Links that are made once: of a sheet of QR codes, and the one that tries a form.

use anyhow::{Result, ensure};
use chrono::{TimeDelta, Utc};
use domain::link::{BusPropIds, Token, TrackFields};
use store::form::{Link, NewLink};
use uuid::Uuid;

use super::survey::Survey;

#[tokio::test]
async fn a_sheet_has_one_link_a_store_that_lasts_however_many_others_there_are() -> Result<()> {
    let survey = Survey::open().await?;
    let (store, form) = (&survey.ledger.store, survey.form);
    let link = |bus_prop_ids: BusPropIds, kiosk| NewLink {
        account_id: form.account_id,
        form_id: form.form_id,
        token: Token::new(*Uuid::new_v4().as_bytes()),
        bus_prop_ids,
        track_fields: TrackFields::default(),
        expires_at: None,
        max_responses: None,
        name: None,
        kiosk,
        is_test: !kiosk,
        made_by: None,
        made_from: None,
    };
    let sheet = || {
        let stores = (1..=40).map(|id: u32| anyhow::Ok(link(id.to_string().parse()?, true)));
        stores.collect::<Result<Vec<_>>>()
    };
    let mut others = sheet()?;
    others[0].expires_at = Some(Utc::now() + TimeDelta::days(1));
    others[1].max_responses = Some(5);
    others[2].track_fields.push("zone=north")?;
    others[3].kiosk = false;
    others[6].name = Some("Counter".to_owned());
    store.create_link(&others[6]).await?;
    let deleted = store.create_link(&others[4]).await?.token;
    store.delete_link(form.account_id, &deleted).await?;
    for other in &others[..4] {
        store.create_link(other).await?;
    }
    let lasts = store.create_link(&others[5]).await?;

    let made = store.keep_links(form, &sheet()?).await?;
    ensure!(made[5].link_id == lasts.link_id, "made twice");
    ensure!(made[6].name.is_none(), "another's link is taken");
    let ids: Vec<_> = made
        .iter()
        .map(|link| link.bus_prop_ids.to_string())
        .collect();
    let wanted: Vec<_> = (1..=40).map(|id| id.to_string()).collect();
    ensure!(ids == wanted, "{ids:?}");
    let by_hand = store.links_by_hand(form, None, 100).await?.rows;
    ensure!(by_hand.len() == 46, "{}", by_hand.len());
    let tokens = |links: &[Link]| -> Vec<Token> { links.iter().map(|link| link.token).collect() };
    let again = store.keep_links(form, &sheet()?).await?;
    ensure!(tokens(&again) == tokens(&made), "made twice");
    let read = store.kept_links(&sheet()?).await?;
    let read: Vec<_> = read.into_iter().flatten().collect();
    ensure!(tokens(&read) == tokens(&made), "others are read");

    let tries = [link(BusPropIds::default(), false)];
    let first = store.keep_links(form, &tries).await?;
    let second = store
        .keep_links(form, &[link(BusPropIds::default(), false)])
        .await?;
    ensure!(
        first[0].is_test && tokens(&first) == tokens(&second),
        "{second:?}"
    );
    Ok(())
}
