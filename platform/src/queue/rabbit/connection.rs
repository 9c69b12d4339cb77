//! A connection to the broker, with one channel.

use std::net::{Shutdown, TcpStream};
use std::os::fd::AsFd;
use std::sync::Arc;

use lapin::tcp::{AsyncTcpStream, OwnedTLSConfig};
use lapin::uri::{AMQPScheme, AMQPUri};
use lapin::{Channel, Connection, ConnectionProperties};
use parking_lot::Mutex;

use super::{ANSWER, Topology, answer};
use crate::authorities;
use crate::queue::QueueError;

/// The nodes of the broker, and the queues on them.
#[derive(Clone)]
pub(in crate::queue) struct BrokerAddress {
    pub(in crate::queue) nodes: Vec<AMQPUri>,
    pub(in crate::queue) topology: Topology,
}

/// One connection, and a channel on which the queues are declared. Dropped, both are closed in order.
pub(super) struct BrokerConnection {
    pub(super) channel: Channel,
    connection: Connection,
    pub(super) socket: Socket,
}

/// A handle on the connection's socket, to cut it: closing in order needs a broker that answers.
pub(super) type Socket = Arc<Mutex<Option<TcpStream>>>;

/// Ends the connection now, whatever the broker does.
pub(super) fn cut(socket: &Socket) {
    if let Some(socket) = &*socket.lock() {
        // It may be closed already.
        let _ = socket.shutdown(Shutdown::Both);
    }
}

impl BrokerConnection {
    /// Connects to the first node that can be used. `name` is what the broker's operators see.
    pub(super) async fn open(
        address: &BrokerAddress,
        name: &'static str,
    ) -> Result<Self, QueueError> {
        let mut opened = Err(QueueError::Resting);
        for node in &address.nodes {
            opened = Self::open_on(node, &address.topology, name).await;
            if opened.is_ok() {
                break;
            }
        }
        opened
    }

    /// A node of a cluster may answer and yet have no queues, because it is cut off from most of the others.
    async fn open_on(
        node: &AMQPUri,
        topology: &Topology,
        name: &'static str,
    ) -> Result<Self, QueueError> {
        let (connection, socket) = connect(node.clone(), name).await?;
        let channel = answer(connection.create_channel()).await?;
        topology.declare(&channel).await?;
        Ok(Self {
            channel,
            connection,
            socket,
        })
    }

    pub(super) fn alive(&self) -> bool {
        self.connection.status().connected() && self.channel.status().connected()
    }

    /// A round trip.
    ///
    /// # Errors
    /// The broker gives no answer.
    pub(super) async fn ping(&self) -> Result<(), QueueError> {
        answer(self.connection.create_channel()).await.map(drop)
    }

    /// Whether the broker is short of memory or disk and reads nothing from this connection.
    pub(super) fn blocked(&self) -> bool {
        self.connection.status().blocked()
    }
}

async fn connect(uri: AMQPUri, name: &'static str) -> Result<(Connection, Socket), QueueError> {
    let socket = Socket::default();
    let kept = socket.clone();
    let runtime = lapin::runtime::default_runtime()
        .map_err(|error| QueueError::Unreachable(Arc::new(error)))?;
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
                    *kept.lock() = Some(TcpStream::from(handle));
                }
                match uri.scheme {
                    AMQPScheme::AMQP => Ok(stream),
                    AMQPScheme::AMQPS => {
                        let tls = OwnedTLSConfig {
                            cert_chain: authorities::own().unwrap_or_default(),
                            ..OwnedTLSConfig::default()
                        };
                        stream.into_tls(&uri.authority.host, tls.as_ref()).await
                    }
                }
            };
            match tokio::time::timeout(ANSWER, dialling).await {
                Ok(result) => result.map_err(lapin::Error::from),
                Err(elapsed) => Err(lapin::Error::from(std::io::Error::from(elapsed))),
            }
        },
        ConnectionProperties::default().with_connection_name(name.into()),
    );
    let connected = answer(connecting).await;
    match &connected {
        Ok(_) => tracing::info!(queue.connection = name, "connected to the broker"),
        // A broker that accepts and then says nothing would keep the library's thread for ever.
        Err(_) => cut(&socket),
    }
    Ok((connected?, socket))
}
