//! Connecting to the centre and binding as a transceiver.

use std::io;
use std::sync::Arc;

use futures::{SinkExt, StreamExt};
use rusmpp::pdus::BindTransceiver;
use rusmpp::tokio_codec::CommandCodec;
use rusmpp::types::COctetString;
use rusmpp::values::InterfaceVersion;
use rusmpp::{Command, CommandId, CommandStatus};
use rustls::crypto::ring;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{ReadHalf, WriteHalf};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_util::codec::{FramedRead, FramedWrite};
use tokio_util::either::Either;
use webpki_root_certs::TLS_SERVER_ROOT_CERTS;

use super::wire::FrameCodec;
use super::{Config, Shared};

/// The sequence number of the bind.
pub(super) const FIRST_SEQUENCE: u32 = 1;

type Stream = Either<TcpStream, TlsStream<TcpStream>>;
pub(super) type Frames = FramedRead<ReadHalf<Stream>, FrameCodec>;
pub(super) type Commands = FramedWrite<WriteHalf<Stream>, CommandCodec>;

pub(super) struct Connection {
    pub frames: Frames,
    pub commands: Commands,
}

/// Why it is not bound.
pub(super) enum BindError {
    Refused(CommandStatus),
    Unreachable(io::ErrorKind),
}

/// A connection that is bound.
pub(super) async fn connect(shared: &Shared) -> Result<Connection, BindError> {
    let pdu = bind_pdu(&shared.config)?;
    let bind = async {
        let stream = dial(&shared.config)
            .await
            .map_err(|error| unreachable(&error))?;
        let (read, write) = tokio::io::split(stream);
        let mut connection = Connection {
            frames: FramedRead::new(read, FrameCodec),
            commands: FramedWrite::new(write, CommandCodec::new()),
        };
        connection.bind(pdu).await.map(|()| connection)
    };
    let bound = timeout(shared.timing.bind, bind).await;
    bound.unwrap_or(Err(BindError::Unreachable(io::ErrorKind::TimedOut)))
}

fn unreachable(error: &io::Error) -> BindError {
    BindError::Unreachable(error.kind())
}

fn bind_pdu(config: &Config) -> Result<BindTransceiver, BindError> {
    // A centre would say the same of what is too long.
    let system_id = COctetString::from_string(config.system_id.clone())
        .map_err(|_| BindError::Refused(CommandStatus::EsmeRinvsysid))?;
    let password = COctetString::from_string(config.password.clone())
        .map_err(|_| BindError::Refused(CommandStatus::EsmeRinvpaswd))?;
    let builder = BindTransceiver::builder()
        .system_id(system_id)
        .password(password);
    Ok(builder.interface_version(InterfaceVersion::Smpp3_4).build())
}

async fn dial(config: &Config) -> io::Result<Stream> {
    let stream = TcpStream::connect((config.host.as_str(), config.port)).await?;
    stream.set_nodelay(true)?;
    if !config.tls {
        return Ok(Either::Left(stream));
    }
    let name = ServerName::try_from(config.host.clone()).map_err(io::Error::other)?;
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(TLS_SERVER_ROOT_CERTS.iter().cloned());
    let provider = Arc::new(ring::default_provider());
    let tls = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let connector = TlsConnector::from(Arc::new(tls));
    connector.connect(name, stream).await.map(Either::Right)
}

impl Connection {
    async fn bind(&mut self, pdu: BindTransceiver) -> Result<(), BindError> {
        let command = Command::new(CommandStatus::EsmeRok, FIRST_SEQUENCE, pdu);
        let broken = || BindError::Unreachable(io::ErrorKind::ConnectionAborted);
        self.commands.send(command).await.map_err(|_| broken())?;
        while let Some(frame) = self.frames.next().await {
            let frame = frame.map_err(|error| unreachable(&error))?;
            match (frame.id, CommandStatus::from(frame.status)) {
                (CommandId::BindTransceiverResp, CommandStatus::EsmeRok) => return Ok(()),
                (CommandId::BindTransceiverResp | CommandId::GenericNack, status) => {
                    return Err(BindError::Refused(status));
                }
                _ => {}
            }
        }
        Err(broken())
    }
}
