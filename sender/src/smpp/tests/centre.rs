//! A centre that does what a test tells it.

use std::time::Duration;

use futures::{SinkExt, StreamExt};
use rusmpp::pdus::{BindTransceiver, BindTransceiverResp, DeliverSm, SubmitSm, SubmitSmResp};
use rusmpp::tokio_codec::CommandCodec;
use rusmpp::types::{COctetString, OctetString};
use rusmpp::values::{DataCoding, EsmClass, Npi, Ton};
use rusmpp::{Command, CommandId, CommandStatus, Pdu};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_util::codec::Framed;

/// How long a test waits before it fails.
const PATIENCE: Duration = Duration::from_secs(20);

pub struct Centre(TcpListener);

/// The centre's end of a connection.
pub struct Peer(Framed<TcpStream, CommandCodec>);

impl Centre {
    pub async fn new() -> Self {
        Self(TcpListener::bind(("127.0.0.1", 0)).await.unwrap())
    }

    pub fn port(&self) -> u16 {
        self.0.local_addr().unwrap().port()
    }

    pub async fn connection(&self) -> Peer {
        let accepted = timeout(PATIENCE, self.0.accept()).await;
        let (stream, _) = accepted.expect("a connection").unwrap();
        Peer(Framed::new(stream, CommandCodec::new()))
    }

    /// The next connection, bound.
    pub async fn accept(&self) -> Peer {
        let mut peer = self.connection().await;
        peer.bind().await;
        peer.answer_bind(CommandStatus::EsmeRok).await;
        peer
    }
}

impl Peer {
    pub async fn next(&mut self) -> Command {
        let next = timeout(PATIENCE, self.0.next()).await;
        next.expect("a PDU").unwrap().unwrap()
    }

    /// Whether the other end closes next.
    pub async fn ended(&mut self) -> bool {
        let next = timeout(PATIENCE, self.0.next()).await;
        next.expect("the end").is_none()
    }

    pub async fn bind(&mut self) -> BindTransceiver {
        let command = self.next().await;
        assert_eq!(command.sequence_number(), 1);
        match command.pdu() {
            Some(Pdu::BindTransceiver(bind)) => bind.clone(),
            other => panic!("{other:?}"),
        }
    }

    pub async fn answer_bind(&mut self, status: CommandStatus) {
        let answer = BindTransceiverResp::default();
        self.send(Command::new(status, 1, answer)).await;
    }

    pub async fn submit(&mut self) -> (u32, SubmitSm) {
        let command = self.next().await;
        match command.pdu() {
            Some(Pdu::SubmitSm(submit)) => (command.sequence_number(), submit.clone()),
            other => panic!("{other:?}"),
        }
    }

    pub async fn accept_part(&mut self, sequence: u32, id: &str) {
        let id = COctetString::from_string(id.to_owned()).unwrap();
        let answer = SubmitSmResp::builder().message_id(id).build();
        self.send(Command::new(CommandStatus::EsmeRok, sequence, answer))
            .await;
    }

    /// As most centres do, without a body.
    pub async fn refuse_part(&mut self, sequence: u32, status: CommandStatus) {
        let id = u32::from(CommandId::SubmitSmResp);
        let header = [16, id, u32::from(status), sequence].map(u32::to_be_bytes);
        self.write(header.as_flattened()).await;
    }

    pub async fn request(&mut self, sequence: u32, pdu: impl Into<Pdu>) {
        self.send(Command::new(CommandStatus::EsmeRok, sequence, pdu))
            .await;
    }

    pub async fn answer(&mut self, request: &Command, pdu: Pdu) {
        self.request(request.sequence_number(), pdu).await;
    }

    pub async fn expect_answer(&mut self, sequence: u32, status: CommandStatus) {
        let answer = self.next().await;
        assert_eq!(answer.id(), CommandId::DeliverSmResp);
        assert_eq!(
            (answer.sequence_number(), answer.status()),
            (sequence, status)
        );
    }

    pub async fn first_octet(&mut self) -> u8 {
        let octet = timeout(PATIENCE, self.0.get_mut().read_u8()).await;
        octet.expect("an octet").unwrap()
    }

    pub async fn write(&mut self, octets: &[u8]) {
        self.0.get_mut().write_all(octets).await.unwrap();
    }

    async fn send(&mut self, command: Command) {
        self.0.send(command).await.unwrap();
    }
}

/// A `deliver_sm` from +491701234521 to 12345.
pub fn deliver_sm(esm_class: u8, data_coding: u8, text: &[u8]) -> DeliverSm {
    DeliverSm::builder()
        .source_addr_ton(Ton::International)
        .source_addr_npi(Npi::Isdn)
        .source_addr(COctetString::from_static_slice(b"491701234521\0").unwrap())
        .destination_addr(COctetString::from_static_slice(b"12345\0").unwrap())
        .esm_class(EsmClass::from(esm_class))
        .data_coding(DataCoding::from(data_coding))
        .short_message(OctetString::from_slice(text).unwrap())
        .build()
}
