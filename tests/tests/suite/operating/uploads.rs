//! `feedback import` over connections that break: nothing is lost, and nothing imported twice.

use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tests::app::{App, IssuedKey};
use tests::import::{IMPORT, ndjson, records};
use tests::wait::LATER;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

/// What becomes of an upload.
#[derive(Clone, Copy)]
enum Fault {
    /// The service does not get it whole.
    Cut,
    /// The service answers, and nobody hears it.
    AnswerLost,
    /// Refused for the moment, with these headers.
    Refused(&'static str),
}

/// The way to a service: the first connections have these faults, the others none.
struct Way {
    url: String,
    /// How many connections there were.
    count: Arc<AtomicUsize>,
}

impl Way {
    async fn to(app: &App, faults: Vec<Fault>) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let service = app.anonymous()?.base().replace("http://", "");
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let place = counted.fetch_add(1, Ordering::Relaxed);
                let fault = faults.get(place).copied();
                tokio::spawn(connect(client, service.clone(), fault));
            }
        });
        Ok(Self { url, count })
    }

    /// `feedback import MORE`, with this on its standard input.
    async fn import(
        &self,
        app: &App,
        keys: &IssuedKey,
        more: &[&str],
        input: &[u8],
    ) -> Result<Output> {
        let variables = [
            ("FEEDBACK_URL", self.url.as_str()),
            ("FEEDBACK_API_KEY", &keys.api_key),
            ("FEEDBACK_SECRET_KEY", &keys.secret_key),
        ];
        let arguments = [&["import", "--json"], more].concat();
        app.cli_fed(LATER, &arguments, &variables, input).await
    }
}

async fn connect(mut client: TcpStream, service: String, fault: Option<Fault>) -> Result<()> {
    let mut upload = vec![0; 100];
    client.read_exact(&mut upload).await?;
    if !matches!(fault, Some(Fault::Cut)) {
        let mut service = TcpStream::connect(service).await?;
        if fault.is_none() {
            service.write_all(&upload).await?;
            copy_bidirectional(&mut client, &mut service).await?;
            return Ok(());
        }
        // The last of the pieces in which a stream is sent.
        while !upload.ends_with(b"\r\n0\r\n\r\n") {
            ensure!(client.read_buf(&mut upload).await? > 0, "cut by the client");
        }
        if let Some(Fault::Refused(headers)) = fault {
            let answer =
                format!("HTTP/1.1 {headers}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            client.write_all(answer.as_bytes()).await?;
            client.shutdown().await?;
        } else {
            service.write_all(&upload).await?;
            service.read_u8().await?;
        }
    }
    Ok(())
}

async fn batches(app: &App, keys: &IssuedKey) -> Result<Vec<Value>> {
    let client = app.anonymous()?.with_keys(keys);
    let list = client.get(IMPORT).await?.expect(200)?.json()?;
    Ok(list["items"].as_array().context("no items")?.clone())
}

/// The key that was printed to go on with.
fn key(printed: &str) -> Result<String> {
    let (_, rest) = printed
        .split_once("--idempotency-key ")
        .context(printed.to_owned())?;
    let key = rest.split(' ').next().context("no key")?;
    Ok(key.to_owned())
}

#[tokio::test]
async fn an_upload_that_breaks_off_or_is_refused_for_the_moment_is_repeated() -> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &[]).await?;
    let path = app.folder().join("all.ndjson");
    std::fs::write(&path, ndjson(&records("A", 500, "1")))?;
    let path = path.to_str().context("a path")?;
    // What names a pause comes last: the others have growing ones.
    let faults = vec![
        Fault::Cut,
        Fault::AnswerLost,
        Fault::Refused("502 Bad Gateway"),
        Fault::Refused("503 Service Unavailable\r\nretry-after: 0"),
        Fault::Refused("429 Too Many Requests\r\nretry-after: 0"),
    ];
    let way = Way::to(&app, faults).await?;
    let output = way.import(&app, &keys, &[path], b"").await?;
    ensure!(output.status.success(), "{output:?}");
    let stderr = String::from_utf8(output.stderr)?;
    ensure!(stderr.matches("trying again").count() == 5, "{stderr}");
    let printed: Value = serde_json::from_slice(&output.stdout)?;
    ensure!(printed["outcomes"]["created"] == 500, "{printed}");
    let batches = batches(&app, &keys).await?;
    ensure!(
        batches.len() == 1 && batches[0]["batch_id"] == printed["batch_id"],
        "{batches:?}"
    );
    Ok(())
}

#[tokio::test]
async fn an_import_that_broke_off_goes_on_by_its_key() -> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &[]).await?;
    let body = ndjson(&records("A", 500, "1"));
    let piped = ["-", "--format", "ndjson"];
    let way = Way::to(&app, vec![Fault::AnswerLost]).await?;
    let output = way.import(&app, &keys, &piped, &body).await?;
    ensure!(
        output.status.code() == Some(1) && output.stdout.is_empty(),
        "{output:?}"
    );
    // What comes on standard input cannot be read again.
    ensure!(way.count.load(Ordering::Relaxed) == 1, "repeated");
    let key = key(&String::from_utf8(output.stderr)?)?;
    let go_on = [&piped[..], &["--idempotency-key", &key]].concat();
    let again = way.import(&app, &keys, &go_on, &body).await?;
    ensure!(again.status.success(), "{again:?}");
    ensure!(batches(&app, &keys).await?.len() == 1, "imported twice");

    // Nor can any other pipe.
    let path = app.folder().join("all.ndjson");
    std::fs::write(&path, &body)?;
    let pipe = Way::to(&app, vec![Fault::Cut]).await?;
    let line = "feedback import <(cat \"$FILE\") --format ndjson";
    let mut shell = app.shell(line)?;
    shell
        .env("FILE", &path)
        .env("FEEDBACK_URL", &pipe.url)
        .env("FEEDBACK_API_KEY", &keys.api_key)
        .env("FEEDBACK_SECRET_KEY", &keys.secret_key);
    let output = shell.output().await?;
    ensure!(output.status.code() == Some(1), "{output:?}");
    ensure!(pipe.count.load(Ordering::Relaxed) == 1, "repeated");

    let other = ndjson(&records("B", 5, "1"));
    let other = way.import(&app, &keys, &go_on, &other).await?;
    ensure!(other.status.code() == Some(1), "{other:?}");
    ensure!(batches(&app, &keys).await?.len() == 1, "another body");
    Ok(())
}

#[tokio::test]
async fn an_upload_is_not_repeated_for_ever() -> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &[]).await?;
    let path = app.folder().join("all.csv");
    std::fs::write(&path, "docid,phone\nA1,+4915112345678\n")?;
    let path = path.to_str().context("a path")?;
    let refused = Fault::Refused("429 Too Many Requests\r\nretry-after: 0");
    let way = Way::to(&app, vec![refused; 20]).await?;
    let output = way.import(&app, &keys, &[path], b"").await?;
    ensure!(output.status.code() == Some(1), "{output:?}");
    let tries = way.count.load(Ordering::Relaxed);
    ensure!((2..20).contains(&tries), "{tries} tries");
    let stderr = String::from_utf8(output.stderr)?;
    ensure!(stderr.contains("429") && key(&stderr).is_ok(), "{stderr}");
    Ok(())
}
