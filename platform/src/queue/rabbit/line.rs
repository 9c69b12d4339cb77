//! A connection to the broker.

use std::net::{Shutdown, TcpStream};
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, PoisonError};

use lapin::tcp::{AsyncTcpStream, OwnedTLSConfig};
use lapin::uri::{AMQPScheme, AMQPUri};
use lapin::{Channel, Connection, ConnectionProperties};

use super::lazy::{Alive, Lazy};
use super::{ANSWER, answer};
use crate::config::AmqpUrl;
use crate::queue::QueueError;

/// Where lines come from: at most one is open, and it is replaced when it breaks.
pub(super) struct Lines {
    uri: AMQPUri,
    name: &'static str,
    line: Lazy<Line>,
}

impl Lines {
    /// `name` is what the broker's operators see.
    pub(super) fn new(url: &AmqpUrl, name: &'static str) -> Self {
        let mut uri = url.0.clone();
        uri.query.heartbeat.get_or_insert(10);
        Self {
            uri,
            name,
            line: Lazy::new(),
        }
    }

    /// The open line, or a new one.
    pub(super) async fn get(&self) -> Result<Arc<Line>, QueueError> {
        self.line
            .get(|| Line::open(self.uri.clone(), self.name))
            .await
    }
}

/// One connection. Dropped, it is closed in order, once its channels are dropped too.
pub(super) struct Line {
    connection: Connection,
    socket: Socket,
}

/// A handle on the connection's socket, to cut it: closing in order needs a broker that answers.
type Socket = Arc<Mutex<Option<TcpStream>>>;

fn cut(socket: &Socket) {
    let socket = socket.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(socket) = &*socket {
        // It may be closed already.
        let _ = socket.shutdown(Shutdown::Both);
    }
}

impl Line {
    async fn open(uri: AMQPUri, name: &'static str) -> Result<Self, QueueError> {
        let socket = Socket::default();
        let kept = socket.clone();
        let runtime = lapin::runtime::default_runtime()
            .map_err(|error| QueueError::Unreachable(Arc::new(error)))?;
        let properties = ConnectionProperties::default().with_connection_name(name.into());
        let connecting = Connection::connector(
            uri,
            runtime,
            // The library's own way, but bounded in time (its connection_timeout is not for async), and the socket
            // kept.
            async move |uri: AMQPUri, runtime| {
                let dialling = async {
                    let addresses =
                        runtime.to_socket_addrs((uri.authority.host.clone(), uri.authority.port));
                    let stream = AsyncTcpStream::connect(&runtime, addresses).await?;
                    if let AsyncTcpStream::Plain(plain) = &stream {
                        let handle = plain.get_ref().as_fd().try_clone_to_owned()?;
                        *kept.lock().unwrap_or_else(PoisonError::into_inner) =
                            Some(TcpStream::from(handle));
                    }
                    match uri.scheme {
                        AMQPScheme::AMQP => Ok(stream),
                        AMQPScheme::AMQPS => {
                            let tls = OwnedTLSConfig::default();
                            stream.into_tls(&uri.authority.host, tls.as_ref()).await
                        }
                    }
                };
                match tokio::time::timeout(ANSWER, dialling).await {
                    Ok(result) => result.map_err(lapin::Error::from),
                    Err(elapsed) => Err(lapin::Error::from(std::io::Error::from(elapsed))),
                }
            },
            properties,
        );
        match answer(connecting).await {
            Ok(connection) => {
                tracing::info!(queue.connection = name, "connected to the broker");
                Ok(Self { connection, socket })
            }
            Err(error) => {
                // A broker that accepts and then says nothing would keep the library's thread for ever.
                cut(&socket);
                Err(error)
            }
        }
    }

    /// A new channel; a round trip.
    pub(super) async fn channel(&self) -> Result<Channel, QueueError> {
        answer(self.connection.create_channel()).await
    }

    /// Whether the broker is short of memory or disk and reads nothing from this connection.
    pub(super) fn blocked(&self) -> bool {
        self.connection.status().blocked()
    }

    /// Ends the connection now, whatever the broker does.
    pub(super) fn cut(&self) {
        cut(&self.socket);
    }
}

impl Alive for Line {
    fn alive(&self) -> bool {
        self.connection.status().connected()
    }
}
