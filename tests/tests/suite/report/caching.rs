//! Tags, 304 and where an answer came from: same data, same bytes; new data, new bytes.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::json;
use tests::app::App;
use tests::client::Answer;
use tests::form::form_path;
use tests::report::{Of, etag, overview};
use tests::wait::{SOON, eventually};

use super::stage::{Stage, small_form};
use super::week::{self, WEEK};

fn source(answer: &Answer) -> Result<&str> {
    let source = answer.header("cache-status").context("no Cache-Status")?;
    ensure!(source.starts_with("feedback; "), "another cache: {source}");
    Ok(source)
}

#[tokio::test]
async fn the_same_data_is_the_same_bytes_and_need_not_be_sent_again() -> Result<()> {
    let stage = Stage::of(App::setup().apis(2).start().await?, "UTC").await?;
    let week = week::play(&stage).await?;
    stage
        .report(Of::Form, &week.form, WEEK, "", (11, 7))
        .await?;
    let last = stage.app.apis.last().context("no api")?.base();
    let elsewhere = stage.owner.at(last);
    let mut paths = vec![overview(WEEK)];
    for bus_prop in ["", "store:Berlin"] {
        paths.extend(Of::ALL.map(|of| of.path(&week.form, WEEK, bus_prop)));
    }
    for path in paths {
        let context = || path.clone();
        let first = stage.owner.get(&path).await?.expect(200)?;
        source(&first).with_context(context)?;
        let tag = etag(&first).with_context(context)?;
        for client in [&stage.owner, &elsewhere] {
            let again = client.get(&path).await?.expect(200)?;
            ensure!(again.body == first.body, "{path}: other bytes");
            ensure!(etag(&again)? == tag, "{path}: another tag");
            source(&again).with_context(context)?;
            for tags in [
                tag.clone(),
                format!("W/{tag}"),
                "*".to_owned(),
                format!("\"nonsense\", W/{tag}, \"more\""),
            ] {
                let same = client.get_unless(&path, &tags).await?;
                ensure!(same.status == 304, "{path} {tags}: {same:?}");
                ensure!(same.body.is_empty(), "{path}: a body in a 304");
                ensure!(etag(&same)? == tag, "{path}: another tag in a 304");
            }
            for tags in ["\"nonsense\"", "nonsense", "", "W/\"0.0.0\""] {
                client.get_unless(&path, tags).await?.expect(200)?;
            }
        }
    }
    Ok(())
}

#[tokio::test]
async fn new_data_are_new_bytes_under_a_new_tag() -> Result<()> {
    let stage = Stage::open().await?;
    let form = stage.owner.published(&small_form("Tags")).await?;
    let link = stage.owner.link(&form, "1", &[]).await?;
    let mut paths = vec![overview(WEEK)];
    paths.extend(Of::ALL.map(|of| of.path(&form, WEEK, "")));
    let mut before = Vec::new();
    for path in &paths {
        before.push(etag(&stage.owner.get(path).await?.expect(200)?)?);
    }
    let answers = json!({"score": 3, "words": "new"});
    stage
        .answered(&link, "2026-03-05T12:00:00Z", &answers)
        .await?;
    for (path, tag) in paths.iter().zip(&before) {
        let changed = eventually(SOON, async || {
            stage.owner.get_unless(path, tag).await?.expect(200)
        })
        .await?;
        ensure!(etag(&changed)? != *tag, "{path}: the same tag");
    }
    // A form's title is in its reports.
    let path = Of::Summary.path(&form, WEEK, "");
    let tag = etag(&stage.owner.get(&path).await?.expect(200)?)?;
    let mut edited = small_form("Other tags");
    edited["bus_props"] = form["bus_props"].clone();
    stage
        .owner
        .send_json(Method::PUT, &form_path(&form), &edited)
        .await?
        .expect(200)?;
    let changed = eventually(SOON, async || {
        stage.owner.get_unless(&path, &tag).await?.expect(200)
    })
    .await?;
    ensure!(changed.json()?["title"] == "Other tags", "{changed:?}");
    Ok(())
}

#[tokio::test]
async fn each_representation_has_a_tag_of_its_own() -> Result<()> {
    let stage = Stage::open().await?;
    let week = week::play(&stage).await?;
    stage.list(Of::Feedbacks, &week.form, WEEK, "", 7).await?;
    let path = Of::Feedbacks.path(&week.form, WEEK, "");
    let whole = etag(&stage.owner.get(&path).await?.expect(200)?)?;
    for other in [
        format!("{path}?limit=3"),
        format!("{path}?track_field=order%3D4711"),
        Of::Comments.path(&week.form, WEEK, ""),
        Of::Feedbacks.path(&week.form, WEEK, "store:Berlin"),
    ] {
        let answer = stage.owner.get_unless(&other, &whole).await?.expect(200)?;
        ensure!(etag(&answer)? != whole, "{other}: the same tag");
    }
    for kind in ["text/csv", "application/x-ndjson"] {
        let call = stage.owner.call(Method::GET, &path);
        let call = call.header("accept", kind).header("if-none-match", &whole);
        let answer = call.send().await?.expect(200)?;
        ensure!(
            answer.header("etag") != Some(&whole),
            "{kind}: the tag of the JSON"
        );
        let vary = answer.header("vary").unwrap_or_default().to_lowercase();
        ensure!(vary.contains("accept"), "{kind}: Vary is {vary}");
    }
    Ok(())
}

#[tokio::test]
async fn nobody_is_given_what_was_rendered_for_another_account() -> Result<()> {
    let stage = Stage::open().await?;
    let week = week::play(&stage).await?;
    stage
        .report(Of::Form, &week.form, WEEK, "", (11, 7))
        .await?;
    let others = stage.app.client().await?;
    for of in Of::ALL {
        let path = of.path(&week.form, WEEK, "");
        let tag = etag(&stage.owner.get(&path).await?.expect(200)?)?;
        others.get(&path).await?.problem(404, "not_found")?;
        let answer = others.get_unless(&path, &tag).await?;
        answer.problem(404, "not_found")?;
        stage
            .app
            .anonymous()?
            .get_unless(&path, &tag)
            .await?
            .problem(401, "unauthenticated")?;
        let narrow = ["--scopes", "import,form,link"];
        let keys = stage.app.create_key("shop", &narrow).await?;
        let narrow = stage.app.anonymous()?.with_keys(&keys);
        let answer = narrow.get_unless(&path, &tag).await?;
        answer.problem(403, "forbidden")?;
    }
    let path = overview(WEEK);
    let tag = etag(&stage.owner.get(&path).await?.expect(200)?)?;
    let theirs = others.get_unless(&path, &tag).await?.expect(200)?;
    ensure!(theirs.json()?["metrics"]["views"] == 0, "{theirs:?}");
    Ok(())
}

#[tokio::test]
async fn a_report_that_is_read_again_and_again_comes_from_a_cache() -> Result<()> {
    let stage = Stage::open().await?;
    let week = week::play(&stage).await?;
    stage
        .report(Of::Form, &week.form, WEEK, "", (11, 7))
        .await?;
    let path = Of::Form.path(&week.form, WEEK, "");
    eventually(SOON, async || {
        let answer = stage.owner.get(&path).await?.expect(200)?;
        let source = source(&answer)?;
        ensure!(source.contains("hit"), "never a hit: {source}");
        Ok(())
    })
    .await
}
