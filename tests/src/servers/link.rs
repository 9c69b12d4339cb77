//! A wire to a server that can be cut, slow or silent, and laid to another server.

use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Result;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::wait::pause;

/// How it carries.
#[derive(Clone, Copy, Debug)]
struct Weather {
    /// The port to which new connections go.
    server: u16,
    /// How long each piece takes.
    delay: Duration,
    /// Nothing arrives, and nobody learns of it.
    is_silent: bool,
}

/// The wire. It ends with the test.
#[derive(Debug)]
pub struct Link {
    port: u16,
    weather: watch::Sender<Weather>,
    /// Cancelled with the connections of now.
    connections: Arc<Mutex<CancellationToken>>,
    task: JoinHandle<()>,
}

impl Link {
    /// One to a port of this machine.
    ///
    /// # Errors
    /// No port is free.
    pub async fn to(server: u16) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let weather = watch::Sender::new(Weather {
            server,
            delay: Duration::ZERO,
            is_silent: false,
        });
        let connections = Arc::new(Mutex::new(CancellationToken::new()));
        let port = listener.local_addr()?.port();
        let (seen, open) = (weather.subscribe(), Arc::clone(&connections));
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let until = open.lock().unwrap_or_else(PoisonError::into_inner).clone();
                tokio::spawn(connect(client, seen.clone(), until));
            }
        });
        Ok(Self {
            port,
            weather,
            connections,
            task,
        })
    }

    /// Where it begins.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Lays it to another server, for connections from now on.
    pub fn lay_to(&self, server: u16) {
        self.weather.send_modify(|weather| weather.server = server);
    }

    /// Resets every connection.
    pub fn cut(&self) {
        let mut open = self
            .connections
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *open).cancel();
    }

    /// From now on each piece takes so long.
    pub fn slow_down(&self, delay: Duration) {
        self.weather.send_modify(|weather| weather.delay = delay);
    }

    /// Whether nothing arrives.
    pub fn silence(&self, is_silent: bool) {
        self.weather
            .send_modify(|weather| weather.is_silent = is_silent);
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.task.abort();
        self.cut();
    }
}

/// Carries what both sides say, until one ends or the wire is cut.
async fn connect(
    mut client: TcpStream,
    weather: watch::Receiver<Weather>,
    until: CancellationToken,
) -> Result<()> {
    let port = weather.borrow().server;
    let mut server = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (from_client, to_client) = client.split();
    let (from_server, to_server) = server.split();
    tokio::select! {
        _ = carry(from_client, to_server, weather.clone()) => {}
        _ = carry(from_server, to_client, weather) => {}
        () = until.cancelled() => {
            client.set_zero_linger()?;
            server.set_zero_linger()?;
        }
    }
    Ok(())
}

async fn carry(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut weather: watch::Receiver<Weather>,
) -> Result<()> {
    let mut piece = vec![0; 64 << 10];
    loop {
        let length = from.read(&mut piece).await?;
        if length == 0 {
            return Ok(());
        }
        let delay = weather.wait_for(|weather| !weather.is_silent).await?.delay;
        if !delay.is_zero() {
            pause(delay).await;
        }
        to.write_all(piece.get(..length).unwrap_or_default())
            .await?;
    }
}
