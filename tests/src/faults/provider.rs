//! The provider of the campaign's messages: an `https://` receiver that is away at times, hangs, resets connections and fails,
//! and reports in any order, early, twice and with wrong signatures. It notes what it took.

use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::client::Client;
use crate::servers::free_port;
use crate::wait::{Tries, pause};
use crate::webhook::{OTHER_SECRET, SECRET};
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::lost::When;
use super::plan::Dice;

/// The sender's name.
pub const NAME: &str = "peer";
/// Messages without a known result, at most.
pub const WINDOW: u64 = 10;
/// What no log and no answer may quote.
pub const ERROR_TEXT: &str = "barred by a canary";
/// Where people and providers reach the service.
pub const PUBLIC: &str = "https://feedback.example";

/// How long one receipt waits for its answer before it goes to the other api.
const PATIENCE: Duration = Duration::from_secs(6);
/// How long a message waits for its receipts, where these come first.
const EARLY: Duration = Duration::from_secs(2);
/// By when a receipt is taken, whatever happens meanwhile.
const TAKEN: Duration = Duration::from_mins(4);

/// What becomes of a request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Conduct {
    Take,
    TakeAndFail,
    TakeAndReset,
    TakeAndHang,
    ResetUnread,
    Throttle,
}

impl Conduct {
    /// A few of a hundred go wrong.
    fn draw(dice: &mut Dice) -> Self {
        match dice.between(1, 200) {
            1 | 2 => Self::TakeAndFail,
            3 | 4 => Self::TakeAndReset,
            5 => Self::TakeAndHang,
            6 | 7 => Self::ResetUnread,
            8 => Self::Throttle,
            _ => Self::Take,
        }
    }

    fn is_certain(self) -> bool {
        matches!(self, Self::Take | Self::Throttle)
    }
}

/// What it reports of a message.
struct Reports {
    path: String,
    statuses: &'static [&'static str],
    /// Before the message is answered.
    early: bool,
    /// Somebody else reports it, too.
    forged: bool,
}

impl Reports {
    fn draw(message: &Value, dice: &mut Dice) -> Result<Self> {
        let url = message["status_url"].as_str().context("no status_url")?;
        let path = url.strip_prefix(PUBLIC).context("another host")?;
        let statuses: &[&str] = match dice.between(1, 10) {
            1 => &[],
            2 => &["accepted"],
            3 => &["delivered", "accepted"],
            4 => &["delivered", "delivered"],
            5 => &["accepted", "undelivered"],
            _ => &["accepted", "delivered"],
        };
        Ok(Self {
            path: path.to_owned(),
            statuses,
            early: dice.percent(20),
            forged: dice.percent(5),
        })
    }
}

/// What it knows of a message.
#[derive(Clone, Debug)]
pub struct Taken {
    /// How often it came.
    pub times: u32,
    /// To which phone.
    pub to: String,
    /// When it came first.
    pub at: Instant,
    /// What was reported of it for good, once that was answered 200.
    pub reported: Option<(&'static str, When)>,
}

/// What it noted.
struct Notes {
    dice: Dice,
    taken: HashMap<String, Taken>,
    /// Answers that leave it open whether the message was taken.
    uncertain: u64,
    /// What may not be.
    wrong: Vec<String>,
}

pub struct Provider {
    port: u16,
    notes: Mutex<Notes>,
    /// One of each api, to report to.
    clients: Mutex<Vec<Client>>,
    asked: AtomicUsize,
    /// Cancelled once it misbehaves no more.
    calm: Mutex<CancellationToken>,
    /// Cancelled when it goes away. Held meanwhile.
    here: tokio::sync::Mutex<CancellationToken>,
    reports: TaskTracker,
}

impl Provider {
    /// One that listens until the test's runtime ends.
    ///
    /// # Errors
    /// When it has no port.
    pub async fn start(dice: Dice) -> Result<Arc<Self>> {
        let provider = Arc::new(Self {
            port: free_port()?,
            notes: Mutex::new(Notes {
                dice,
                taken: HashMap::new(),
                uncertain: 0,
                wrong: Vec::new(),
            }),
            clients: Mutex::default(),
            asked: AtomicUsize::new(0),
            calm: Mutex::default(),
            here: tokio::sync::Mutex::default(),
            reports: TaskTracker::new(),
        });
        let here = provider.listen().await?;
        *provider.here.lock().await = here;
        Ok(provider)
    }

