//! Kannel, with the simulated centre that it brings along.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tests::app::App;
use tests::import::records;
use tests::process::Process;
use tests::servers::free_port;
use tests::wait::{SOON, eventually};
use tokio::net::TcpStream;

use super::replies::suppressed;
use super::senders::is;
use super::with_senders;

const MESSAGES: usize = 300;
/// Debian has it in `kannel-extras`.
const CENTRE: &str = "/usr/lib/kannel/test/fakesmsc";
const STOP: &str = "+491510000007 12345 text STOP";

/// A running Kannel. Its centre comes and goes.
struct Kannel {
    folder: PathBuf,
    centre_port: u16,
    /// They end with it.
    _boxes: [Process; 2],
}

impl Kannel {
    async fn start(app: &App, sendsms_port: u16) -> Result<Self> {
        let [admin_port, box_port, centre_port] = [free_port()?, free_port()?, free_port()?];
        let folder = app.folder().to_owned();
        let service = app.apis.first().context("no api")?.base();
        let service_port = service.rsplit_once(':').context("no port")?.1;
        let listed = app.cli(&["sender", "list", "--json"]).await?;
        let listed: Value = serde_json::from_slice(&listed.stdout)?;
        let inbound = listed[0]["inbound_url"].as_str().context("no address")?;
        // The service's public name is not known to any name server: requests reach it as those of a proxy.
        let config = format!(
            "group = core\nadmin-port = {admin_port}\nadmin-interface = 127.0.0.1\nadmin-password = x\n\
             smsbox-port = {box_port}\nsmsbox-interface = 127.0.0.1\nbox-allow-ip = 127.0.0.1\n\
             http-proxy-host = 127.0.0.1\nhttp-proxy-port = {service_port}\n\n\
             group = smsc\nsmsc = fake\nsmsc-id = centre\nport = {centre_port}\nour-host = 127.0.0.1\n\
             connect-allow-ip = 127.0.0.1\n\n\
             group = smsbox\nbearerbox-host = 127.0.0.1\nsendsms-port = {sendsms_port}\n\
             sendsms-interface = 127.0.0.1\nhttp-request-retry = 10\nhttp-queue-delay = 1\n\n\
             group = sendsms-user\nusername = feedback\npassword = hush\nmax-messages = 10\nconcatenation = true\n\n\
             group = sms-service\nkeyword = default\ncatch-all = true\nmax-messages = 0\n\
             get-url = \"{inbound}?from=%p&to=%P&text=%a&id=%I\"\n"
        );
        let file = folder.join("kannel.conf");
        std::fs::write(&file, config)?;
        let start = |program: &str| {
            let log = folder.join(format!("{program}.log"));
            Process::start(
                program,
                Command::new(program).arg("-v").arg("1").arg(&file),
                &log,
            )
        };
        let bearerbox = start("/usr/sbin/bearerbox")?;
        listens(box_port).await?;
        let smsbox = start("/usr/sbin/smsbox")?;
        listens(sendsms_port).await?;
        Ok(Self {
            folder,
            centre_port,
            _boxes: [bearerbox, smsbox],
        })
    }

    /// A centre that sends these texts from phones, and its log.
    fn centre(&self, name: &str, texts: &[&str]) -> Result<(Process, PathBuf)> {
        let log = self.folder.join(name);
        let mut command = Command::new(CENTRE);
        command.args([
            "-H",
            "127.0.0.1",
            "-r",
            &self.centre_port.to_string(),
            "-i",
            "0.01",
        ]);
        command.args(["-m", &texts.len().to_string()]);
        // It wants one text, also where it sends none.
        command.args(if texts.is_empty() { &[STOP] } else { texts });
        Ok((Process::start("fakesmsc", &mut command, &log)?, log))
    }
}

async fn listens(port: u16) -> Result<()> {
    eventually(SOON, async || {
        TcpStream::connect(("127.0.0.1", port)).await?;
        Ok(())
    })
    .await
}

/// The texts that the centre got, by phone.
fn got(log: &Path) -> Result<BTreeMap<String, Vec<String>>> {
    let mut got: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in std::fs::read_to_string(log)?.lines() {
        let Some((_, message)) = line.split_once("Got message ") else {
            continue;
        };
        let (_, message) = message.split_once('<').context("no message")?;
        let mut words = message.trim_end_matches('>').splitn(4, ' ');
        let from = words.next();
        ensure!(from == Some("12345"), "from {from:?}");
        let (phone, kind) = (words.next().context("no phone")?, words.next());
        ensure!(kind == Some("text"), "{line}");
        let text = words.next().context("no text")?.to_owned();
        got.entry(phone.to_owned()).or_default().push(text);
    }
    Ok(got)
}

#[tokio::test]
async fn kannel_sends_each_message_once_reports_it_and_brings_a_stop() -> Result<()> {
    let port = free_port()?;
    let sender = format!(
        "gate=kannel://feedback:hush@127.0.0.1:{port}?tls=off&accounts=*&from=12345&rate=1000&window=50"
    );
    // One with a wrong password is told without a message.
    let wrong = sender.replace("gate=", "wrong=").replace("hush", "other");
    let app = with_senders(&format!("{sender} {wrong}"))
        .setting("FEEDBACK_PUBLIC_URL", "http://feedback.example")
        .start()
        .await?;
    let kannel = Kannel::start(&app, port).await?;
    let (centre, log) = kannel.centre("centre.log", &[])?;
    let client = app.client().await?;
    is(&client, "wrong", "error", json!("http_403")).await?;
    is(&client, "gate", "ok", Value::Null).await?;
    let recipients = records("A", MESSAGES, "1");
    let campaign = client.running("gate", &recipients).await?;
    client
        .until_first(&campaign, "delivered", MESSAGES as u64)
        .await?;
    let got = got(&log)?;
    ensure!(got.len() == MESSAGES, "{} phones", got.len());
    for record in &recipients {
        let phone = record["phone"].as_str().context("no phone")?;
        let [text] = got.get(phone).map(Vec::as_slice).unwrap_or_default() else {
            anyhow::bail!("{phone}: {:?}", got.get(phone));
        };
        let start = format!(
            "How was {}? http://feedback.example/f/",
            record["store_code"].as_str().unwrap_or_default()
        );
        ensure!(
            text.strip_prefix(&start)
                .is_some_and(|token| token.len() == 11),
            "{text}"
        );
    }

    drop(centre);
    let (_centre, _) = kannel.centre("stop.log", &[STOP])?;
    eventually(SOON, async || {
        ensure!(suppressed(&client).await? == 1, "nobody opted out");
        Ok(())
    })
    .await?;
    let again = client.running("gate", &recipients[..10]).await?;
    let done = client.until_first(&again, "delivered", 9).await?;
    let skipped = &done["counts"]["first"]["skipped"];
    ensure!(skipped["opted_out"] == json!(1), "{done}");
    Ok(())
}
