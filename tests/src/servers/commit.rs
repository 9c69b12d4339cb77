//! A proxy before PostgreSQL that cuts a connection around a COMMIT: whoever sent it cannot know whether it was done.

use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, ensure};
use reqwest::Url;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::wait::{SOON, eventually};

/// What becomes of a COMMIT whose sender loses its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// It never reaches the server, which rolls back.
    Before,
    /// The server commits, and its answer is lost.
    After,
    /// It reaches the server long after its sender has lost the connection: when [`Trap::release`] is called.
    Late,
}

/// One COMMIT that is to be cut.
#[derive(Clone, Debug)]
pub struct Trap {
    statement: &'static str,
    cut: Cut,
    release: Arc<Notify>,
    /// Whether the connection was cut, and the server is through with it.
    states: Arc<Mutex<(bool, bool)>>,
}

impl Trap {
    /// Waits until a connection was cut.
    ///
    /// # Errors
    /// When no transaction with that statement was committed.
    pub async fn sprung(&self) -> Result<()> {
        eventually(SOON, async || {
            ensure!(self.states().0, "no COMMIT after {}", self.statement);
            Ok(())
        })
        .await
    }

    /// Lets a late COMMIT reach the server, and waits until that is through with it.
    ///
    /// # Errors
    /// When nothing was cut.
    pub async fn release(&self) -> Result<()> {
        self.sprung().await?;
        self.release.notify_one();
        eventually(SOON, async || {
            ensure!(self.states().1, "the server does not answer");
            Ok(())
        })
        .await
    }

    fn states(&self) -> (bool, bool) {
        *self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, cut: bool, through: bool) {
        *self.states.lock().unwrap_or_else(PoisonError::into_inner) = (cut, through);
    }
}

type Armed = Arc<Mutex<Option<Trap>>>;

/// The proxy. It ends with the test.
#[derive(Debug)]
pub struct CommitProxy {
    url: String,
    armed: Armed,
    task: JoinHandle<()>,
}

impl CommitProxy {
    /// A proxy before the server of this database.
    ///
    /// # Errors
    /// When the address names no server, or there is no port.
    pub async fn before(database: &str) -> Result<Self> {
        let mut url = Url::parse(database).context("DATABASE_URL")?;
        let host = url.host_str().context("no host")?.to_owned();
        let server = (host, url.port().unwrap_or(5432));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let own = listener.local_addr()?;
        let set = url.set_host(Some("127.0.0.1")).is_ok() && url.set_port(Some(own.port())).is_ok();
        ensure!(set, "no address for a proxy: {database}");
        let armed = Armed::default();
        let traps = armed.clone();
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (server, traps) = (server.clone(), traps.clone());
                tokio::spawn(async move {
                    let server = TcpStream::connect(server).await?;
                    carry(client, server, &traps).await
                });
            }
        });
        Ok(Self {
            url: url.into(),
            armed,
            task,
        })
    }

    /// The database's address by way of the proxy.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Cuts nothing any more.
    pub fn spare(&self) {
        *self.armed.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Cuts the next COMMIT of a transaction that ran a statement with `statement` in it.
    pub fn cut(&self, statement: &'static str, cut: Cut) -> Trap {
        let trap = Trap {
            statement,
            cut,
            release: Arc::default(),
            states: Arc::default(),
        };
        let mut armed = self.armed.lock().unwrap_or_else(PoisonError::into_inner);
        *armed = Some(trap.clone());
        trap
    }
}

