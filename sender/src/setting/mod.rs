//! What `FEEDBACK_SENDERS` says: entries `NAME=URL` between white space, or `@FILE` with them.
//!
//! The parameters that all senders have are read here; each provider reads its own.

mod error;
mod login;
mod query;
mod smpp;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::num::NonZeroU32;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use domain::phone::PhoneNumber;
use rustls::ClientConfig;
use strum::{EnumString, IntoStaticStr};

pub use self::error::{Fault, SettingError};
pub(crate) use self::login::Login;
pub(crate) use self::query::Query;
use self::smpp::SmppOptions;
use crate::client::{HTTP_TIMEOUT, HttpClient};
use crate::demo::Demo;
use crate::https::Https;
use crate::kannel::Kannel;
use crate::smpp::Smpp;
use crate::twilio::Twilio;
use crate::vonage::Vonage;
use crate::{Provider, demo, https, kannel, twilio, vonage};

const MAX_NAME: usize = 40;
const DEFAULT_RATE: NonZeroU32 = NonZeroU32::MIN.saturating_add(9);
const DEFAULT_WINDOW: NonZeroU32 = NonZeroU32::MIN.saturating_add(9);

/// One sender. Its `Debug` shows no secret.
#[derive(Clone)]
pub struct Setting {
    pub name: String,
    pub kind: Kind,
    /// E.164, a short code or a name; `None`: the provider decides.
    pub from: Option<String>,
    pub accounts: Accounts,
    /// Parts a second, over all workers.
    pub rate: NonZeroU32,
    /// Messages without a known result; parts, if it speaks SMPP.
    pub window: NonZeroU32,
    /// The countries it sends to, as ISO codes in capitals; `None`: all.
    pub countries: Option<Vec<String>>,
    /// What one account may send a day; `None`: no limit.
    pub parts_per_day: Option<u64>,
    /// Whether the provider sends receipts.
    pub receipts: bool,
    route: Route,
}

/// The kind of a sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumString, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Kind {
    Demo,
    Https,
    Twilio,
    Vonage,
    Kannel,
    Smpp,
}

/// Who may send through a sender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Accounts {
    All,
    Named(Vec<String>),
}

/// What a provider needs to know.
#[derive(Clone)]
enum Route {
    Demo(demo::Options),
    Https(https::Options),
    Twilio(twilio::Options),
    Vonage(vonage::Options),
    Kannel(kannel::Options),
    Smpp(SmppOptions),
}

/// Reads the variable, and the file that it names.
///
/// # Errors
/// See [`SettingError`], whose text is one line without secrets.
pub fn parse(text: &str) -> Result<Vec<Setting>, SettingError> {
    match text.trim().strip_prefix('@') {
        Some(path) => parse_entries(&read_file(path)?),
        None => parse_entries(text),
    }
}

fn read_file(path: &str) -> Result<String, SettingError> {
    fs::read_to_string(path).map_err(|error| SettingError::File(error.kind()))
}

fn parse_entries(text: &str) -> Result<Vec<Setting>, SettingError> {
    let mut names = HashSet::new();
    let mut settings = Vec::new();
    for (entry, position) in text.split_whitespace().zip(1..) {
        let (name, url) = entry
            .split_once('=')
            .filter(|(name, _)| is_name(name))
            .ok_or(SettingError::Entry(position))?;
        let setting = Setting::read(name, url);
        let name = name.to_owned();
        if !names.insert(name.clone()) {
            return Err(SettingError::Twice { name });
        }
        settings.push(setting.map_err(|fault| SettingError::Sender { name, fault })?);
    }
    Ok(settings)
}

fn is_name(name: &str) -> bool {
    let is_known = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(is_known)
}

