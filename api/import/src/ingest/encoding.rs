//! `Content-Encoding`: what a body is compressed with, and reading it.

use std::io::{self, BufRead, Read};

use api_http::body::Encoding;
use flate2::bufread::MultiGzDecoder;
use zstd::stream::read::Decoder as ZstdDecoder;

/// A window of 8 MiB is what RFC 8878 asks decoders to support; a body that needs more is refused.
const MAX_WINDOW_LOG: u32 = 23;

/// A body that is decoded as it is read.
///
/// # Errors
/// zstd has no memory.
pub fn decoder<'a>(
    encoding: Encoding,
    body: impl BufRead + Send + 'a,
) -> io::Result<Box<dyn Read + Send + 'a>> {
    Ok(match encoding {
        Encoding::Identity => Box::new(body),
        Encoding::Gzip => Box::new(MultiGzDecoder::new(body)),
        Encoding::Zstd => {
            let mut decoder = ZstdDecoder::with_buffer(body)?;
            decoder.window_log_max(MAX_WINDOW_LOG)?;
            Box::new(decoder)
        }
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn decode(encoding: Encoding, bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut decoded = Vec::new();
        decoder(encoding, bytes)?.read_to_end(&mut decoded)?;
        Ok(decoded)
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn bodies_of_several_members_are_read_whole() {
        let members = [gzip(b"[1,"), gzip(b"2]")].concat();
        assert_eq!(decode(Encoding::Gzip, &members).unwrap(), b"[1,2]");
        let frames = [
            zstd::encode_all(&b"[1,"[..], 1).unwrap(),
            zstd::encode_all(&b"2]"[..], 1).unwrap(),
        ]
        .concat();
        assert_eq!(decode(Encoding::Zstd, &frames).unwrap(), b"[1,2]");
        assert_eq!(decode(Encoding::Identity, b"[]").unwrap(), b"[]");
    }

    #[test]
    fn cut_and_broken_bodies_are_errors() {
        for (encoding, whole) in [
            (Encoding::Gzip, gzip(&[b'x'; 1_000])),
            (
                Encoding::Zstd,
                zstd::encode_all(&[b'x'; 1_000][..], 1).unwrap(),
            ),
        ] {
            assert!(decode(encoding, &whole[..whole.len() - 3]).is_err());
            assert!(decode(encoding, &[whole.as_slice(), b"rubbish"].concat()).is_err());
            assert!(decode(encoding, b"[]").is_err());
        }
    }

    #[test]
    fn a_window_larger_than_8_mib_is_refused() {
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
        encoder.window_log(24).unwrap();
        encoder.include_contentsize(false).unwrap();
        encoder.write_all(&vec![b'x'; 17 << 20]).unwrap();
        let frame = encoder.finish().unwrap();
        assert!(decode(Encoding::Zstd, &frame).is_err());
    }
}
