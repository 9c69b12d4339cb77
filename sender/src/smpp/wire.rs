//! PDUs as they come in: frames by their length, and the fields of a body.
//!
//! `rusmpp` writes what goes out. It does not read what comes in: it decodes from the shared buffer, so that one body it
//! cannot take (an id without its NUL, say) costs the stream its place, and the centre sends that PDU again after each bind.

use bytes::{Buf, BytesMut};
use rusmpp::CommandId;
use rusmpp::tlvs::TlvTag;
use tokio_util::codec::LengthDelimitedCodec;

/// A header, the fields of a `deliver_sm` and a `message_payload` of the longest length there is.
const MAX_LENGTH: usize = 72 * 1024;

/// A PDU whose body is not read yet.
pub(super) struct RawPdu {
    pub id: CommandId,
    pub status: u32,
    pub sequence: u32,
    pub body: BytesMut,
}

/// Gives PDUs without their length, which counts itself.
pub(super) fn codec() -> LengthDelimitedCodec {
    LengthDelimitedCodec::builder()
        .length_adjustment(-4)
        .max_frame_length(MAX_LENGTH)
        .new_codec()
}

impl RawPdu {
    /// A PDU without its length. `None`: it is shorter than a header.
    pub fn read(mut octets: BytesMut) -> Option<Self> {
        Some(Self {
            id: octets.try_get_u32().ok()?.into(),
            status: octets.try_get_u32().ok()?,
            sequence: octets.try_get_u32().ok()?,
            body: octets,
        })
    }
}

/// Reads the fields of a body in turn; `None` where it ends too early.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a>(pub &'a [u8]);

impl<'a> Fields<'a> {
    pub fn octets(&mut self, length: usize) -> Option<&'a [u8]> {
        let (field, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(field)
    }

    pub fn octet(&mut self) -> Option<u8> {
        self.octets(1)?.first().copied()
    }

    fn short(&mut self) -> Option<u16> {
        self.octets(2)?.try_into().ok().map(u16::from_be_bytes)
    }

    /// A C-octet string without its NUL.
    pub fn string(&mut self) -> Option<String> {
        let length = self.0.iter().position(|&octet| octet == 0)?;
        let text = self.octets(length)?;
        self.octets(1)?;
        Some(String::from_utf8_lossy(text).into_owned())
    }

    /// The value of the first TLV with this tag, where the fields are TLVs.
    pub fn tlv(mut self, tag: TlvTag) -> Option<&'a [u8]> {
        loop {
            let (found, length) = (self.short()?, self.short()?);
            let value = self.octets(length.into())?;
            if found == u16::from(tag) {
                return Some(value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tokio_util::codec::Decoder;

    use super::*;

    /// How many there are, or `None` if the connection ends for them.
    fn frames(octets: &[u8]) -> Option<usize> {
        let (mut codec, mut src) = (codec(), BytesMut::from(octets));
        let mut count = 0;
        while let Some(octets) = codec.decode(&mut src).ok()? {
            RawPdu::read(octets)?;
            count += 1;
        }
        Some(count)
    }

    #[test]
    fn a_frame_is_whole_or_waited_for() {
        let mut octets = vec![0, 0, 0, 17, 0, 0, 0, 0x15, 0, 0, 0, 0, 0, 0, 0, 1, 7];
        assert_eq!(frames(&octets), Some(1));
        assert_eq!(frames(&octets[..16]), Some(0));
        octets.extend_from_within(..);
        assert_eq!(frames(&octets), Some(2));
    }

    #[test]
    fn a_length_that_cannot_be_ends_it() {
        assert_eq!(frames(&[0, 0, 0, 3]), None);
        assert_eq!(frames(&[0, 0, 0, 5, 0]), None);
        assert_eq!(frames(&[0xFF; 4]), None);
    }

    #[test]
    fn a_tlv_is_found_behind_others() {
        let tlvs = Fields(&[0x02, 0x04, 0, 2, 0, 9, 0x04, 0x27, 0, 1, 2]);
        assert_eq!(tlvs.tlv(TlvTag::MessageState), Some(&[2][..]));
        assert_eq!(tlvs.tlv(TlvTag::ReceiptedMessageId), None);
        assert_eq!(
            Fields(&[0x04, 0x27, 0, 2, 2]).tlv(TlvTag::MessageState),
            None
        );
    }

    proptest! {
        #[test]
        fn any_octets_are_read(octets: Vec<u8>) {
            frames(&octets);
            Fields(&octets).tlv(TlvTag::ReceiptedMessageId);
            Fields(&octets).string();
        }
    }
}