impl Kind {
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl Accounts {
    pub fn allow(&self, account: &str) -> bool {
        match self {
            Self::All => true,
            Self::Named(names) => names.iter().any(|name| name == account),
        }
    }

    fn read(text: &str) -> Option<Self> {
        if text == "*" {
            return Some(Self::All);
        }
        let names: Vec<_> = text.split(',').map(str::to_owned).collect();
        let is_list = names.iter().all(|name| !name.is_empty() && name != "*");
        is_list.then_some(Self::Named(names))
    }
}

impl Setting {
    fn read(name: &str, url: &str) -> Result<Self, Fault> {
        let (scheme, rest) = url.split_once(':').ok_or(Fault::url("has no scheme"))?;
        if rest.contains('#') {
            return Err(Fault::url("has a `#`, which is written %23"));
        }
        let (address, query) = rest.split_once('?').unwrap_or((rest, ""));
        let mut query = Query::new(query);
        let kind = match scheme {
            "http" => Kind::Https,
            "smpps" => Kind::Smpp,
            _ => Kind::from_str(scheme).map_err(|_| {
                Fault::url(
                    "begins with none of demo, https, http, twilio, vonage, kannel, smpp, smpps",
                )
            })?,
        };
        let accounts = query.parsed("accounts", "is not `*` or names", Accounts::read)?;
        let accounts = match (accounts, kind) {
            (Some(accounts), _) => accounts,
            (None, Kind::Demo) => Accounts::All,
            (None, _) => return Err(Fault::of("accounts", "is missing")),
        };
        let positive = "is not a whole number from 1";
        let number = |value: &str| value.parse().ok();
        let what = "is not a phone in E.164, a short code or up to 11 letters and digits";
        let from = query.parsed("from", what, read_from)?;
        let rate = query.parsed("rate", positive, number)?;
        let window = query.parsed("window", positive, number)?;
        let countries = query.parsed("countries", "is not a list of ISO codes", read_countries)?;
        let parts_per_day =
            query.parsed("parts_per_day", "is not a whole number", |v| v.parse().ok())?;
        let receipts = query.switch("receipts", true)?;
        if from.is_none() && matches!(kind, Kind::Twilio | Kind::Vonage) {
            return Err(Fault::of("from", "is missing"));
        }
        Ok(Self {
            name: name.to_owned(),
            kind,
            from,
            accounts,
            rate: rate.unwrap_or(DEFAULT_RATE),
            window: window.unwrap_or(DEFAULT_WINDOW),
            countries,
            parts_per_day,
            receipts,
            route: Route::read(kind, scheme, address, query)?,
        })
    }

    /// What a message to this phone comes from, empty where the provider decides. `None`: it cannot be sent, since names
    /// are not shown in the countries of +1.
    pub fn from_for(&self, to: &str) -> Option<&str> {
        let from = self.from.as_deref().unwrap_or_default();
        let is_name = from.bytes().any(|byte| byte.is_ascii_alphabetic());
        (!is_name || !to.starts_with("+1")).then_some(from)
    }

    /// Its provider.
    pub fn connect(&self, tls: &Arc<ClientConfig>) -> Arc<dyn Provider> {
        self.connect_within(tls, HTTP_TIMEOUT)
    }

    /// Its provider, whose answers over HTTP may take so long.
    pub fn connect_within(&self, tls: &Arc<ClientConfig>, timeout: Duration) -> Arc<dyn Provider> {
        let http = || HttpClient::new(tls, timeout);
        match self.route.clone() {
            Route::Demo(options) => Arc::new(Demo::new(options, self.receipts)),
            Route::Https(options) => Arc::new(Https::new(options, http())),
            Route::Twilio(options) => Arc::new(Twilio::new(options, self.receipts, http())),
            Route::Vonage(options) => Arc::new(Vonage::new(options, self.receipts, http())),
            Route::Kannel(options) => Arc::new(Kannel::new(options, self.receipts, http())),
            Route::Smpp(options) => Arc::new(Smpp::new(options.config(self.window))),
        }
    }
}

impl Route {
    fn read(kind: Kind, scheme: &str, address: &str, query: Query<'_>) -> Result<Self, Fault> {
        Ok(match kind {
            Kind::Demo => Self::Demo(demo::Options::read(address, query)?),
            Kind::Https => {
                Self::Https(https::Options::read(&format!("{scheme}:{address}"), query)?)
            }
            Kind::Twilio => Self::Twilio(twilio::Options::read(address, query)?),
            Kind::Vonage => Self::Vonage(vonage::Options::read(address, query)?),
            Kind::Kannel => Self::Kannel(kannel::Options::read(address, query)?),
            Kind::Smpp => Self::Smpp(SmppOptions::read(scheme, address, query)?),
        })
    }
}

impl fmt::Debug for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Setting")
            .field("name", &self.name)
            .field("kind", &self.kind)
            .field("accounts", &self.accounts)
            .field("rate", &self.rate)
            .field("window", &self.window)
            .field("countries", &self.countries)
            .field("parts_per_day", &self.parts_per_day)
            .field("receipts", &self.receipts)
            .finish_non_exhaustive()
    }
}

/// A phone in E.164, a short code, or a name of up to 11 letters and digits.
fn read_from(text: &str) -> Option<String> {
    let is_short_code = (3..=15).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    let is_name = (1..=11).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && text.bytes().any(|byte| byte.is_ascii_alphabetic());
    let is_from = is_short_code || is_name || PhoneNumber::parse(text).is_ok();
    is_from.then(|| text.to_owned())
}

fn read_countries(text: &str) -> Option<Vec<String>> {
    let codes: Vec<_> = text.split(',').map(str::to_ascii_uppercase).collect();
    let is_code = |code: &String| code.len() == 2 && code.bytes().all(|b| b.is_ascii_uppercase());
    codes.iter().all(is_code).then_some(codes)
}
