//! What `FEEDBACK_SENDERS` says: entries `NAME=URL` between white space.
//!
//! The parameters that all senders have are read here; each provider reads its own.

#[cfg(test)]
mod tests;

use std::fs;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use domain::campaign::is_sender_name;
use domain::phone::PhoneNumber;
use domain::price::{Money, Prices};
use domain::sms::{Country, NumberType};

use crate::client::HTTP_TIMEOUT;
use crate::provider_url::{Connect, Query, SenderUrl, UrlError, bad_parameter, bad_url};
use crate::{KINDS, Provider, SenderKind};

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
    pub kind: &'static SenderKind,
    /// E.164, a short code, a name or what else the kind takes; `None`: the provider decides.
    pub from: Option<String>,
    /// The accounts that may send through it; `*` alone: all.
    pub accounts: Vec<String>,
    /// Parts a second, over all workers.
    pub rate: NonZeroU32,
    /// Messages without a known result; parts, if it speaks SMPP.
    pub window: NonZeroU32,
    /// The countries it sends to; `None`: all.
    pub countries: Option<Arc<[Country]>>,
    /// The types of numbers it sends to; `None`: those that are usual.
    pub types: Option<Arc<[NumberType]>>,
    /// What one account may send a day; `None`: no limit.
    pub parts_per_day: Option<u64>,
    /// Whether the provider sends receipts.
    pub receipts: bool,
    /// What a part costs; `None`: the operator does not say.
    pub prices: Option<Arc<Prices>>,
    /// Where it connects to without TLS.
    pub plain_host: Option<String>,
    connect: Connect,
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
        let kind = read_kind(scheme)?;
        let (address, query) = rest.split_once('?').unwrap_or((rest, ""));
        let mut query = Query::new(query);
        let accounts = query.parsed("accounts", "is not `*` or names", read_accounts)?;
        let default = kind.is_simulated.then(|| vec!["*".to_owned()]);
        let accounts = accounts.or(default);
        let accounts = accounts.ok_or_else(|| bad_parameter("accounts", "is missing"))?;
        let whole = "is not a whole number from 1";
        let what = "is not a phone in E.164, a short code or up to 11 letters and digits";
        let from = query.parsed("from", what, |text| read_from(kind, text))?;
        if from.is_none() && kind.needs_from {
            return Err(bad_parameter("from", "is missing"));
        }
        let rate = query.number("rate", whole)?;
        let window = query.number("window", whole)?.unwrap_or(DEFAULT_WINDOW);
        let countries = query.parsed("countries", "is not a list of ISO codes", read_countries)?;
        let types = query.parsed("types", "is not a list of types of numbers", read_types)?;
        let parts_per_day = query.number("parts_per_day", "is not a whole number")?;
        let receipts = query.switch("receipts", true)?;
        let prices = read_prices(&mut query, countries.as_deref())?;
        let mut url = SenderUrl {
            scheme,
            address,
            query,
            window,
            timeout,
            plain_host: None,
        };
        let connect = (kind.read)(&mut url)?;
        let plain_host = url.plain_host.take();
        url.query.finish()?;
        Ok(Self {
            name: name.to_owned(),
            kind,
            from,
            accounts,
            rate: rate.unwrap_or(DEFAULT_RATE),
            window,
            countries,
            types,
            parts_per_day,
            receipts,
            prices,
            plain_host,
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
        (!is_name(from) || !to.starts_with("+1")).then_some(from)
    }

    /// Its provider: a new one each time if it holds a connection or receipts.
    pub fn connect(&self) -> Arc<dyn Provider> {
        (self.connect)()
    }
}

fn read_kind(scheme: &str) -> Result<&'static SenderKind, UrlError> {
    let is_of = |kind: &SenderKind| kind.schemes().any(|one| one == scheme);
    let kind = KINDS.iter().copied().find(|kind| is_of(kind));
    kind.ok_or_else(|| {
        if cfg!(not(feature = "demo")) && scheme == "demo" {
            return bad_url(
                "asks for the simulated provider, which this program was built without",
            );
        }
        let schemes: Vec<_> = KINDS.iter().flat_map(|kind| kind.schemes()).collect();
        format!("its URL begins with none of {}", schemes.join(", "))
    })
}

/// A phone in E.164, a short code, a name of up to 11 letters and digits, or what else the kind takes.
fn read_from(kind: &SenderKind, text: &str) -> Option<String> {
    let is_short_code = (3..=15).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    let is_phone = PhoneNumber::parse(text).is_ok();
    let is_from = is_short_code || is_name(text) || is_phone || (kind.takes_from)(text);
    is_from.then(|| text.to_owned())
}

fn is_name(text: &str) -> bool {
    (1..=11).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && text.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// What a part costs: `price` everywhere, or by country as the file of `prices` says, which has a price for each of the `countries`.
fn read_prices(
    query: &mut Query,
    countries: Option<&[Country]>,
) -> Result<Option<Arc<Prices>>, UrlError> {
    let price: Option<Money> = query.number("price", "is not like `0.05EUR`")?;
    let file = query.parsed("prices", "is not `@` and a file", |value| {
        value.strip_prefix('@').map(str::to_owned)
    })?;
    let Some(file) = file else {
        return Ok(price.map(Prices::alike).map(Arc::new));
    };
    if price.is_some() {
        return Err(bad_parameter("prices", "stands beside `price`"));
    }
    let table = fs::read_to_string(&file);
    let table = table.map_err(|error| format!("`prices`: {file} cannot be read: {}", error.kind()));
    let prices = Prices::read_table(&table?);
    let prices =
        prices.map_err(|(line, wrong)| format!("`prices`: line {line} of {file} {wrong}"))?;
    if !prices.cover(countries) {
        let what = "has a price neither for `*` nor for each of the sender's `countries`";
        return Err(format!("`prices`: {file} {what}"));
    }
    Ok(Some(Arc::new(prices)))
}

fn read_countries(text: &str) -> Option<Arc<[Country]>> {
    let codes = text.split(',').map(str::parse);
    codes.collect::<Result<_, _>>().ok()
}

fn read_types(text: &str) -> Option<Arc<[NumberType]>> {
    let types = text.split(',').map(str::parse);
    types.collect::<Result<_, _>>().ok()
}

fn read_accounts(text: &str) -> Option<Vec<String>> {
    let names: Vec<_> = text.split(',').map(str::to_owned).collect();
    let is_list = names.iter().all(|name| !name.is_empty() && name != "*");
    (is_list || text == "*").then_some(names)
}
