//! What the URL of a sender by SMPP says.

use domain::sms::gsm7;
use strum::EnumString;

use super::ids::IdForm;
use crate::provider_url::{Login, SenderUrl, UrlError, bad_url};

/// No centre answers as many at once.
const MAX_WINDOW: usize = 10_000;
const MAX_BINDS: usize = 16;
/// The longest `system_type`; the protocol has no room for more.
const MAX_SYSTEM_TYPE: usize = 12;

/// The address of the centre, the login, and what differs between centres.
#[derive(Clone)]
pub(super) struct BindConfig {
    /// At most 15 ASCII characters; the protocol has no room for more.
    pub system_id: String,
    /// At most 8 ASCII characters.
    pub password: String,
    pub system_type: String,
    /// A name or an address, without the brackets of IPv6.
    pub host: String,
    pub port: u16,
    pub tls: bool,
    /// How many parts may wait for their answers.
    pub window: usize,
    /// How many connections send.
    pub binds: usize,
    pub mode: Mode,
    pub style: Style,
    /// How receipts write ids; `None`: that is learned.
    pub ids: Option<IdForm>,
}

/// Whether what is sent and what comes share connections.
#[derive(Clone, Copy, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "snake_case")]
pub(super) enum Mode {
    Trx,
    /// One connection more receives.
    Txrx,
}

/// How messages are written.
#[derive(Clone, Copy, Default)]
pub(super) struct Style {
    pub charset: Charset,
    pub long: Long,
}

/// What octets under the `data_coding` 0 are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "snake_case")]
pub(super) enum Charset {
    #[default]
    Gsm7,
    Latin1,
    Ascii,
}

/// How a message in parts is written.
#[derive(Clone, Copy, Default, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "snake_case")]
pub(super) enum Long {
    /// Parts whose texts begin with a header.
    #[default]
    Udh,
    /// Parts with the `sar_` parameters.
    Sar,
    /// As one, in `message_payload`, which the centre cuts.
    Payload,
}

/// A connection: what it is for, and if it sends, which of those.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub kind: LinkKind,
    pub place: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinkKind {
    Transceiver,
    Transmitter,
    Receiver,
}

impl BindConfig {
    pub fn read(url: &mut SenderUrl<'_>) -> Result<Self, UrlError> {
        let login = Login::of(url.scheme, url.address)?;
        url.note_plain(&login.url);
        let host = login.url.host_str().filter(|host| !host.is_empty());
        let host = host.ok_or_else(|| bad_url("has no host"))?;
        let window = usize::try_from(url.window.get()).unwrap_or(MAX_WINDOW);
        let query = &mut url.query;
        let what = "is none of `auto`, `same`, `hex` and `decimal`";
        let ids = query.parsed("ids", what, |text| match text {
            "auto" => Some(None),
            form => form.parse().ok().map(Some),
        })?;
        let mode = query.number("mode", "is neither `trx` nor `txrx`")?;
        let charset = query.number("charset", "is none of `gsm7`, `latin1` and `ascii`")?;
        let long = query.number("long", "is none of `udh`, `sar` and `payload`")?;
        let what = "is not a whole number from 1 to 16";
        let binds = query.parsed("binds", what, |text| {
            let binds = text.parse().ok();
            binds.filter(|binds| (1..=MAX_BINDS).contains(binds))
        })?;
        let what = "is not up to 12 ASCII characters";
        let system_type = query.parsed("system_type", what, |text| {
            let fits = text.len() <= MAX_SYSTEM_TYPE && text.is_ascii();
            fits.then(|| text.to_owned())
        })?;
        Ok(Self {
            host: host.trim_matches(['[', ']']).to_owned(),
            port: login.url.port().ok_or_else(|| bad_url("has no port"))?,
            tls: url.scheme == "smpps",
            window: window.min(MAX_WINDOW),
            system_id: login.user,
            password: login.password,
            system_type: system_type.unwrap_or_default(),
            binds: binds.unwrap_or(1),
            mode: mode.unwrap_or(Mode::Trx),
            style: Style {
                charset: charset.unwrap_or_default(),
                long: long.unwrap_or_default(),
            },
            ids: ids.flatten(),
        })
    }

    /// The connections that are held.
    pub fn links(&self) -> impl Iterator<Item = Link> {
        let (kind, is_apart) = match self.mode {
            Mode::Trx => (LinkKind::Transceiver, false),
            Mode::Txrx => (LinkKind::Transmitter, true),
        };
        let receiver = Link {
            kind: LinkKind::Receiver,
            place: None,
        };
        let sends = (0..self.binds).map(move |place| Link {
            kind,
            place: Some(place),
        });
        sends.chain(is_apart.then_some(receiver))
    }
}

impl Charset {
    /// `None`: it lacks a character of the text.
    pub fn encode(self, text: &str) -> Option<Vec<u8>> {
        match self {
            Self::Gsm7 => gsm7::encode(text),
            Self::Latin1 => text.chars().map(|c| u8::try_from(c).ok()).collect(),
            Self::Ascii => text.is_ascii().then(|| text.as_bytes().to_owned()),
        }
    }

    pub fn decode(self, octets: &[u8]) -> String {
        match self {
            Self::Gsm7 => gsm7::decode(octets),
            Self::Latin1 | Self::Ascii => octets.iter().copied().map(char::from).collect(),
        }
    }
}
