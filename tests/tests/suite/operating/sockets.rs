//! Connections that stall, in either direction, hold up nobody else and hold a bounded amount of memory.

use anyhow::{Context, Result, ensure};
use axum::body::Body;
use axum::http::{Request, Response};
use chrono::{TimeDelta, Utc};
use futures::future::{join_all, try_join_all};
use hyper::body::Incoming;
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::App;
use tests::client::Client;
use tests::form::short_form;
use tests::report::Of;
use tests::visitor::Visitor;
use tests::wait::{LATER, SOON, eventually};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Connections that one address may have, where it is limited.
const FEW: usize = 8;
/// Connections of readers that never read, and what each asks for.
const READERS: usize = 3;
const REQUESTS: usize = 100;

async fn connect(base: &str) -> Result<TcpStream> {
    Ok(TcpStream::connect(host(base)).await?)
}

fn host(base: &str) -> &str {
    base.strip_prefix("http://").unwrap_or(base)
}

/// What a connection of its own is answered.
async fn ask(base: &str, path: &str) -> Result<String> {
    let mut socket = connect(base).await?;
    let host = host(base);
    let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    socket.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    socket.read_to_string(&mut answer).await?;
    Ok(answer)
}

/// A body that begins and does not go on.
async fn stall(base: &str, path: &str) -> Result<TcpStream> {
    let mut socket = connect(base).await?;
    let host = host(base);
    let request = format!(
        "POST {path} HTTP/1.1\r\nhost: {host}\r\norigin: {base}\r\ncontent-length: 1000\r\n\
         content-type: application/x-www-form-urlencoded\r\n\r\nname=a"
    );
    socket.write_all(request.as_bytes()).await?;
    Ok(socket)
}

