//! What a setting says of an SMPP centre.

use std::fmt;
use std::num::NonZeroU32;

use super::{Fault, Login, Query};
use crate::smpp::Config;

/// Where an SMPP centre is, and as whom.
#[derive(Clone)]
pub struct SmppOptions {
    pub tls: bool,
    /// A name or an address, without the brackets of IPv6.
    pub host: String,
    pub port: u16,
    pub system_id: String,
    pub password: String,
}

impl SmppOptions {
    pub(super) fn read(scheme: &str, address: &str, query: Query<'_>) -> Result<Self, Fault> {
        let login = Login::of(scheme, address)?;
        query.finish()?;
        let host = login.host().ok_or(Fault::url("has no host"))?;
        Ok(Self {
            tls: scheme == "smpps",
            host: host.trim_matches(['[', ']']).to_owned(),
            port: login.port().ok_or(Fault::url("has no port"))?,
            system_id: login.user.clone(),
            password: login.password.clone(),
        })
    }
}

impl SmppOptions {
    pub(super) fn config(self, window: NonZeroU32) -> Config {
        Config {
            system_id: self.system_id,
            password: self.password,
            host: self.host,
            port: self.port,
            tls: self.tls,
            window: usize::try_from(window.get()).unwrap_or(usize::MAX),
        }
    }
}

impl fmt::Debug for SmppOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SmppOptions")
            .field("tls", &self.tls)
            .finish_non_exhaustive()
    }
}
