//! Downloads of pages, which end with the session of whoever began them.

use std::net::SocketAddr;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Map, Value, json};
use tests::app::App;
use tests::client::Client;
use tests::person::Person;
use tests::visitor::Visitor;
use tests::wait::{SOON, eventually};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

/// Texts of an answer, each of 4 kB.
const TEXTS: usize = 90;
const ANSWERS: usize = 40;
/// More than all buffers on the way hold.
const LARGE: usize = 12_000_000;
/// What is read at once of a download that is read slowly.
const SIP: usize = 256 << 10;
/// The end of an answer that came whole.
const END: &[u8] = b"0\r\n\r\n";

/// A form with answers of more than [`LARGE`] bytes.
async fn answered(app: &App, owner: &Client) -> Result<String> {
    let key = |number: usize| format!("text{number}");
    let field =
        |number| json!({"key": key(number), "type": "text", "label": "Why?", "required": false});
    let fields: Vec<Value> = (0..TEXTS).map(field).collect();
    let form = json!({"title": "After the visit", "bus_props": [], "fields": fields});
    let form = owner.published(&form).await?;
    let link = owner.link(&form, "", &[]).await?;
    let text = json!("💛".repeat(1_000));
    let texts = (0..TEXTS).map(|number| (key(number), text.clone()));
    let answers: Value = texts.collect::<Map<_, _>>().into();
    let public = app.anonymous()?;
    for _ in 0..ANSWERS {
        Visitor::new(&public, &link)?.stored(&answers).await?;
    }
    let form_id = form["form_id"].as_str().context("no form_id")?;
    Ok(form_id.to_owned())
}

/// A download that has begun, of which little comes that is not read.
async fn begun(client: &Client, person: &Person, path: &str) -> Result<TcpStream> {
    let address: SocketAddr = client.base().trim_start_matches("http://").parse()?;
    let socket = TcpSocket::new_v4()?;
    socket.set_recv_buffer_size(64 << 10)?;
    let mut download = socket.connect(address).await?;
    let head = format!(
        "GET {path} HTTP/1.1\r\nhost: {address}\r\ncookie: {}\r\nconnection: close\r\n\r\n",
        person.cookie
    );
    download.write_all(head.as_bytes()).await?;
    let mut begin = [0; 12];
    let reading = timeout(SOON, download.read_exact(&mut begin));
    reading.await.context("nothing comes")??;
    let begin = String::from_utf8_lossy(&begin);
    ensure!(begin == "HTTP/1.1 200", "{begin}");
    Ok(download)
}

/// Reads on slowly to where a download ends: whether it came whole.
async fn is_whole(mut download: TcpStream) -> Result<bool> {
    let mut last = Vec::new();
    eventually(SOON, async || {
        let mut sip = Vec::new();
        let mut rest = (&mut download).take(u64::try_from(SIP)?);
        let is_cut = rest.read_to_end(&mut sip).await.is_err();
        let goes_on = !is_cut && sip.len() == SIP;
        last.extend(sip);
        last.drain(..last.len().saturating_sub(END.len()));
        if goes_on {
            bail!("it goes on");
        }
        Ok(last.ends_with(END))
    })
    .await
}

#[tokio::test]
async fn whoever_is_removed_gets_no_more_of_a_download() -> Result<()> {
    let app = App::start().await?;
    let owner = app.client_of("shop").await?;
    let ada = app.person("ada", "shop", "viewer").await?;
    let ben = app.person("ben", "shop", "viewer").await?;
    let form_id = answered(&app, &owner).await?;
    let path = format!("/dashboard/answers.csv?form={form_id}&days=7&show=all");
    let cut = begun(&owner, &ada, &path).await?;
    let mut other = begun(&owner, &ben, &path).await?;
    app.succeeds(&["user", "remove", "ada"]).await?;
    eventually(SOON, async || {
        ada.get("/dashboard").await?.expect(303).map(drop)
    })
    .await?;
    ensure!(!is_whole(cut).await?, "the download came whole");
    let mut whole = Vec::new();
    other.read_to_end(&mut whole).await?;
    ensure!(
        whole.ends_with(END) && whole.len() > LARGE,
        "{} bytes",
        whole.len()
    );
    Ok(())
}
