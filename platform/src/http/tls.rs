//! TLS of a listener. Its files are read again when they change; those that cannot be used leave the certificate as it is.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use metrics::gauge;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use x509_parser::parse_x509_certificate;

use crate::config::{ConfigError, TlsFiles};
use crate::health::Check;

/// The pause between two looks at the files.
const LOOK: Duration = Duration::from_secs(2);
/// By what a client and the service agree on a protocol, the better one first.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// What the two files hold, or why they cannot be read.
type Contents = Result<[Vec<u8>; 2], String>;

/// The certificate of a listener. Clones share it.
#[derive(Clone)]
pub struct Tls(watch::Receiver<InUse>);

struct InUse {
    config: Arc<ServerConfig>,
    /// Unix time.
    end: i64,
    /// Why the files as they are now are not used.
    fault: Option<String>,
}

impl Tls {
    /// Reads the files, and goes on to look at them. Needs a runtime.
    ///
    /// # Errors
    /// They cannot be used.
    pub async fn open(files: &TlsFiles) -> Result<Self, ConfigError> {
        let contents = read(files).await;
        let in_use = InUse::of(&contents).map_err(refused)?;
        in_use.record();
        let (sender, receiver) = watch::channel(in_use);
        tokio::spawn(follow(files.clone(), contents, sender));
        Ok(Self(receiver))
    }

    /// When the first of the files' certificates ends.
    ///
    /// # Errors
    /// They cannot be used.
    pub async fn end(files: &TlsFiles) -> Result<DateTime<Utc>, ConfigError> {
        let in_use = InUse::of(&read(files).await).map_err(refused)?;
        let end = DateTime::from_timestamp(in_use.end, 0);
        end.ok_or_else(|| refused("a certificate without an end".to_owned()))
    }

    /// Whether the files as they are now are used. Not required for readiness, because the certificate of before is.
    pub fn check(&self) -> Check {
        let check = Check::new("certificate", self.clone(), async |tls: Self| {
            tls.0.borrow().fault.clone().map_or(Ok(()), Err)
        });
        check.optional()
    }

    /// The connection, once both sides agree on keys.
    ///
    /// # Errors
    /// They do not.
    pub(super) async fn accept(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        let config = Arc::clone(&self.0.borrow().config);
        TlsAcceptor::from(config).accept(stream).await
    }
}

fn refused(reason: String) -> ConfigError {
    ConfigError::new("FEEDBACK_TLS", reason)
}

/// Keeps the certificate at what the files have, until nobody needs it.
async fn follow(files: TlsFiles, mut judged: Contents, in_use: watch::Sender<InUse>) {
    let mut seen = judged.clone();
    while timeout(LOOK, in_use.closed()).await.is_err() {
        let now = read(&files).await;
        // Both files are not replaced in one moment: what two looks find is whole.
        if std::mem::replace(&mut seen, now) != seen || seen == judged {
            continue;
        }
        judged.clone_from(&seen);
        match InUse::of(&judged) {
            Ok(fresh) => {
                tracing::info!("the certificate of the listener was read again");
                fresh.record();
                in_use.send_replace(fresh);
            }
            Err(reason) => {
                tracing::warn!(
                    reason,
                    "the certificate of before is used: the files of FEEDBACK_TLS cannot be"
                );
                in_use.send_modify(|in_use| in_use.fault = Some(reason));
            }
        }
    }
}

async fn read(files: &TlsFiles) -> Contents {
    let file = async |path: &Path| {
        let contents = tokio::fs::read(path).await;
        contents.map_err(|error| format!("{} cannot be read: {}", path.display(), error.kind()))
    };
    Ok([file(&files.certificate).await?, file(&files.key).await?])
}

impl InUse {
    fn of(contents: &Contents) -> Result<Self, String> {
        let [certificate, key] = contents.as_ref().map_err(String::clone)?;
        let chain = CertificateDer::pem_slice_iter(certificate).collect::<Result<Vec<_>, _>>();
        let chain = chain.map_err(|error| format!("no certificate: {error}"))?;
        let end = end_of(&chain)?;
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|error| format!("no key: {error}"))?;
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|config| config.with_no_client_auth().with_single_cert(chain, key));
        let mut config = config.map_err(|error| error.to_string())?;
        config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).into();
        Ok(Self {
            config: Arc::new(config),
            end,
            fault: None,
        })
    }

    #[expect(clippy::cast_precision_loss, reason = "a rounded figure is as good")]
    fn record(&self) {
        gauge!("feedback_tls_certificate_end_timestamp_seconds").set(self.end as f64);
    }
}

/// The Unix time at which the first of them ends.
fn end_of(chain: &[CertificateDer]) -> Result<i64, String> {
    let mut end = None;
    for certificate in chain {
        let (_, read) = parse_x509_certificate(certificate)
            .map_err(|error| format!("a certificate cannot be read: {error}"))?;
        let this = read.validity().not_after.timestamp();
        end = Some(end.map_or(this, |end: i64| end.min(this)));
    }
    end.ok_or_else(|| "there is no certificate in the first file".to_owned())
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use rustls::server::ResolvesServerCertUsingSni;
    use tokio::net::TcpListener;
    use tokio_util::sync::CancellationToken;

    use super::super::greet;
    use super::*;

    #[tokio::test]
    async fn a_handshake_under_way_ends_with_the_service() {
        let config = ServerConfig::builder_with_provider(ring::default_provider().into());
        let config = config.with_safe_default_protocol_versions().unwrap();
        let names = Arc::new(ResolvesServerCertUsingSni::new());
        let in_use = InUse {
            config: Arc::new(config.with_no_client_auth().with_cert_resolver(names)),
            end: 0,
            fault: None,
        };
        let tls = Tls(watch::channel(in_use).1);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let _silent = TcpStream::connect(listener.local_addr().unwrap())
            .await
            .unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        let shutdown = CancellationToken::new();
        let mut greeted = Box::pin(greet(stream, Some(tls), false, &shutdown));
        assert!(greeted.as_mut().now_or_never().is_none());
        shutdown.cancel();
        assert!(
            greeted
                .now_or_never()
                .is_some_and(|stream| stream.is_none())
        );
    }
}