    /// The entry of `FEEDBACK_SENDERS`.
    pub fn setting(&self) -> String {
        let port = self.port;
        format!(
            "{NAME}=http://127.0.0.1:{port}/sms?accounts=*&secret={SECRET}&rate=500&window={WINDOW}"
        )
    }

    /// Reports to the apis at these addresses.
    ///
    /// # Errors
    /// When there is no client.
    pub fn report_to(&self, bases: &[String]) -> Result<()> {
        let clients: Result<_> = bases.iter().map(|base| Client::new(base.clone())).collect();
        *self.clients.lock().unwrap_or_else(PoisonError::into_inner) = clients?;
        Ok(())
    }

    /// Resets all connections, and refuses new ones for so long.
    ///
    /// # Errors
    /// When it does not get its port back.
    pub async fn be_away(self: &Arc<Self>, lasts: Duration) -> Result<()> {
        let mut here = self.here.lock().await;
        here.cancel();
        self.notes().uncertain += WINDOW;
        pause(lasts).await;
        *here = self.listen().await?;
        Ok(())
    }

    /// From here on it takes every message at once.
    pub fn calm_down(&self) {
        self.calm().cancel();
    }

    /// From here on it misbehaves again.
    pub fn misbehave(&self) {
        *self.calm.lock().unwrap_or_else(PoisonError::into_inner) = CancellationToken::new();
    }

    fn calm(&self) -> CancellationToken {
        let calm = self.calm.lock();
        calm.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until all that it reports is stored, and gives what it took.
    ///
    /// # Errors
    /// What was answered as it may not be.
    pub async fn reported(&self) -> Result<HashMap<String, Taken>> {
        self.reports.close();
        self.reports.wait().await;
        self.reports.reopen();
        let notes = self.notes();
        ensure!(notes.wrong.is_empty(), "{}", notes.wrong.join("\n"));
        Ok(notes.taken.clone())
    }

    /// How many messages it took.
    pub fn arrivals(&self) -> u64 {
        let notes = self.notes();
        notes.taken.values().map(|one| u64::from(one.times)).sum()
    }

    /// How many messages may be unknown because of it.
    pub fn uncertain(&self) -> u64 {
        self.notes().uncertain
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn listen(self: &Arc<Self>) -> Result<CancellationToken> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, self.port)).await?;
        let (provider, here) = (Arc::clone(self), CancellationToken::new());
        let until = here.clone();
        tokio::spawn(async move {
            while let Some(Ok((socket, _))) = until.run_until_cancelled(listener.accept()).await {
                tokio::spawn(Arc::clone(&provider).serve(socket, until.clone()));
            }
        });
        Ok(here)
    }

    async fn serve(self: Arc<Self>, socket: TcpStream, here: CancellationToken) {
        let mut socket = BufReader::new(socket);
        // Whoever was killed in the middle of a request is heard of no more.
        let _ = here.run_until_cancelled(self.converse(&mut socket)).await;
        let _ = socket.get_ref().set_zero_linger();
    }

