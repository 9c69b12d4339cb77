//! The hostile loads of programs with keys, and of whoever opens a link. Each goes on until it is dropped.

use std::time::Duration;

use anyhow::{Result, ensure};
use futures::future::try_join_all;
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::App;
use tests::bench::million;
use tests::client::Client;
use tests::form::{FORM, LINK, form_path, short_form};
use tests::hostile::{all_bus_props, broken_records, huge_answers, huge_form, large_form};
use tests::import::{Accepted, IMPORT, JSON};
use tests::upload::{Pace, Upload};
use tests::visitor::Visitor;

const HUGE_ANSWERS: usize = 60;
const FORMS: usize = 250;
const LISTERS: usize = 24;
const IMPORTS: u32 = 10;
const READERS: usize = 100;
const READY: usize = 500;
const WRITERS: usize = 40;
/// Clients that write little.
const SMALL: usize = 1_000;
/// Clients that import much, and how many records.
const IN_LINE: usize = 8;
const QUEUED: u32 = 250_000;
/// Of a form of 0.35 MB.
const FIELDS: usize = 35;

/// Answers of 680 kB, sixty at once.
pub(super) async fn answers(app: &App) -> Result<()> {
    let hostile = app.client().await?;
    let form = hostile.published(&huge_form()).await?;
    let link = hostile.link(&form, &all_bus_props(), &[]).await?;
    let (public, answers) = (app.anonymous()?, huge_answers());
    loop {
        let posts = (0..HUGE_ANSWERS).map(|_| {
            let visitor = Visitor::new(&public, &link);
            async { visitor?.answer(&answers).await }
        });
        try_join_all(posts).await?;
    }
}

/// Uploads that hardly come.
pub(super) async fn uploads(app: &App) -> Result<()> {
    let hostile = app.client().await?;
    let four = (0..4).map(|_| (1, 40_000));
    let five = (0..5).map(|_| (1_500_000, 110_000));
    let uploads = four.chain(five).chain([(1, 1_000)]);
    let again = uploads.map(|(first, rate)| {
        let hostile = &hostile;
        async move {
            loop {
                let pace = Pace {
                    at_once: first,
                    rate,
                    records: usize::MAX,
                };
                Upload::start(hostile, "slow", pace).answer().await?;
            }
        }
    });
    try_join_all(again).await.map(|_: Vec<()>| ())
}

/// Bodies with a hundred million problems, two at once.
pub(super) async fn errors(app: &App) -> Result<()> {
    let hostile = app.client().await?;
    let body = broken_records()?;
    let again = (0..2).map(|_| async {
        loop {
            let post = hostile.call(Method::POST, IMPORT);
            let post = post.header("content-encoding", "gzip");
            post.body(JSON, body.clone()).send().await?;
        }
    });
    try_join_all(again).await.map(|_: Vec<()>| ())
}

/// An account with many large forms.
pub(super) async fn forms(app: &App) -> Result<Client> {
    let hostile = app.client().await?;
    let form = huge_form();
    for _ in 0..FORMS {
        hostile.draft(&form).await?;
    }
    Ok(hostile)
}

/// Their list, asked for by many at once.
pub(super) async fn lists(hostile: &Client) -> Result<()> {
    let path = format!("{FORM}/list/DRAFT?limit=1000");
    let again = (0..LISTERS).map(|_| async {
        loop {
            hostile.get(&path).await?;
        }
    });
    try_join_all(again).await.map(|_: Vec<()>| ())
}

/// Imports of so many records, ten of them, and again.
pub(super) async fn giant(app: &App, records: u32) -> Result<()> {
    let body = million::body(&million::at_random(records));
    loop {
        let hostile = app.client().await?;
        for _ in 0..IMPORTS {
            Accepted::read(hostile.import_as(JSON, body.clone()).await?)?;
        }
        // Until they are stored there is nothing to add.
        let pending = || async {
            let list = hostile.get(IMPORT).await?.expect(200)?.json()?;
            let open = list["items"].as_array().into_iter().flatten();
            anyhow::Ok(open.filter(|batch| batch["status"] != "completed").count())
        };
        while pending().await? > 0 {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
}

/// A link with so many views, as its owner.
pub(super) struct SeenLink {
    hostile: Client,
    link: Value,
}

/// Views of a visit each, put into the tables beside the service, as they would be once they are rolled up.
pub(super) async fn seen_link(app: &App, views: u32) -> Result<SeenLink> {
    let hostile = app.client().await?;
    let form = hostile.published(&short_form("seen")).await?;
    let link = hostile.link(&form, "", &[]).await?;
    let token = link["token"].as_str().unwrap_or_default();
    let fill = format!(
        "INSERT INTO visit_view (account_id, link_id, visit, day, form_id, seen_at)
         SELECT account_id, link_id, gen_random_uuid(), current_date, form_id, now()
           FROM link, generate_series(1, {views}) WHERE token = '{token}';
         INSERT INTO link_rollup (account_id, form_id, link_id, views, responses)
         SELECT account_id, form_id, link_id, {views}, 0 FROM link WHERE token = '{token}'"
    );
    app.sql(&fill).await?;
    let read = hostile.read_link(&link).await?;
    ensure!(read["views"] == json!(views), "other views: {read}");
    Ok(SeenLink { hostile, link })
}

/// Read by many at once.
pub(super) async fn read_link(seen: &SeenLink) -> Result<()> {
    let path = format!("{LINK}/{}", seen.link["token"].as_str().unwrap_or_default());
    let again = (0..READERS).map(|_| async {
        loop {
            seen.hostile.get(&path).await?;
        }
    });
    try_join_all(again).await.map(|_: Vec<()>| ())
}

/// Whether the instance is ready, asked for by many at once.
pub(super) async fn ready(app: &App) -> Result<()> {
    let public = app.anonymous()?;
    let again = (0..READY).map(|_| async {
        loop {
            public.get("/health/ready").await?.expect(200)?;
        }
    });
    try_join_all(again).await.map(|_: Vec<()>| ())
}

/// Imports of one record and erasures, of one key.
pub(super) async fn small(app: &App) -> Result<()> {
    let hostile = app.client().await?;
    let again = (0..SMALL).map(|number| {
        let hostile = &hostile;
        async move {
            let docid = format!("small-{number}");
            let record = json!([{"docid": docid, "phone": "+4915112345678"}]);
            loop {
                // Of so many some are refused.
                hostile.send_json(Method::POST, IMPORT, &record).await?;
                hostile.erase(&docid).await?;
            }
        }
    });
    try_join_all(again).await.map(|_: Vec<()>| ())
}

/// Large imports of one key, a few at once.
pub(super) async fn queue(app: &App) -> Result<()> {
    let hostile = app.client().await?;
    let body = million::body(&million::at_random(QUEUED));
    let again = (0..IN_LINE).map(|_| async {
        loop {
            hostile.import_as(JSON, body.clone()).await?;
        }
    });
    try_join_all(again).await.map(|_: Vec<()>| ())
}

/// Large forms, made and replaced with one key by forty clients, every other one each.
pub(super) async fn writes(app: &App) -> Result<()> {
    let hostile = app.client().await?;
    let body = large_form(FIELDS);
    let again = (0..WRITERS).map(|number| {
        let (hostile, body) = (&hostile, &body);
        async move {
            let form = hostile.draft(body).await?;
            loop {
                let (method, path) = match number % 2 {
                    0 => (Method::POST, FORM.to_owned()),
                    _ => (Method::PUT, form_path(&form)),
                };
                hostile.send_json(method, &path, body).await?;
            }
        }
    });
    try_join_all(again).await.map(|_: Vec<()>| ())
}