impl Drop for CommitProxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Carries what both sides say, until one ends or a COMMIT is cut.
async fn carry(mut client: TcpStream, mut server: TcpStream, armed: &Armed) -> Result<()> {
    // Messages go on one by one. Without this each would wait until the one before is acknowledged, which takes a server 40 ms.
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let mut talk = Talk::default();
    let (mut said, mut answered) = (vec![0; 64 << 10], vec![0; 64 << 10]);
    loop {
        tokio::select! {
            length = client.read(&mut said) => {
                let length = length?;
                if length == 0 {
                    return Ok(());
                }
                talk.heard.extend(said.iter().take(length));
                while let Some(message) = talk.next()? {
                    let Some(trap) = talk.caught(&message, armed) else {
                        server.write_all(&message).await?;
                        continue;
                    };
                    return cut(client, server, &message, &trap).await;
                }
            }
            length = server.read(&mut answered) => {
                let length = length?;
                if length == 0 {
                    return Ok(());
                }
                client.write_all(answered.get(..length).unwrap_or_default()).await?;
            }
        }
    }
}

async fn cut(client: TcpStream, mut server: TcpStream, commit: &[u8], trap: &Trap) -> Result<()> {
    match trap.cut {
        Cut::Before => {
            drop(server);
            drop(client);
        }
        Cut::After => {
            committed(&mut server, commit).await?;
            drop(client);
        }
        Cut::Late => {
            drop(client);
            trap.set(true, false);
            trap.release.notified().await;
            committed(&mut server, commit).await?;
        }
    }
    trap.set(true, true);
    Ok(())
}

/// Sends the COMMIT and waits for the answer.
async fn committed(server: &mut TcpStream, commit: &[u8]) -> Result<()> {
    server.write_all(commit).await?;
    let mut answer = [0; 1024];
    let length = server.read(&mut answer).await?;
    // CommandComplete
    ensure!(
        length > 0 && answer.first() == Some(&b'C'),
        "not committed: {:?}",
        String::from_utf8_lossy(answer.get(..length).unwrap_or_default())
    );
    Ok(())
}

/// What one client says, in the messages of PostgreSQL's protocol.
#[derive(Debug, Default)]
struct Talk {
    heard: Vec<u8>,
    /// Messages have a type from here on.
    begun: bool,
    /// The prepared statements, by name.
    prepared: HashMap<String, String>,
    /// What ran since the last BEGIN.
    ran: Vec<String>,
}

/// The code of a `StartupMessage` of protocol 3.0; what comes before it are requests for encryption.
const STARTUP: [u8; 4] = 196_608_u32.to_be_bytes();

impl Talk {
    /// The next whole message.
    fn next(&mut self) -> Result<Option<Vec<u8>>> {
        let kind = usize::from(self.begun);
        let Some(length) = self.heard.get(kind..kind + 4) else {
            return Ok(None);
        };
        let length = kind + usize::try_from(u32::from_be_bytes(length.try_into()?))?;
        if self.heard.len() < length {
            return Ok(None);
        }
        let message: Vec<u8> = self.heard.drain(..length).collect();
        self.begun |= message.get(4..8) == Some(&STARTUP);
        Ok(Some(message))
    }

    /// The trap, if this is the COMMIT that it waits for.
    fn caught(&mut self, message: &[u8], armed: &Armed) -> Option<Trap> {
        let mut texts = message
            .get(5..)?
            .split(|byte| *byte == 0)
            .map(|text| String::from_utf8_lossy(text).into_owned());
        match message.first()? {
            // Parse: a name and a statement.
            b'P' => {
                self.prepared.insert(texts.next()?, texts.next()?);
            }
            // Bind: a portal and a statement's name.
            b'B' => {
                let name = texts.nth(1)?;
                self.ran.extend(self.prepared.get(&name).cloned());
            }
            b'Q' => {
                let statement = texts.next()?;
                if statement.starts_with("BEGIN") {
                    self.ran.clear();
                } else if statement != "COMMIT" {
                    self.ran.push(statement);
                } else {
                    let mut armed = armed.lock().unwrap_or_else(PoisonError::into_inner);
                    return armed.take_if(|trap| {
                        self.ran
                            .iter()
                            .any(|statement| statement.contains(trap.statement))
                    });
                }
            }
            _ => {}
        }
        None
    }
}
