//! HTTP as a client speaks it, with TLS.
//!
//! The crate behind it is a dependency of this one so that all crates compile the same features of what they share with
//! it: what was compiled for one serves the others.

use reqwest::{Certificate, Client, ClientBuilder};
use webpki_root_certs::TLS_SERVER_ROOT_CERTS;

/// A client that trusts the certificate authorities of the system and of Mozilla. The TLS provider must be installed
/// ([`crate::start::run`]).
///
/// # Errors
/// A root certificate cannot be read.
pub fn builder() -> reqwest::Result<ClientBuilder> {
    // A container may have no certificates, and without any there is no client.
    let roots: Vec<_> = TLS_SERVER_ROOT_CERTS
        .iter()
        .map(|certificate| Certificate::from_der(certificate))
        .collect::<Result<_, _>>()?;
    Ok(Client::builder().tls_certs_merge(roots))
}
