//! What `FEEDBACK_SENDERS` says: entries `NAME=URL` between white space.
//!
//! The parameters that all senders have are read here; each provider reads its own.

#[cfg(test)]
mod tests;

use std::num::NonZeroU32;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use domain::campaign::is_sender_name;
use domain::phone::PhoneNumber;
use domain::sms::Country;
use strum::{EnumString, IntoStaticStr};

use crate::client::{HTTP_TIMEOUT, HttpClient};
#[cfg(feature = "demo")]
use crate::demo;
use crate::provider_url::{Connect, Login, Query, UrlError, bad_parameter, bad_url};
use crate::twilio::{SERVICE_ID, is_service};
use crate::{Provider, https, kannel, smpp, twilio, vonage};

/// The senders of `feedback serve` where the variable is not set.
pub const DEFAULT: &str = if cfg!(feature = "demo") {
    "demo=demo:"
} else {
    ""
};

const DEFAULT_RATE: NonZeroU32 = NonZeroU32::MIN.saturating_add(9);
const DEFAULT_WINDOW: NonZeroU32 = NonZeroU32::MIN.saturating_add(9);

/// One sender. It has no `Debug`, because it knows secrets.
#[derive(Clone)]
pub struct Setting {
    pub name: String,
    pub kind: SenderKind,
    /// E.164, a short code, a name or a messaging service of Twilio's; `None`: the provider decides.
    pub from: Option<String>,
    /// The accounts that may send through it; `*` alone: all.
    pub accounts: Vec<String>,
    /// Parts a second, over all workers.
    pub rate: NonZeroU32,
    /// Messages without a known result; parts, if it speaks SMPP.
    pub window: NonZeroU32,
    /// The countries it sends to; `None`: all.
    pub countries: Option<Arc<[Country]>>,
    /// What one account may send a day; `None`: no limit.
    pub parts_per_day: Option<u64>,
    /// Whether the provider sends receipts.
    pub receipts: bool,
    connect: Connect,
}

/// The kind of a sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumString, IntoStaticStr)]
#[strum(serialize_all = "lowercase", const_into_str)]
pub enum SenderKind {
    Demo,
    Https,
    Twilio,
    Vonage,
    Kannel,
    Smpp,
}

impl SenderKind {
    /// Whether nothing leaves the machine.
    pub fn is_simulated(self) -> bool {
        self == Self::Demo
    }
}

/// Gives always the same one, which holds no connection that has to end.
fn always(provider: impl Provider + 'static) -> Connect {
    let provider = Arc::new(provider);
    Arc::new(move || provider.clone())
}

/// Reads the variable.
///
/// # Errors
/// What is wrong, in one line without secrets.
pub fn parse(text: &str) -> Result<Vec<Setting>, String> {
    parse_within(text, HTTP_TIMEOUT)
}

/// As [`parse`], of senders whose answers over HTTP may take so long.
///
/// # Errors
/// As [`parse`].
pub fn parse_within(text: &str, timeout: Duration) -> Result<Vec<Setting>, String> {
    let mut settings: Vec<Setting> = Vec::new();
    let entries = text.split_whitespace();
    for (entry, position) in entries.zip(1..) {
        let named = entry
            .split_once('=')
            .filter(|(name, _)| is_sender_name(name));
        // The entry cannot be shown, because its name may be none.
        let (name, url) = named.ok_or_else(|| {
            let shape = "NAME=URL with a name of 1 to 40 characters of a-z, 0-9 and -";
            format!("entry {position} is not {shape}")
        })?;
        if settings.iter().any(|known| known.name == name) {
            return Err(format!("sender {name} comes more than once"));
        }
        let setting = Setting::read(name, url, timeout);
        settings.push(setting.map_err(|fault| format!("sender {name}: {fault}"))?);
    }
    Ok(settings)
}

