//! The hostile loads of connections on which nothing moves: bodies that stall, and readers that do not read.

use anyhow::{Context, Result, ensure};
use axum::http::Request;
use chrono::{TimeDelta, Utc};
use futures::future::{join_all, try_join_all};
use serde_json::Value;
use tests::app::App;
use tests::client::Client;
use tests::form::PAIRS;
use tests::hostile::huge_form;
use tests::person::SIGN_IN;
use tests::report::Of;
use tests::visitor::Visitor;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Bodies that stall.
const BODIES: usize = 500;
/// Connections on which not even a request comes.
const SILENT: usize = 300;
/// Connections of readers, for pages and for exports each.
const CONNECTIONS: usize = 3;
/// Requests of one of them.
const REQUESTS: usize = 200;
/// Connections of posts without bodies; the requests that one may carry at once, and their headers.
const POSTING: usize = 400;
const STREAMS: usize = 100;
const HEADERS: usize = 90;
/// Connections on which the document is not read, and clients that read it.
const DOCUMENTS: usize = 60;
const DOCUMENT_READERS: usize = 50;
/// Answers of the form that is exported.
const ANSWERS: usize = 2_000;

/// The host and port of the service.
fn host(app: &App) -> Result<String> {
    let base = app.anonymous()?.base().to_owned();
    let host = base.strip_prefix("http://").context("no http")?;
    Ok(host.to_owned())
}

/// Bodies of the sign-in page that stall, and connections without a request, of one address.
pub(super) async fn stalled(app: &App) -> Result<()> {
    let host = host(app)?;
    let head = format!(
        "POST {SIGN_IN} HTTP/1.1\r\nhost: {host}\r\norigin: http://{host}\r\n\
         content-type: {PAIRS}\r\ncontent-length: 1000\r\n\r\nname="
    );
    let connections = (0..BODIES + SILENT).map(|number| {
        let begin = if number < BODIES { head.as_str() } else { "P" };
        let host = &host;
        async move {
            loop {
                // One that the service ends, or does not take, is made again.
                if stall(host, begin).await.is_err() {
                    tokio::time::sleep(AGAIN).await;
                }
            }
        }
    });
    join_all(connections).await;
    Ok(())
}

/// Sends the beginning of a request and waits until the service ends the connection.
async fn stall(host: &str, begin: &str) -> Result<()> {
    let mut socket = TcpStream::connect(host).await?;
    socket.write_all(begin.as_bytes()).await?;
    let mut answer = [0; 4096];
    while socket.read(&mut answer).await? > 0 {}
    Ok(())
}

/// Before a connection that failed is tried again.
const AGAIN: std::time::Duration = std::time::Duration::from_millis(100);

/// Posts over HTTP/2 with many headers, whose bodies never come.
pub(super) async fn streams(app: &App) -> Result<()> {
    let host = host(app)?;
    let connections = (0..POSTING).map(|_| async {
        loop {
            let mut client = h2::client::Builder::new();
            let mut posts = || {
                let uri = format!("http://{host}{SIGN_IN}");
                let mut request = Request::post(uri).header("content-type", PAIRS);
                for number in 0..HEADERS {
                    request = request.header(format!("x-{number}"), "1");
                }
                Ok(request.body(())?)
            };
            if send(&host, &mut client, STREAMS, false, &mut posts)
                .await
                .is_err()
            {
                tokio::time::sleep(AGAIN).await;
            }
        }
    });
    join_all(connections).await;
    Ok(())
}

/// The document of the API, read and not read.
pub(super) async fn document(app: &App) -> Result<()> {
    const PATH: &str = "/openapi.json";
    let (host, public) = (host(app)?, app.anonymous()?);
    let unread = (0..DOCUMENTS).map(|_| async {
        loop {
            let mut client = h2::client::Builder::new();
            client.initial_window_size(0);
            let mut gets = || Ok(Request::get(format!("http://{host}{PATH}")).body(())?);
            if send(&host, &mut client, STREAMS, true, &mut gets)
                .await
                .is_err()
            {
                tokio::time::sleep(AGAIN).await;
            }
        }
    });
    let read = (0..DOCUMENT_READERS).map(|_| async {
        loop {
            public.get(PATH).await?.expect(200)?;
        }
    });
    let (_, read): (Vec<()>, Result<Vec<()>>) = tokio::join!(join_all(unread), try_join_all(read));
    read.map(drop)
}

/// So many requests over a connection. Ends when the service ends the connection.
async fn send(
    host: &str,
    client: &mut h2::client::Builder,
    count: usize,
    is_whole: bool,
    request: &mut impl FnMut() -> Result<Request<()>>,
) -> Result<()> {
    let socket = TcpStream::connect(host).await?;
    let client = client.handshake(socket).await?;
    let (mut requests, connection): (h2::client::SendRequest<bytes::Bytes>, _) = client;
    let asking = async {
        let mut answers = Vec::new();
        for _ in 0..count {
            requests = requests.ready().await?;
            // Dropped, an answer would be given up.
            answers.push(requests.send_request(request()?, is_whole)?);
        }
        std::future::pending::<Result<()>>().await
    };
    tokio::select! {
        ended = connection => Ok(ended?),
        ended = asking => ended,
    }
}

/// What is asked for over HTTP/2 and not read: a large form's page, and an export.
pub(super) struct Readers {
    host: String,
    page: String,
    export: String,
    keys: [(&'static str, String); 2],
}

impl Readers {
    pub(super) async fn new(app: &App) -> Result<Self> {
        let (hostile, public) = (app.client().await?, app.anonymous()?);
        let form = hostile.published(&huge_form()).await?;
        let link = hostile.link(&form, "", &[]).await?;
        let visitor = Visitor::new(&public, &link)?;
        visitor.page().await?.expect(200)?;
        Ok(Self {
            host: host(app)?,
            page: visitor.path(),
            export: export(&hostile, &public).await?,
            keys: hostile.key_headers()?,
        })
    }

    /// Pages and exports are asked for over connections that take nothing.
    pub(super) async fn load(&self) -> Result<()> {
        let paths = [&self.page, &self.export];
        let connections = paths.into_iter().cycle().take(2 * CONNECTIONS);
        let again = connections.map(|path| async move {
            loop {
                // One that the service ends is made again.
                if self.ask(path).await.is_err() {
                    tokio::time::sleep(AGAIN).await;
                }
            }
        });
        join_all(again).await;
        Ok(())
    }

    /// As many requests as a connection takes, with a window of nothing. Ends when the service ends the connection.
    async fn ask(&self, path: &str) -> Result<()> {
        let mut client = h2::client::Builder::new();
        client.initial_window_size(0);
        let mut gets = || {
            let uri = format!("http://{}{path}", self.host);
            let mut request = Request::get(uri).header("accept", "text/csv, text/html");
            for (name, value) in &self.keys {
                request = request.header(*name, value);
            }
            Ok(request.body(())?)
        };
        send(&self.host, &mut client, REQUESTS, true, &mut gets).await
    }
}

/// The path of all answers of a form with many long comments.
async fn export(hostile: &Client, public: &Client) -> Result<String> {
    let (form, _) = super::pages::commented_form(hostile, public, ANSWERS).await?;
    let day = |offset| (Utc::now().date_naive() + TimeDelta::days(offset)).to_string();
    let path = Of::Feedbacks.path(&form, (&day(-1), &day(1)), "");
    let first: Value = hostile.get(&format!("{path}?limit=1")).await?.json()?;
    ensure!(first["items"][0].is_object(), "nothing to export: {first}");
    Ok(path)
}
