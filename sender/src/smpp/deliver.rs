//! What comes by `deliver_sm`: receipts, and texts from phones.

use rusmpp::tlvs::TlvTag;

use super::join::{MAX_PART, Octets, TextKey};
use super::wire::Fields;
use crate::{Named, Receipt, ReceiptStatus, Subject, value};

/// Characters of an address that is no number. It has 20 at most.
const MAX_ADDRESS: usize = 32;

/// What a `deliver_sm` is, by its `esm_class`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeliverKind {
    Text,
    Receipt,
    /// An acknowledgement by a phone, for which nothing here asks.
    Other,
}

/// A `deliver_sm`, read as far as it is used.
pub(super) struct Deliver<'a> {
    source: Address,
    destination: Address,
    esm_class: u8,
    data_coding: u8,
    text: &'a [u8],
    tlvs: Fields<'a>,
}

struct Address {
    ton: u8,
    text: String,
}

/// A text from a phone, or a part of one.
pub(super) struct TextPart {
    /// Which text it is a part of.
    pub key: TextKey,
    pub number: u8,
    pub octets: Octets,
}

impl<'a> Deliver<'a> {
    pub fn read(body: &'a [u8]) -> Option<Self> {
        let mut fields = Fields(body);
        let _service_type = fields.string()?;
        let source = Address::read(&mut fields)?;
        let destination = Address::read(&mut fields)?;
        let esm_class = fields.octet()?;
        let _protocol_id_and_priority = fields.octets(2)?;
        let _schedule_delivery_time = fields.string()?;
        let _validity_period = fields.string()?;
        let _registered_delivery_and_replace_if_present = fields.octets(2)?;
        let data_coding = fields.octet()?;
        let _sm_default_msg_id = fields.octet()?;
        let length = fields.octet()?;
        let text = fields.octets(length.into())?;
        let payload = fields.tlv(TlvTag::MessagePayload);
        Some(Self {
            source,
            destination,
            esm_class,
            data_coding,
            text: payload.filter(|_| text.is_empty()).unwrap_or(text),
            tlvs: fields,
        })
    }

    pub fn kind(&self) -> DeliverKind {
        match self.esm_class & 0x3C {
            0 => DeliverKind::Text,
            // A receipt at the end, or on the way.
            0x04 | 0x20 => DeliverKind::Receipt,
            _ => DeliverKind::Other,
        }
    }

    /// What it says as a receipt, if it names a message and what became of it, by the provider's id as it writes it.
    /// `reference_of` knows our reference by a `user_message_reference` and the digits of two numbers, one of which is the message's.
    pub fn receipt(
        &self,
        reference_of: impl FnOnce(u16, [&str; 2]) -> Option<String>,
    ) -> Option<Receipt> {
        let text = String::from_utf8_lossy(self.text);
        let addresses = [&self.source, &self.destination];
        let number = self.number(TlvTag::UserMessageReference);
        let digits = addresses.map(|address| value::digits(&address.text));
        let ours = number.and_then(|number| reference_of(number, digits));
        let id = || {
            // Some centres leave its NUL out.
            let id = self.tlvs.tlv(TlvTag::ReceiptedMessageId)?;
            value::id(str::from_utf8(id.split(|&octet| octet == 0).next()?).ok()?)
        };
        let id = || id().or_else(|| value::id(field(&text, "id")?));
        let subject = match ours {
            Some(reference) => Subject::Reference(reference),
            None => Subject::Named(Named {
                ids: id().into_iter().collect(),
                number,
                phones: addresses
                    .into_iter()
                    .filter_map(|address| value::phone(&address.text))
                    .collect(),
            }),
        };
        if matches!(&subject, Subject::Named(named) if named.ids.is_empty() && number.is_none()) {
            return None;
        }
        let by_state = self.octet(TlvTag::MessageState).map(status_by_state);
        let status = by_state.or_else(|| field(&text, "stat").map(status_by_name))?;
        let error = field(&text, "err").and_then(value::code);
        let error = error.filter(|error| error.bytes().any(|octet| octet != b'0'));
        let code = error.or_else(|| self.network_error());
        Some(Receipt::new(subject, status, code))
    }

