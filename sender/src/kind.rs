//! What each kind of sender says of itself, in the file of its provider.

use crate::provider_url::{Connect, SenderUrl, UrlError};

/// A kind of sender.
pub struct SenderKind {
    /// Also the scheme of its URLs.
    pub name: &'static str,
    /// Another scheme that they may have.
    pub(crate) other_scheme: Option<&'static str>,
    /// Whether nothing leaves the machine.
    pub is_simulated: bool,
    /// Whether `from` is required.
    pub(crate) needs_from: bool,
    /// Whether a text that is no phone, no short code and no name may be the `from`.
    pub(crate) takes_from: fn(&str) -> bool,
    /// Reads the URL of a sender of this kind.
    pub(crate) read: fn(&mut SenderUrl<'_>) -> Result<Connect, UrlError>,
}

impl SenderKind {
    /// A kind with nothing special.
    pub(crate) const fn new(
        name: &'static str,
        read: fn(&mut SenderUrl<'_>) -> Result<Connect, UrlError>,
    ) -> Self {
        Self {
            name,
            other_scheme: None,
            is_simulated: false,
            needs_from: false,
            takes_from: |_| false,
            read,
        }
    }

    pub(crate) fn schemes(&self) -> impl Iterator<Item = &'static str> + use<> {
        [self.name].into_iter().chain(self.other_scheme)
    }
}
