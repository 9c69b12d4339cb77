//! Connecting to the centre and binding.

use std::io;
use std::sync::Arc;

use futures::{SinkExt, StreamExt};
use rusmpp::pdus::{BindReceiver, BindTransceiver, BindTransmitter};
use rusmpp::tokio_codec::CommandCodec;
use rusmpp::types::COctetString;
use rusmpp::values::InterfaceVersion;
use rusmpp::{Command, CommandId, CommandStatus, Pdu};
use rustls::pki_types::ServerName;
use tokio::io::{ReadHalf, WriteHalf};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_util::codec::{FramedRead, FramedWrite, LengthDelimitedCodec};
use tokio_util::either::Either;

use super::Shared;
use super::config::{BindConfig, LinkKind};
use super::wire::{RawPdu, codec};
use crate::client::TLS;

/// The sequence number of the bind.
pub(super) const FIRST_SEQUENCE: u32 = 1;

type Stream = Either<TcpStream, TlsStream<TcpStream>>;
pub(super) type Frames = FramedRead<ReadHalf<Stream>, LengthDelimitedCodec>;
pub(super) type Commands = FramedWrite<WriteHalf<Stream>, CommandCodec>;

/// A connection that is bound, or the status with which the centre refuses to bind.
type Bound = Result<(Frames, Commands), CommandStatus>;

/// Connects and binds.
///
/// # Errors
/// The centre cannot be reached.
pub(super) async fn connect(shared: &Shared, kind: LinkKind) -> io::Result<Bound> {
    timeout(shared.timing.bind, bind(shared, kind)).await?
}

async fn bind(shared: &Shared, kind: LinkKind) -> io::Result<Bound> {
    let pdu = match bind_pdu(&shared.config, kind) {
        Ok(pdu) => pdu,
        Err(status) => return Ok(Err(status)),
    };
    let (read, write) = tokio::io::split(dial(shared).await?);
    let mut frames = FramedRead::new(read, codec());
    let mut commands = FramedWrite::new(write, CommandCodec::new());
    let command = Command::new(CommandStatus::EsmeRok, FIRST_SEQUENCE, pdu);
    let broken = || io::Error::from(io::ErrorKind::ConnectionAborted);
    commands.send(command).await.map_err(|_| broken())?;
    let answer = match kind {
        LinkKind::Transceiver => CommandId::BindTransceiverResp,
        LinkKind::Transmitter => CommandId::BindTransmitterResp,
        LinkKind::Receiver => CommandId::BindReceiverResp,
    };
    while let Some(octets) = frames.next().await {
        let frame = RawPdu::read(octets?).ok_or_else(broken)?;
        match (frame.id, CommandStatus::from(frame.status)) {
            (id, CommandStatus::EsmeRok) if id == answer => return Ok(Ok((frames, commands))),
            (id, status) if id == answer || id == CommandId::GenericNack => {
                return Ok(Err(status));
            }
            _ => {}
        }
    }
    Err(broken())
}

fn bind_pdu(config: &BindConfig, kind: LinkKind) -> Result<Pdu, CommandStatus> {
    // The status with which a centre refuses a value that is too long.
    let system_id = COctetString::from_string(config.system_id.clone())
        .map_err(|_| CommandStatus::EsmeRinvsysid)?;
    let password = COctetString::from_string(config.password.clone())
        .map_err(|_| CommandStatus::EsmeRinvpaswd)?;
    let system_type = COctetString::from_string(config.system_type.clone())
        .map_err(|_| CommandStatus::EsmeRinvsystyp)?;
    // They differ in nothing but their names.
    macro_rules! pdu {
        ($name:ident) => {
            $name::builder()
                .system_id(system_id)
                .password(password)
                .system_type(system_type)
                .interface_version(InterfaceVersion::Smpp3_4)
                .build()
                .into()
        };
    }
    Ok(match kind {
        LinkKind::Transceiver => pdu!(BindTransceiver),
        LinkKind::Transmitter => pdu!(BindTransmitter),
        LinkKind::Receiver => pdu!(BindReceiver),
    })
}

async fn dial(shared: &Shared) -> io::Result<Stream> {
    let config = &shared.config;
    let stream = TcpStream::connect((config.host.as_str(), config.port)).await?;
    stream.set_nodelay(true)?;
    if !config.tls {
        return Ok(Either::Left(stream));
    }
    let name = ServerName::try_from(config.host.clone()).map_err(io::Error::other)?;
    let connector = TlsConnector::from(Arc::clone(&TLS));
    connector.connect(name, stream).await.map(Either::Right)
}
