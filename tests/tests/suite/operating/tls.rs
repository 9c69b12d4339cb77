//! HTTPS by a certificate of the service's own: what is answered over it, which certificate it is, and who stalls.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use axum::body::Body;
use axum::http::Request;
use futures::future::try_join_all;
use hyper::client::conn::http2::Builder;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tests::app::App;
use tests::authority::Authority;
use tests::import::records;
use tests::wait::{LATER, SOON, eventually};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

/// Connections that one address may have, where it is limited.
const FEW: usize = 8;

/// What `FEEDBACK_TLS` says of a certificate in a folder.
fn setting(folder: &Path) -> String {
    let folder = folder.display();
    format!("{folder}/server.crt,{folder}/server.key")
}

async fn certified(folder: &Path, authority: &Authority) -> Result<App> {
    authority.certify(folder)?;
    App::setup()
        .setting("FEEDBACK_TLS", &setting(folder))
        .setting("FEEDBACK_ADDRESS_CONNECTIONS", &FEW.to_string())
        .start()
        .await
}

/// The status of a page for a client that trusts this authority alone.
async fn trusting(authority: &Authority, app: &App) -> Result<u16> {
    let client = reqwest::Client::builder().tls_certs_only([authority.certificate()?]);
    let url = format!("{}/dashboard/sign-in", app.anonymous()?.base());
    Ok(client.build()?.get(url).send().await?.status().as_u16())
}

fn place(app: &App) -> Result<String> {
    let client = app.anonymous()?;
    let place = client.base().strip_prefix("https://");
    Ok(place.context("not HTTPS")?.to_owned())
}

#[tokio::test]
async fn pages_and_api_are_answered_over_tls() -> Result<()> {
    let (folder, authority) = (tempfile::tempdir()?, Authority::new()?);
    let app = certified(folder.path(), &authority).await?;
    ensure!(trusting(&authority, &app).await? == 200, "no page");
    ensure!(
        trusting(&Authority::new()?, &app).await.is_err(),
        "another authority's certificate"
    );
    let client = app.client().await?;
    client.import_and_wait(&records("A", 20, "1"), SOON).await?;
    let page = client.get("/dashboard/sign-in").await?.expect(200)?;
    ensure!(page.header("strict-transport-security").is_some());
    let metrics = client.get("/metrics").await?.expect(200)?;
    let end = "\nfeedback_tls_certificate_end_timestamp_seconds ";
    ensure!(metrics.text()?.contains(end), "no end of the certificate");
    let found = app.cli(&["doctor"]).await?;
    let found = String::from_utf8(found.stdout)?;
    ensure!(found.contains("certificate  valid until "), "{found}");
    Ok(())
}

#[tokio::test]
async fn http2_is_agreed_on_within_the_handshake() -> Result<()> {
    let (folder, authority) = (tempfile::tempdir()?, Authority::new()?);
    let app = certified(folder.path(), &authority).await?;
    let place = place(&app)?;
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(authority.file())?)?;
    let provider = rustls::crypto::ring::default_provider();
    let mut config = ClientConfig::builder_with_provider(provider.into())
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let connector = TlsConnector::from(Arc::new(config));
    let socket = TcpStream::connect(&place).await?;
    let stream = connector.connect(ServerName::try_from("127.0.0.1")?, socket);
    let stream = stream.await?;
    ensure!(stream.get_ref().1.alpn_protocol() == Some(b"h2".as_slice()));
    let builder = Builder::new(TokioExecutor::new());
    let (mut client, connection) = builder.handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let request = Request::get(format!("https://{place}/health/live")).body(Body::empty())?;
    let answer = client.send_request(request).await?;
    ensure!(answer.status() == 200, "{answer:?}");
    Ok(())
}