impl Setting {
    fn read(name: &str, url: &str, timeout: Duration) -> Result<Self, UrlError> {
        let (scheme, rest) = url
            .split_once(':')
            .ok_or_else(|| bad_url("has no scheme"))?;
        if rest.contains('#') {
            return Err(bad_url("has a `#`, which is written %23"));
        }
        let schemes = "begins with none of demo, https, http, twilio, vonage, kannel, smpp, smpps";
        let kind = match scheme {
            "http" => SenderKind::Https,
            "smpps" => SenderKind::Smpp,
            _ => SenderKind::from_str(scheme).map_err(|_| bad_url(schemes))?,
        };
        let (address, query) = rest.split_once('?').unwrap_or((rest, ""));
        let mut query = Query::new(query);
        let accounts = query.parsed("accounts", "is not `*` or names", read_accounts)?;
        let default = kind.is_simulated().then(|| vec!["*".to_owned()]);
        let accounts = accounts.or(default);
        let accounts = accounts.ok_or_else(|| bad_parameter("accounts", "is missing"))?;
        let whole = "is not a whole number from 1";
        let what = "is not a phone in E.164, a short code or up to 11 letters and digits";
        let from = query.parsed("from", what, |text| read_from(kind, text))?;
        if from.is_none() && matches!(kind, SenderKind::Twilio | SenderKind::Vonage) {
            return Err(bad_parameter("from", "is missing"));
        }
        let rate = query.number("rate", whole)?;
        let window = query.number("window", whole)?.unwrap_or(DEFAULT_WINDOW);
        let countries = query.parsed("countries", "is not a list of ISO codes", read_countries)?;
        let parts_per_day = query.number("parts_per_day", "is not a whole number")?;
        let receipts = query.switch("receipts", true)?;
        let http = HttpClient::new(timeout);
        let login = |query: &mut Query<'_>| Login::read(address, query);
        let connect = match kind {
            #[cfg(feature = "demo")]
            SenderKind::Demo => demo::read(address, &mut query)?,
            #[cfg(not(feature = "demo"))]
            SenderKind::Demo => {
                return Err(bad_url(
                    "asks for the simulated provider, which this program was built without",
                ));
            }
            SenderKind::Https => {
                let url = format!("{scheme}:{address}");
                always(https::read(&url, &mut query, http)?)
            }
            SenderKind::Twilio => always(twilio::read(login(&mut query)?, http)?),
            SenderKind::Vonage => always(vonage::read(login(&mut query)?, &mut query, http)?),
            SenderKind::Kannel => always(kannel::read(&login(&mut query)?, http)?),
            SenderKind::Smpp => smpp::read(scheme, address, window)?,
        };
        query.finish()?;
        Ok(Self {
            name: name.to_owned(),
            kind,
            from,
            accounts,
            rate: rate.unwrap_or(DEFAULT_RATE),
            window,
            countries,
            parts_per_day,
            receipts,
            connect,
        })
    }

    /// Whether the account of this name may send through it.
    pub fn allows(&self, account: &str) -> bool {
        let mut names = self.accounts.iter();
        names.any(|name| name == account || name == "*")
    }

    /// What a message to this phone comes from, empty where the provider decides. `None`: it cannot be sent, since names
    /// are not shown in the countries of +1.
    pub fn from_for(&self, to: &str) -> Option<&str> {
        let from = self.from.as_deref().unwrap_or_default();
        let is_name =
            from.len() < SERVICE_ID && from.bytes().any(|byte| byte.is_ascii_alphabetic());
        (!is_name || !to.starts_with("+1")).then_some(from)
    }

    /// Its provider: a new one each time if it holds a connection or receipts.
    pub fn connect(&self) -> Arc<dyn Provider> {
        (self.connect)()
    }
}

/// A phone in E.164, a short code, a name of up to 11 letters and digits, or, at Twilio, a messaging service.
fn read_from(kind: SenderKind, text: &str) -> Option<String> {
    let is_short_code = (3..=15).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    let is_name = (1..=11).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && text.bytes().any(|byte| byte.is_ascii_alphabetic());
    let is_service = kind == SenderKind::Twilio && is_service(text);
    let is_from = is_short_code || is_name || is_service || PhoneNumber::parse(text).is_ok();
    is_from.then(|| text.to_owned())
}

fn read_countries(text: &str) -> Option<Arc<[Country]>> {
    let codes = text.split(',').map(str::parse);
    codes.collect::<Result<_, _>>().ok()
}

fn read_accounts(text: &str) -> Option<Vec<String>> {
    let names: Vec<_> = text.split(',').map(str::to_owned).collect();
    let is_list = names.iter().all(|name| !name.is_empty() && name != "*");
    (is_list || text == "*").then_some(names)
}
