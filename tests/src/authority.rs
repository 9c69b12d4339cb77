//! An authority that nobody else trusts, and certificates of this machine by it.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use reqwest::Certificate;
use tempfile::TempDir;
use uuid::Uuid;

/// It ends with its file.
#[derive(Debug)]
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
    folder: TempDir,
}

impl Authority {
    /// A new one.
    ///
    /// # Errors
    /// When its file cannot be written.
    pub fn new() -> Result<Self> {
        let mut params = CertificateParams::default();
        // Another one's has another name, so that nobody tries its key.
        let name = format!("authority {}", Uuid::new_v4());
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate()?;
        let pem = params.self_signed(&key)?.pem();
        let folder = tempfile::tempdir()?;
        std::fs::write(folder.path().join("authority.pem"), &pem)?;
        Ok(Self {
            issuer: Issuer::new(params, key),
            pem,
            folder,
        })
    }

    /// The file with its certificate.
    pub fn file(&self) -> String {
        self.folder
            .path()
            .join("authority.pem")
            .display()
            .to_string()
    }

    /// Its certificate, as an HTTP client trusts it.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn certificate(&self) -> Result<Certificate> {
        Certificate::from_pem(self.pem.as_bytes()).context("an authority's certificate")
    }

    /// Writes a new certificate of this machine and its key as `server.crt` and `server.key` of a folder, where others may stand.
    ///
    /// # Errors
    /// When the files cannot be written.
    pub fn certify(&self, folder: &Path) -> Result<[PathBuf; 2]> {
        let names = ["127.0.0.1".to_owned(), "localhost".to_owned()];
        let key = KeyPair::generate()?;
        let certificate = CertificateParams::new(names)?.signed_by(&key, &self.issuer)?;
        let files = ["server.crt", "server.key"].map(|name| folder.join(name));
        std::fs::write(&files[0], certificate.pem())?;
        std::fs::write(&files[1], key.serialize_pem())?;
        // PostgreSQL takes no key that others may read.
        std::fs::set_permissions(&files[1], std::fs::Permissions::from_mode(0o600))?;
        Ok(files)
    }
}