#[tokio::test]
async fn a_new_certificate_is_taken_by_a_service_that_runs_and_a_broken_one_is_not() -> Result<()> {
    let (folder, authority) = (tempfile::tempdir()?, Authority::new()?);
    let app = certified(folder.path(), &authority).await?;
    let ready = async |line: &str| {
        let answer = app.anonymous()?.get("/health/ready").await?.expect(200)?;
        ensure!(answer.text()?.contains(line), "{:?}", answer.text());
        Ok(())
    };
    ready("certificate ok\n").await?;
    std::fs::write(folder.path().join("server.crt"), "no certificate")?;
    eventually(SOON, async || ready("certificate degraded: ").await).await?;
    ensure!(trusting(&authority, &app).await? == 200, "not the old one");

    let next = Authority::new()?;
    next.certify(folder.path())?;
    eventually(SOON, async || {
        ensure!(trusting(&next, &app).await? == 200, "no page");
        Ok(())
    })
    .await?;
    ensure!(trusting(&authority, &app).await.is_err(), "the old one");
    eventually(SOON, async || ready("certificate ok\n").await).await?;
    let api = app.apis.first().context("no api")?;
    let log = api.process.log()?;
    let told = log.matches("the certificate of before is used").count();
    ensure!(told == 1, "told {told} times");
    Ok(())
}

#[tokio::test]
async fn handshakes_that_stall_end_and_others_go_on() -> Result<()> {
    let (folder, authority) = (tempfile::tempdir()?, Authority::new()?);
    let app = certified(folder.path(), &authority).await?;
    let (client, place) = (app.anonymous()?, place(&app)?);
    let stalled = (0..FEW).map(|_| TcpStream::connect(&place));
    let stalled = try_join_all(stalled).await?;
    // Whoever comes on top is told to come back; who operates the service is answered.
    client.get("/health/ready").await?.expect(200)?;
    for mut socket in stalled {
        let mut nothing = Vec::new();
        let ended = timeout(SOON, socket.read_to_end(&mut nothing));
        let ended = ended.await.context("it is waited for")?;
        ensure!(ended.is_err() || nothing.is_empty(), "{nothing:?}");
    }
    eventually(SOON, async || {
        let page = client.get("/dashboard/sign-in").await?;
        page.expect(200).map(drop)
    })
    .await
}

#[tokio::test]
async fn plain_http_gets_no_answer_and_no_wait() -> Result<()> {
    let (folder, authority) = (tempfile::tempdir()?, Authority::new()?);
    let app = certified(folder.path(), &authority).await?;
    let mut socket = TcpStream::connect(place(&app)?).await?;
    let request = "GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n";
    socket.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    let ended = timeout(LATER, socket.read_to_end(&mut answer));
    // It may be a reset.
    let _ = ended.await.context("it is waited for")?;
    ensure!(!answer.starts_with(b"HTTP"), "{answer:?}");
    Ok(())
}

#[tokio::test]
async fn a_certificate_that_cannot_be_used_ends_the_start() -> Result<()> {
    let app = App::start().await?;
    let folder = tempfile::tempdir()?;
    let authority = Authority::new()?;
    let [certificate, key] = authority.certify(folder.path())?;
    let (certificate, key) = (certificate.display(), key.display());
    for (tls, reason) in [
        ("cert.pem".to_owned(), "not CERT,KEY"),
        (format!("/nowhere,{key}"), "/nowhere cannot be read"),
        (format!("{key},{certificate}"), "there is no certificate"),
        (format!("{},{key}", authority.file()), "keys"),
    ] {
        let data = folder.path().display().to_string();
        let variables = [
            ("FEEDBACK_TLS", tls.as_str()),
            ("FEEDBACK_LISTEN", "127.0.0.1:0"),
            ("FEEDBACK_OPS_LISTEN", "127.0.0.1:0"),
            ("FEEDBACK_DATA_DIR", &data),
            ("DATABASE_URL", ""),
        ];
        let output = app.cli_with(&["serve"], &variables).await?;
        let said = String::from_utf8_lossy(&output.stderr);
        let line = said.lines().last().unwrap_or_default();
        let is_told = line.starts_with("FEEDBACK_TLS: ") && line.contains(reason);
        ensure!(is_told && !output.status.success(), "{reason}: {said}");
    }
    Ok(())
}