    /// Takes one message after the other, until the connection is to be reset.
    async fn converse(self: &Arc<Self>, socket: &mut BufReader<TcpStream>) -> Result<()> {
        while !socket.fill_buf().await?.is_empty() {
            let conduct = self.conduct();
            if conduct == Conduct::ResetUnread {
                break;
            }
            let message = read(socket).await?;
            let error = json!({"error": format!("{} is {ERROR_TEXT}", message["to"])});
            if conduct == Conduct::Throttle {
                answer(socket, "429 Too Many Requests", &error).await?;
                continue;
            }
            let id = message["message_id"].as_str().context("no message_id")?;
            let reports = {
                let mut notes = self.notes();
                let taken = notes.taken.entry(id.to_owned()).or_insert_with(|| Taken {
                    times: 0,
                    to: message["to"].to_string(),
                    at: Instant::now(),
                    reported: None,
                });
                taken.times += 1;
                Reports::draw(&message, &mut notes.dice)?
            };
            let early = reports.early;
            let reporting = Arc::clone(self).report_all(id.to_owned(), reports);
            let reporting = self.reports.spawn(reporting);
            if early {
                // It reports on when this is over.
                let _ = timeout(EARLY, reporting).await;
            }
            match conduct {
                Conduct::Take => answer(socket, "200 OK", &json!({"id": id})).await?,
                Conduct::TakeAndFail => {
                    answer(socket, "500 Internal Server Error", &error).await?;
                }
                Conduct::TakeAndHang => {
                    self.calm().cancelled().await;
                    break;
                }
                Conduct::TakeAndReset | Conduct::ResetUnread | Conduct::Throttle => break,
            }
        }
        Ok(())
    }

    fn conduct(&self) -> Conduct {
        if self.calm().is_cancelled() {
            return Conduct::Take;
        }
        let mut notes = self.notes();
        let conduct = Conduct::draw(&mut notes.dice);
        notes.uncertain += u64::from(!conduct.is_certain());
        conduct
    }

    async fn report_all(self: Arc<Self>, id: String, reports: Reports) {
        match self.try_reports(&reports).await {
            Ok(reported) => {
                if let Some(taken) = self.notes().taken.get_mut(&id) {
                    taken.reported = reported;
                }
            }
            Err(wrong) => self.notes().wrong.push(format!("{id}: {wrong:#}")),
        }
    }

    /// What of that was for good.
    async fn try_reports(&self, reports: &Reports) -> Result<Option<(&'static str, When)>> {
        if reports.forged {
            let (path, reference) = reports.path.split_once("?ref=").context("no reference")?;
            let reversed: String = reference.chars().rev().collect();
            let other = format!("{path}?ref={reversed}");
            self.report(&reports.path, OTHER_SECRET, "expired", 401)
                .await?;
            self.report(&other, SECRET, "expired", 401).await?;
        }
        let mut last = None;
        for status in reports.statuses {
            let when = self.report(&reports.path, SECRET, status, 200).await?;
            if *status != "accepted" {
                last = Some((*status, when));
            }
        }
        Ok(last)
    }

    /// Reports until an api answers anything but that it cannot now.
    async fn report(&self, path: &str, secret: &str, status: &str, wanted: u16) -> Result<When> {
        let body = json!({"status": status});
        let mut tries = Tries::within(TAKEN);
        loop {
            let turn = self.asked.fetch_add(1, Ordering::Relaxed);
            let client = {
                let clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
                clients.get(turn % clients.len()).context("no api")?.clone()
            };
            let began = Instant::now();
            let answer = timeout(PATIENCE, client.webhook(path, secret, &body)).await;
            match answer {
                Ok(Ok(answer)) if answer.status != 503 => {
                    answer.expect(wanted)?;
                    let acked = Instant::now();
                    return Ok(When {
                        tried: began,
                        acked,
                    });
                }
                _ if !tries.another().await => bail!("a receipt was not taken: {answer:?}"),
                _ => {}
            }
        }
    }
}

/// A request's body.
async fn read(socket: &mut BufReader<TcpStream>) -> Result<Value> {
    let (mut line, mut length) = (String::new(), 0);
    while line != "\r\n" {
        line.clear();
        ensure!(
            socket.read_line(&mut line).await? > 0,
            "closed within a head"
        );
        if let Some(("content-length", value)) = line.split_once(':') {
            length = value.trim().parse()?;
        }
    }
    let mut body = vec![0; length];
    socket.read_exact(&mut body).await?;
    Ok(serde_json::from_slice(&body)?)
}

async fn answer(socket: &mut BufReader<TcpStream>, status: &str, body: &Value) -> Result<()> {
    let body = body.to_string();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    socket.write_all(format!("{head}{body}").as_bytes()).await?;
    Ok(socket.flush().await?)
}
