//! The authorities of one's own that connections to the three servers trust besides Mozilla's. Senders and clients of HTTP find them by
//! the same variable.

use std::{env, fs};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use webpki_root_certs::TLS_SERVER_ROOT_CERTS;

/// Names their file, as programs on OpenSSL have it. The store knows it too.
pub(crate) const VARIABLE: &str = "SSL_CERT_FILE";

/// Those of the file, as PEM; `None`: there is none.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn own() -> Result<Option<String>, String> {
    let file = env::var_os(VARIABLE).filter(|file| !file.is_empty());
    let text = file.map(fs::read).transpose();
    let text = text.map_err(|error| format!("the file cannot be read: {}", error.kind()))?;
    Ok(text.map(|text| String::from_utf8_lossy(&text).into_owned()))
}

/// These and Mozilla's, as PEM.
pub(crate) fn with_mozillas(mut own: String) -> String {
    for certificate in TLS_SERVER_ROOT_CERTS {
        own.push_str("\n-----BEGIN CERTIFICATE-----\n");
        BASE64_STANDARD.encode_string(certificate, &mut own);
        own.push_str("\n-----END CERTIFICATE-----\n");
    }
    own
}
