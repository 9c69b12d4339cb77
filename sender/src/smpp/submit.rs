//! What goes out for a message, a `submit_sm` a part, and what the answers to its parts make of it.

use std::time::Duration;

use domain::sms::Encoding;
use rusmpp::CommandStatus;
use rusmpp::pdus::SubmitSm;
use rusmpp::tlvs::MessageSubmissionRequestTlvValue as Tlv;
use rusmpp::types::{AnyOctetString, COctetString, EmptyOrFullCOctetString, OctetString};
use rusmpp::values::{
    DataCoding, EsmClass, MessagePayload, Npi, RegisteredDelivery, Ton, UserMessageReference,
};

use super::config::{Charset, Long, Style};
use crate::{Handed, Outbound};

/// No message waits that long; it keeps the days of a validity to what any centre reads.
const MAX_VALIDITY: Duration = Duration::from_hours(30 * 24);

/// `esm_class` says by it that the text begins with a header.
const UDH_INDICATOR: u8 = 0x40;
/// `registered_delivery` asks by it for a receipt at the end, whatever it is.
const FINAL_RECEIPT: u8 = 1;

type AddressField = COctetString<1, 21>;

/// The most octets of a text, and of one behind a header.
const MAX_OCTETS: usize = 140;
const MAX_OCTETS_OF_PART: usize = 134;

/// The PDUs of a message, each with its number as `user_message_reference`. An error says why the message cannot be written as
/// PDUs.
pub(super) fn pdus(message: &Outbound, style: Style) -> Result<Vec<SubmitSm>, Handed> {
    let unfit = |status: CommandStatus| code(status.into());
    let (source_ton, source_npi, source) = source(&message.from).ok_or(Handed::SenderFault {
        code: unfit(CommandStatus::EsmeRinvsrcadr),
    })?;
    let to = message.to.trim_start_matches('+').to_owned();
    let destination = AddressField::from_string(to).map_err(|_| Handed::Refused {
        code: unfit(CommandStatus::EsmeRinvdstadr),
    })?;
    let too_long = || Handed::Refused {
        code: unfit(CommandStatus::EsmeRinvmsglen),
    };
    let (data_coding, texts) = texts(message, style)?;
    let total = u8::try_from(texts.len()).map_err(|_| too_long())?;
    let (first, validity) = (message.number, validity_period(message.validity));
    let (is_cut, is_ucs2) = (message.parts.len() > 1, data_coding == DataCoding::Ucs2);
    let pdu = |(number, text): (u8, Vec<u8>)| -> Result<SubmitSm, Handed> {
        let mut pdu = SubmitSm::builder()
            .source_addr_ton(source_ton)
            .source_addr_npi(source_npi)
            .source_addr(source.clone())
            .dest_addr_ton(Ton::International)
            .dest_addr_npi(Npi::Isdn)
            .destination_addr(destination.clone())
            // The default of `EsmClass` is an acknowledgement.
            .esm_class(EsmClass::from(0))
            .validity_period(validity.clone())
            .registered_delivery(RegisteredDelivery::from(FINAL_RECEIPT))
            .data_coding(data_coding)
            .push_tlv(Tlv::UserMessageReference(UserMessageReference::new(
                first.wrapping_add(u16::from(number) - 1),
            )));
        let mut octets = Vec::new();
        match style.long {
            Long::Payload if is_cut || is_ucs2 && text.len() > MAX_OCTETS => {
                let payload = MessagePayload::new(AnyOctetString::from_vec(text));
                return Ok(pdu.push_tlv(Tlv::MessagePayload(payload)).build());
            }
            Long::Udh if total > 1 => {
                // With a 16-bit reference, 153 septets do not fit.
                let [_, concatenation] = first.to_be_bytes();
                octets.extend([5, 0, 3, concatenation, total, number]);
                pdu = pdu.esm_class(EsmClass::from(UDH_INDICATOR));
            }
            Long::Sar if total > 1 => {
                pdu = pdu
                    .push_tlv(Tlv::SarMsgRefNum(first))
                    .push_tlv(Tlv::SarTotalSegments(total))
                    .push_tlv(Tlv::SarSegmentSeqnum(number));
            }
            Long::Udh | Long::Sar | Long::Payload => {}
        }
        octets.extend(text);
        let text = OctetString::from_vec(octets).map_err(|_| too_long())?;
        Ok(pdu.short_message(text).build())
    };
    (1..=total).zip(texts).map(pdu).collect()
}

/// The octets of the parts of a message, or of all of it, and what they are.
fn texts(message: &Outbound, style: Style) -> Result<(DataCoding, Vec<Vec<u8>>), Handed> {
    let whole = [message.parts.concat()];
    let (parts, is_cut) = match style.long {
        Long::Payload => (&whole[..], false),
        Long::Udh | Long::Sar => (&message.parts[..], message.parts.len() > 1),
    };
    if message.encoding == Encoding::Gsm7 {
        let written = parts.iter().map(|part| style.charset.encode(part));
        if let Some(written) = written.collect::<Option<_>>() {
            return Ok((DataCoding::McSpecific, written));
        }
        if style.charset == Charset::Gsm7 {
            return Err(Handed::Refused {
                code: code(CommandStatus::EsmeRinvmsglen.into()),
            });
        }
    }
    let ucs2 = |part: &String| part.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let written: Vec<Vec<u8>> = parts.iter().map(ucs2).collect();
    let most = if is_cut {
        MAX_OCTETS_OF_PART
    } else {
        MAX_OCTETS
    };
    // It was cut for characters that the centre does not have.
    let is_misfit = message.encoding == Encoding::Gsm7
        && style.long != Long::Payload
        && written.iter().any(|part| part.len() > most);
    if is_misfit {
        return Err(Handed::Refused {
            code: "smpp-charset".to_owned(),
        });
    }
    Ok((DataCoding::Ucs2, written))
}