    fn network_error(&self) -> Option<String> {
        let [network, high, low] = *self.tlvs.tlv(TlvTag::NetworkErrorCode)? else {
            return None;
        };
        let error = u16::from_be_bytes([high, low]);
        (error != 0).then(|| format!("{network}-{error}"))
    }

    fn octet(&self, tag: TlvTag) -> Option<u8> {
        self.tlvs.tlv(tag)?.first().copied()
    }

    fn number(&self, tag: TlvTag) -> Option<u16> {
        self.tlvs.tlv(tag)?.try_into().ok().map(u16::from_be_bytes)
    }

    /// What it says as a text.
    pub fn text(&self) -> TextPart {
        let (header, octets) = match self.text.split_first() {
            Some((&length, rest)) if self.esm_class & 0x40 != 0 => {
                rest.split_at_checked(length.into()).unwrap_or((&[], rest))
            }
            _ => (&[][..], self.text),
        };
        let part = by_header(Fields(header)).or_else(|| self.by_sar());
        let part = part.filter(|(_, total, _)| *total > 1);
        let (reference, total, number) = part.unwrap_or((0, 1, 1));
        TextPart {
            key: TextKey {
                from: self.source.phone(),
                to: self.destination.phone(),
                reference,
                total,
            },
            number,
            octets: Octets {
                octets: octets[..octets.len().min(MAX_PART)].to_owned(),
                data_coding: self.data_coding,
            },
        }
    }

    /// The number of the text, how many parts it has, and the number of this one.
    fn by_sar(&self) -> Option<(u16, u8, u8)> {
        let reference = self.number(TlvTag::SarMsgRefNum)?;
        let total = self.octet(TlvTag::SarTotalSegments)?;
        Some((reference, total, self.octet(TlvTag::SarSegmentSeqnum)?))
    }
}

/// The same, by an element of a user data header.
fn by_header(mut header: Fields<'_>) -> Option<(u16, u8, u8)> {
    loop {
        let (element, length) = (header.octet()?, header.octet()?);
        match (element, header.octets(length.into())?) {
            (0x00, &[reference, total, number]) => return Some((reference.into(), total, number)),
            (0x08, &[high, low, total, number]) => {
                return Some((u16::from_be_bytes([high, low]), total, number));
            }
            _ => {}
        }
    }
}

impl Address {
    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let (ton, _npi) = (fields.octet()?, fields.octet()?);
        let text = fields.string()?;
        Some(Self { ton, text })
    }

    /// A number with `+` if it is an international one, or may be; else as it is.
    fn phone(&self) -> String {
        let phone = value::phone(&self.text).filter(|_| self.ton <= 1);
        phone.unwrap_or_else(|| self.text.chars().take(MAX_ADDRESS).collect())
    }
}

/// A value in the text of a receipt, before the text of the message that it quotes: `id:… sub:… stat:… err:… text:…`. A blank
/// may stand before it.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut words = text.split_ascii_whitespace();
    while let Some(word) = words.next() {
        let Some((key, value)) = word.split_once(':') else {
            continue;
        };
        if key.eq_ignore_ascii_case("text") {
            return None;
        }
        if key.eq_ignore_ascii_case(name) {
            let next = || words.next().filter(|next| !next.contains(':'));
            return Some(value).filter(|value| !value.is_empty()).or_else(next);
        }
    }
    None
}

fn status_by_state(state: u8) -> ReceiptStatus {
    match state {
        2 => ReceiptStatus::Delivered,
        3 => ReceiptStatus::Expired,
        // Deleted, undeliverable, rejected, skipped.
        4 | 5 | 8 | 9 => ReceiptStatus::Undelivered,
        // Scheduled, on its way, accepted, and "unknown", which says nothing.
        _ => ReceiptStatus::Accepted,
    }
}

fn status_by_name(name: &str) -> ReceiptStatus {
    // Seven letters, but not always the same: `DELIVRD`, `DELIVERED`.
    match name.to_ascii_uppercase().get(..5).unwrap_or_default() {
        "DELIV" => ReceiptStatus::Delivered,
        "EXPIR" => ReceiptStatus::Expired,
        "DELET" | "UNDEL" | "REJEC" | "FAILE" | "SKIPP" => ReceiptStatus::Undelivered,
        _ => ReceiptStatus::Accepted,
    }
}

#[cfg(test)]
mod tests;
