//! The list of a form's links.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tests::app::App;
use tests::form::{FORM, LINK, form, form_path, pairs, short_form};

/// Tokens of links.
fn tokens(links: &[Value]) -> Vec<&str> {
    links
        .iter()
        .map(|link| link["token"].as_str().unwrap_or_default())
        .collect()
}

#[tokio::test]
async fn a_forms_links_are_listed_newest_first_in_pages() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let published = client.published(&form()).await?;
    let other = client.published(&form()).await?;
    let path = format!("{}/link", form_path(&published));
    let empty = client.get(&path).await?.expect(200)?.json()?;
    ensure!(
        empty == json!({"items": [], "next_cursor": null}),
        "{empty}"
    );
    let mut links = Vec::new();
    for number in 0..7 {
        let order = format!("order={number}");
        let body = [("track_field", order.as_str())];
        links.push(client.link(&published, "1_2", &body).await?);
        client.link(&other, "", &[]).await?;
    }
    links.reverse();
    let deleted = links.get(3).context("no link")?;
    let token = deleted["token"].as_str().context("no token")?;
    let deleted = client.delete(&format!("{LINK}/{token}")).await?;
    deleted.expect(204)?;
    for limit in [1, 3, 7, 1_000] {
        let (listed, pages) = client.pages(&format!("{path}?limit={limit}")).await?;
        ensure!(tokens(&listed) == tokens(&links), "{listed:?}");
        ensure!(pages == 7_usize.div_ceil(limit), "{pages} pages of {limit}");
        for item in &listed {
            let read = client.read_link(item).await?;
            ensure!(*item == read, "{item} reads as {read}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_forms_links_are_narrowed_by_their_tracking_fields() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let published = client.published(&short_form("x")).await?;
    let other = client.published(&short_form("y")).await?;
    let path = format!("{}/link", form_path(&published));
    let mut made = Vec::new();
    for number in 0..8 {
        let zone = ["zone=north & ü", "zone=south"][number % 2];
        let shop = format!("shop={}", number % 3);
        let body = [("track_field", zone), ("track_field", shop.as_str())];
        made.push(client.link(&published, "", &body).await?);
        client.link(&other, "", &body).await?;
    }
    made.reverse();
    for (wanted, count) in [
        (&["zone=north & ü"][..], 4),
        (&["shop=1"], 3),
        (&["shop=1", "zone=south"], 2),
        (&["zone=south", "shop=1"], 2),
        (&["zone=north"], 0),
        (&["zone=", "shop=1"], 0),
        (&["shop=1", "zone=north & ü", "order=7"], 0),
    ] {
        let query: Vec<_> = wanted.iter().map(|text| ("track_field", *text)).collect();
        let expected = made.iter().filter(|link| {
            wanted.iter().all(|text| {
                let (name, value) = text.split_once('=').unwrap_or_default();
                link["track_fields"][name] == value
            })
        });
        let expected: Vec<Value> = expected.cloned().collect();
        ensure!(expected.len() == count, "{wanted:?}");
        for limit in [1, 2, 50] {
            let path = format!("{path}?{}&limit={limit}", pairs(&query));
            let (listed, _) = client.pages(&path).await?;
            ensure!(
                tokens(&listed) == tokens(&expected),
                "{wanted:?}: {listed:?}"
            );
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_list_of_links_that_cannot_be_is_refused() -> Result<()> {
    let app = App::start().await?;
    let (client, others) = (app.client().await?, app.client().await?);
    let published = client.published(&short_form("x")).await?;
    for _ in 0..2 {
        let body = [("track_field", "a=1")];
        client.link(&published, "", &body).await?;
    }
    let path = format!("{}/link", form_path(&published));
    let first = client.get(&format!("{path}?limit=1")).await?.json()?;
    let cursor = first["next_cursor"].as_str().context("no cursor")?;
    let elsewhere = client.published(&short_form("y")).await?;
    for path in [
        format!("{path}?limit=0"),
        format!("{path}?cursor=nonsense"),
        format!("{path}?track_field=a"),
        format!("{path}?track_field=a%3D1&track_field=a%3D2"),
        format!("{path}?track_field=a%3D1&cursor={cursor}"),
        format!("{path}?order=7"),
        format!("{}/link?cursor={cursor}", form_path(&elsewhere)),
        format!("{FORM}/nonsense/link"),
    ] {
        let answer = client.get(&path).await?;
        let refused = answer.problem(400, "invalid_parameter");
        refused.with_context(|| path.clone())?;
    }
    let unknown = format!("{FORM}/01890000-0000-7000-8000-000000000000/link?limit=0");
    client.get(&unknown).await?.problem(404, "not_found")?;
    others.get(&path).await?.problem(404, "not_found")?;
    let posted = client.post(&path).await?;
    posted.problem(405, "method_not_allowed")?;
    Ok(())
}