/// A number with `+`, a short code, or a name.
fn source(from: &str) -> Option<(Ton, Npi, AddressField)> {
    let (ton, npi, address) = match from.strip_prefix('+') {
        Some(digits) => (Ton::International, Npi::Isdn, digits),
        None if from.bytes().all(|octet| octet.is_ascii_digit()) => {
            (Ton::NetworkSpecific, Npi::Unknown, from)
        }
        None => (Ton::Alphanumeric, Npi::Unknown, from),
    };
    Some((
        ton,
        npi,
        AddressField::from_string(address.to_owned()).ok()?,
    ))
}

/// A time from now as SMPP writes it: `YYMMDDhhmmss000R`.
fn validity_period(validity: Duration) -> EmptyOrFullCOctetString<17> {
    // No time at all would mean the centre's own.
    let seconds = validity.min(MAX_VALIDITY).as_secs().max(1);
    let (days, hours) = (seconds / 86_400, seconds / 3_600 % 24);
    let (minutes, seconds) = (seconds / 60 % 60, seconds % 60);
    let text = format!("0000{days:02}{hours:02}{minutes:02}{seconds:02}000R");
    // It has 16 characters, so it always fits.
    EmptyOrFullCOctetString::from_string(text).unwrap_or_default()
}

/// What became of a part.
#[derive(Debug)]
pub(super) enum PartOutcome {
    /// Under this id, which may be empty.
    Accepted(String),
    /// An answer with an error status.
    Refused(u32),
    /// No byte was written.
    Unsent,
    /// Written, and no answer came.
    Lost(&'static str),
}

impl PartOutcome {
    /// It was certainly not taken, and may be.
    pub fn is_open(&self) -> bool {
        match self {
            Self::Unsent => true,
            Self::Refused(status) => is_busy(*status),
            Self::Accepted(_) | Self::Lost(_) => false,
        }
    }
}

/// Whether a message lacks nothing but parts that the centre had no time for.
pub(super) fn is_torn(parts: &[PartOutcome]) -> bool {
    let is_taken = |part: &PartOutcome| matches!(part, PartOutcome::Accepted(_));
    let is_whole = parts.iter().all(is_taken);
    let may_be = parts.iter().all(|part| is_taken(part) || part.is_open());
    may_be && !is_whole && parts.iter().any(is_taken)
}

/// What became of a message of these parts.
pub(super) fn handed(parts: Vec<PartOutcome>) -> Handed {
    let count = parts.len();
    let (mut provider_ids, mut lost, mut refused) = (Vec::new(), None, None);
    for part in parts {
        match part {
            PartOutcome::Accepted(id) => provider_ids.push(id),
            PartOutcome::Refused(status) => refused = refused.or(Some(status)),
            PartOutcome::Lost(code) => lost = lost.or(Some(code)),
            PartOutcome::Unsent => {}
        }
    }
    match (provider_ids.len(), lost, refused) {
        (accepted, ..) if accepted == count => {
            // Ids of some parts only would not tell which.
            if provider_ids.iter().any(String::is_empty) {
                provider_ids.clear();
            }
            Handed::Accepted { provider_ids }
        }
        (0, None, Some(status)) => verdict(status),
        (0, None, None) => Handed::not_sent("smpp-unsent"),
        (_, Some(code), _) => Handed::unknown(code),
        (_, None, Some(status)) => Handed::unknown(&code(status)),
        (_, None, None) => Handed::unknown("smpp-unsent"),
    }
}

/// What an error status says of a message. It was not accepted, so each of these is certain.
pub(super) fn verdict(status: u32) -> Handed {
    let code = code(status);
    match CommandStatus::from(status) {
        _ if is_busy(status) => Handed::Busy,
        CommandStatus::EsmeRinvbndsts
        | CommandStatus::EsmeRalybnd
        | CommandStatus::EsmeRbindfail
        | CommandStatus::EsmeRinvpaswd
        | CommandStatus::EsmeRinvsysid => Handed::SenderFault { code },
        CommandStatus::EsmeRsyserr | CommandStatus::EsmeRxTAppn => Handed::NotSent { code },
        _ => Handed::Refused { code },
    }
}

/// Throttled, or its queue is full.
fn is_busy(status: u32) -> bool {
    let status = CommandStatus::from(status);
    matches!(
        status,
        CommandStatus::EsmeRthrottled | CommandStatus::EsmeRmsgqful
    )
}

/// A status as a code: `smpp-0x0b`.
pub(super) fn code(status: u32) -> String {
    format!("smpp-{status:#04x}")
}

#[cfg(test)]
mod tests;