#[tokio::test]
async fn where_all_connections_stall_health_and_metrics_still_answer() -> Result<()> {
    let app = App::setup()
        .setting("FEEDBACK_ADDRESS_CONNECTIONS", &FEW.to_string())
        .start()
        .await?;
    let base = app.anonymous()?.base().to_owned();
    let mut stalled = Vec::new();
    eventually(SOON, async || {
        // Whoever asked whether it is ready may have had a place still.
        if stalled.len() < 2 * FEW {
            stalled.push(stall(&base, "/dashboard/sign-in").await?);
        }
        let refused = ask(&base, "/dashboard/sign-in").await?;
        ensure!(refused.starts_with("HTTP/1.1 503 "), "answered: {refused}");
        ensure!(refused.contains("\r\nretry-after: 5\r\n"), "{refused}");
        ensure!(refused.contains(r#""code":"busy""#), "{refused}");
        Ok(())
    })
    .await?;
    for path in ["/health/live", "/health/ready", "/metrics"] {
        for answer in join_all((0..FEW).map(|_| ask(&base, path))).await {
            let answer = answer?;
            ensure!(answer.starts_with("HTTP/1.1 200 "), "{path}: {answer}");
        }
    }
    drop(stalled);
    eventually(SOON, async || {
        let answer = ask(&base, "/dashboard/sign-in").await?;
        ensure!(answer.starts_with("HTTP/1.1 200 "), "refused: {answer}");
        Ok(())
    })
    .await
}

/// It takes the minute that a body may be silent, so once is enough.
mod embedded_only {
    use super::*;

    #[tokio::test]
    async fn a_body_that_does_not_go_on_is_given_up() -> Result<()> {
        let app = App::start().await?;
        let base = app.anonymous()?.base().to_owned();
        let mut socket = stall(&base, "/dashboard/sign-in").await?;
        let mut answer = String::new();
        let ended = timeout(LATER, socket.read_to_string(&mut answer));
        ended.await.context("it is waited for")??;
        ensure!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
        Ok(())
    }
}

/// A connection over HTTP/2 whose reader takes nothing of any answer.
async fn never_reads(base: &str) -> Result<SendRequest<Body>> {
    let socket = TokioIo::new(connect(base).await?);
    let (client, connection) = Builder::new(TokioExecutor::new())
        .initial_stream_window_size(0)
        .handshake(socket)
        .await?;
    tokio::spawn(connection);
    Ok(client)
}

/// The answers to many requests for a path, of which nothing but the head is read.
async fn unread(
    reader: &SendRequest<Body>,
    client: &Client,
    path: &str,
    accept: &str,
) -> Result<Vec<Response<Incoming>>> {
    let keys = client.key_headers().ok();
    let keys = keys.iter().flatten();
    let keys = keys.map(|(name, value)| (*name, value.as_str()));
    let headers: Vec<_> = keys.chain([("accept", accept)]).collect();
    unread_with(reader, &format!("{}{path}", client.base()), &headers).await
}

async fn unread_with(
    reader: &SendRequest<Body>,
    url: &str,
    headers: &[(&str, &str)],
) -> Result<Vec<Response<Incoming>>> {
    let asking = (0..REQUESTS).map(|_| {
        let mut reader = reader.clone();
        let mut request = Request::get(url);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        async move {
            let request = request.body(Body::empty())?;
            Ok::<_, anyhow::Error>(reader.send_request(request).await?)
        }
    });
    try_join_all(asking).await
}

/// A frame of HTTP/2 (RFC 9113, 4.1).
struct Frame {
    kind: u8,
    flags: u8,
    stream: u32,
    payload: Vec<u8>,
}

const SETTINGS: u8 = 4;
const PING: u8 = 6;
const WINDOW_UPDATE: u8 = 8;
/// The flag of an answer to settings or to a ping.
const ACK: u8 = 1;
/// The setting of how much of a body may come before it is read, and its value where it is left out.
const INITIAL_WINDOW_SIZE: u8 = 4;
const LEAST_WINDOW: u32 = 65_535;

impl Frame {
    async fn read(socket: &mut TcpStream) -> Result<Self> {
        let mut head = [0; 9];
        let reading = timeout(SOON, socket.read_exact(&mut head));
        reading.await.context("no frame comes")??;
        let [high, middle, low, kind, flags, stream @ ..] = head;
        let length = u32::from_be_bytes([0, high, middle, low]);
        let mut payload = vec![0; usize::try_from(length)?];
        socket.read_exact(&mut payload).await?;
        Ok(Self {
            kind,
            flags,
            stream: u32::from_be_bytes(stream),
            payload,
        })
    }

    fn is_answer(&self) -> bool {
        self.flags & ACK == ACK
    }
}

#[tokio::test]
async fn over_http_2_no_more_of_a_body_comes_unread_than_must_be_taken() -> Result<()> {
    let app = App::start().await?;
    let mut socket = connect(app.anonymous()?.base()).await?;
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    let no_settings = [0, 0, 0, SETTINGS, 0, 0, 0, 0, 0];
    let begin = [preface.as_slice(), &no_settings].concat();
    socket.write_all(&begin).await?;
    let ping = [[0, 0, 8, PING, 0, 0, 0, 0, 0].as_slice(), b"feedback"].concat();
    let mut frames = Vec::new();
    // A window that is enlarged may come behind the first answer, but not behind the second one.
    for _ in 0..2 {
        socket.write_all(&ping).await?;
        loop {
            let frame = Frame::read(&mut socket).await?;
            let is_pong = frame.kind == PING && frame.is_answer();
            frames.push(frame);
            if is_pong {
                break;
            }
        }
    }
    let mut settings = frames.iter().filter(|frame| frame.kind == SETTINGS);
    let settings = settings.find(|frame| !frame.is_answer());
    let settings = &settings.context("no settings")?.payload;
    // Each has a number of two bytes, of which the first is 0, and a value of four.
    for &[_, setting, value @ ..] in settings.as_chunks::<6>().0 {
        let value = u32::from_be_bytes(value);
        let is_least = setting != INITIAL_WINDOW_SIZE || value <= LEAST_WINDOW;
        ensure!(is_least, "a stream begins with {value} bytes");
    }
    // A connection as a whole begins with the least window.
    let mut updates = frames.iter().filter(|frame| frame.kind == WINDOW_UPDATE);
    let is_more = updates.any(|frame| frame.stream == 0);
    ensure!(!is_more, "the connection begins with more");
    Ok(())
}

#[tokio::test]
async fn a_head_may_be_long_but_not_without_end() -> Result<()> {
    let app = App::start().await?;
    let base = app.anonymous()?.base().to_owned();
    // The library's own limit is 408 KiB.
    for (length, expected) in [(16_000, "200"), (100_000, "431")] {
        let mut socket = connect(&base).await?;
        let head = format!(
            "GET /health/live HTTP/1.1\r\nhost: {}\r\nconnection: close\r\nx-long: {}\r\n\r\n",
            host(&base),
            "a".repeat(length)
        );
        // A head that is refused is not read to its end, so that sending it and reading on may fail.
        let _ = socket.write_all(head.as_bytes()).await;
        let mut answer = Vec::new();
        let _ = socket.read_to_end(&mut answer).await;
        let answer = String::from_utf8(answer)?;
        let is_expected = answer.starts_with(&format!("HTTP/1.1 {expected} "));
        ensure!(is_expected, "{length}: {answer}");
    }
    Ok(())
}

/// A form whose page has more than a megabyte.
fn large_form() -> Value {
    let options = (0..100).map(|n| json!({"value": n.to_string(), "label": "ö".repeat(25)}));
    let options: Vec<Value> = options.collect();
    let field = |n| {
        let key = format!("q{n}");
        json!({"key": key, "type": "choice", "label": "?", "required": false, "options": options})
    };
    json!({"title": "Large", "bus_props": [], "fields": (0..100).map(field).collect::<Vec<_>>()})
}

#[tokio::test]
async fn readers_who_never_read_share_the_page_of_a_form() -> Result<()> {
    let mut app = App::start().await?;
    let (owner, public) = (app.client().await?, app.anonymous()?);
    let form = owner.published(&large_form()).await?;
    let link = owner.link(&form, "", &[]).await?;
    let path = Visitor::new(&public, &link)?.path();
    let page = public.get(&path).await?.expect(200)?.body.len();
    ensure!(page > 1 << 20, "a page of {page} bytes");
    let before = app.api()?.process.peak_memory()?;
    let mut held = Vec::new();
    for _ in 0..READERS {
        let reader = never_reads(public.base()).await?;
        let answers = unread(&reader, &public, &path, "text/html").await?;
        ensure!(answers.iter().all(|answer| answer.status() == 200));
        held.push((reader, answers));
    }
    let more = app.api()?.process.peak_memory()? - before;
    let all = (page * READERS * REQUESTS) as u64;
    ensure!(
        more < all / 5,
        "{more} bytes more, for {all} bytes of pages"
    );
    let answer = public.get(&path).await?.expect(200)?;
    ensure!(answer.body.len() == page, "another page");
    Ok(())
}

#[tokio::test]
async fn lists_that_are_never_read_use_up_the_share_of_their_account_alone() -> Result<()> {
    let app = App::start().await?;
    let (owner, witness) = (app.client().await?, app.client().await?);
    let mut paths = Vec::new();
    for client in [&owner, &witness] {
        let form = client.published(&short_form("Short")).await?;
        let link = client.link(&form, "", &[]).await?;
        for _ in 0..3 {
            let visitor = Visitor::new(client, &link)?;
            let answers = json!({"mood": 5, "more": "x".repeat(9_000)});
            visitor.answer(&answers).await?.expect(201)?;
        }
        client.counted(&link, 3, 3).await?;
        let day = |days| {
            (Utc::now() + TimeDelta::days(days))
                .date_naive()
                .to_string()
        };
        paths.push(Of::Feedbacks.path(&form, (&day(-1), &day(1)), ""));
    }
    let reader = never_reads(owner.base()).await?;
    for kind in ["text/csv", "application/x-ndjson"] {
        let answers = unread(&reader, &owner, &paths[0], kind).await?;
        let (busy, begun): (Vec<_>, Vec<_>) =
            answers.iter().partition(|answer| answer.status() == 503);
        ensure!(begun.iter().all(|answer| answer.status() == 200));
        ensure!(!busy.is_empty(), "{kind}: all {} have begun", begun.len());
        for answer in busy {
            answer
                .headers()
                .get("retry-after")
                .context("no Retry-After")?;
        }
        for kind in ["text/csv", "application/x-ndjson", "application/json"] {
            let call = witness.call(Method::GET, &paths[1]);
            let answer = call.header("accept", kind).send().await?.expect(200)?;
            ensure!(
                answer.body.len() > 27_000,
                "{kind}: {} bytes",
                answer.body.len()
            );
        }
    }
    Ok(())
}

#[tokio::test]
async fn pages_of_the_dashboard_that_are_never_read_use_up_the_share_of_their_account() -> Result<()>
{
    let app = App::start().await?;
    let keys = app.create_key("shop", &[]).await?;
    let owner = app.anonymous()?.with_keys(&keys);
    let form = owner.published(&large_form()).await?;
    let path = format!(
        "/dashboard/form/{}",
        form["form_id"].as_str().context("no id")?
    );
    let viewer = app.person("ada", "shop", "viewer").await?;
    let reader = never_reads(owner.base()).await?;
    let url = format!("{}{path}", owner.base());
    let answers = unread_with(&reader, &url, &[("cookie", &viewer.cookie)]).await?;
    let (busy, begun): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status() == 503);
    ensure!(begun.iter().all(|answer| answer.status() == 200));
    ensure!(
        !begun.is_empty() && !busy.is_empty(),
        "{} have begun",
        begun.len()
    );
    // Of another account.
    app.create_key("other", &[]).await?;
    let witness = app.person("bob", "other", "viewer").await?;
    witness.get("/dashboard").await?.expect(200)?;
    Ok(())
}
