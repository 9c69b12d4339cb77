//! URLs of servers: the scheme chooses the backend, the credentials stay inside.

use std::fmt;
use std::net::SocketAddr;
use std::path::Path;

use ::url::Url;
use lapin::uri::AMQPUri;

/// Where the database is.
#[derive(Clone)]
pub enum DatabaseUrl {
    Postgres(Secret),
    Sqlite(Secret),
}

impl DatabaseUrl {
    /// Reads `postgres://…`, `postgresql://…` or `sqlite:…`.
    ///
    /// # Errors
    /// Why not, without quoting more than the scheme.
    pub fn parse(text: &str) -> Result<Self, String> {
        match scheme(text, &["postgres", "postgresql", "sqlite"])?.as_str() {
            // A file's name need not be a URL's path.
            "sqlite" if text.len() > "sqlite:".len() => Ok(Self::Sqlite(Secret(text.to_owned()))),
            "sqlite" => Err("a file's name must follow sqlite:".to_owned()),
            _ => {
                server(text)?;
                Ok(Self::Postgres(Secret(text.to_owned())))
            }
        }
    }

    /// The embedded database's file in the data directory.
    ///
    /// # Errors
    /// The directory's name is not UTF-8, which no URL can hold.
    pub(super) fn in_directory(directory: &Path) -> Result<Self, &'static str> {
        let file = directory.join("feedback.db");
        let file = file.to_str().ok_or("the name is not UTF-8")?;
        let mut text = "sqlite:".to_owned();
        for character in file.chars() {
            match character {
                '%' => text.push_str("%25"),
                '?' => text.push_str("%3F"),
                '#' => text.push_str("%23"),
                other => text.push(other),
            }
        }
        Ok(Self::Sqlite(Secret(text)))
    }

    /// The whole URL, credentials and all: not for logs.
    pub fn expose(&self) -> &str {
        let (Self::Postgres(secret) | Self::Sqlite(secret)) = self;
        &secret.0
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Postgres(secret) | Self::Sqlite(secret)) = self;
        secret.fmt(f)
    }
}

/// Where the broker is.
#[derive(Clone)]
pub struct AmqpUrl {
    pub(crate) uri: AMQPUri,
    shown: Secret,
}

impl AmqpUrl {
    /// Reads `amqp://…` or `amqps://…`. A path of `/`, like none, means the virtual host `/`.
    ///
    /// # Errors
    /// Why not, without quoting more than the scheme.
    pub fn parse(text: &str) -> Result<Self, String> {
        scheme(text, &["amqp", "amqps"])?;
        let url = server(text)?;
        let mut uri: AMQPUri = text
            .parse()
            .map_err(|_| "a parameter of the URL cannot be read".to_owned())?;
        if let Some(::url::Host::Ipv6(address)) = url.host() {
            uri.authority.host = address.to_string();
        }
        if uri.vhost.is_empty() {
            "/".clone_into(&mut uri.vhost);
        }
        Ok(Self {
            uri,
            shown: Secret(text.to_owned()),
        })
    }
}

impl fmt::Debug for AmqpUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shown.fmt(f)
    }
}

/// Where the shared cache is.
#[derive(Clone)]
pub struct RedisUrl(Secret);

impl RedisUrl {
    /// Reads `redis://…` or `rediss://…`.
    ///
    /// # Errors
    /// Why not, without quoting more than the scheme.
    pub fn parse(text: &str) -> Result<Self, String> {
        scheme(text, &["redis", "rediss"])?;
        server(text)?;
        redis::Client::open(text).map_err(|_| {
            "not of the form redis://user:password@host:port/number of the database".to_owned()
        })?;
        Ok(Self(Secret(text.to_owned())))
    }

    /// The whole URL, credentials and all: not for logs.
    pub fn expose(&self) -> &str {
        &self.0.0
    }
}

impl fmt::Debug for RedisUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What links to forms begin with: how people outside reach the service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl(String);

impl PublicUrl {
    /// Reads `http://…` or `https://…`, which may have a path.
    ///
    /// # Errors
    /// Why not, without quoting more than the scheme.
    pub fn parse(text: &str) -> Result<Self, String> {
        scheme(text, &["http", "https"])?;
        let url = server(text)?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err("a user's name or password would be in every link".to_owned());
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err("a path is added to it, so it can have neither ? nor #".to_owned());
        }
        Ok(Self(url.as_str().trim_end_matches('/').to_owned()))
    }

    /// What it is when nothing is set.
    pub(super) fn of_address(listen: SocketAddr) -> Self {
        Self(format!("http://{listen}"))
    }

    /// Without a slash at its end.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A URL that shows only its scheme, host, port and path.
#[derive(Clone)]
pub struct Secret(String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Url::parse(&self.0) {
            Ok(url) if url.has_host() => {
                write!(
                    f,
                    "{}://{}",
                    url.scheme(),
                    url.host_str().unwrap_or_default()
                )?;
                if let Some(port) = url.port() {
                    write!(f, ":{port}")?;
                }
                f.write_str(url.path())
            }
            // A file.
            Ok(url) => write!(f, "{}:{}", url.scheme(), url.path()),
            Err(_) => f.write_str("(hidden)"),
        }
    }
}

fn scheme(text: &str, known: &[&str]) -> Result<String, String> {
    let shape = || format!("no URL, which begins with one of {}", known.join(", "));
    let (scheme, _) = text.split_once(':').ok_or_else(shape)?;
    if scheme.is_empty() || !scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err(shape());
    }
    if known.contains(&scheme) {
        return Ok(scheme.to_owned());
    }
    // What stands before the first colon of a URL without a scheme may be a user's name: quoted only before `//`.
    if text.contains("://") {
        let known = known.join(", ");
        Err(format!("scheme {scheme:?} is not one of {known}"))
    } else {
        Err(shape())
    }
}

fn server(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| format!("not a URL: {error}"))?;
    if url.cannot_be_a_base() {
        return Err("no host: // must follow the scheme".to_owned());
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broker_without_a_virtual_host_has_the_default_one() {
        for text in ["amqp://h", "amqp://h/", "amqp://h/%2f"] {
            assert_eq!(AmqpUrl::parse(text).unwrap().uri.vhost, "/", "{text}");
        }
        assert_eq!(AmqpUrl::parse("amqp://h/v").unwrap().uri.vhost, "v");
    }

    #[test]
    fn a_broker_may_have_an_ipv6_address() {
        let url = AmqpUrl::parse("amqp://[::1]:5673").unwrap();
        assert_eq!(
            (url.uri.authority.host.as_str(), url.uri.authority.port),
            ("::1", 5673)
        );
    }

    #[test]
    fn a_public_url_has_no_slash_at_its_end_and_nothing_private() {
        for (text, kept) in [
            ("https://feedback.example/", "https://feedback.example"),
            ("http://h:8080", "http://h:8080"),
            ("https://shop.example/ask//", "https://shop.example/ask"),
            ("https://bücher.example", "https://xn--bcher-kva.example"),
        ] {
            assert_eq!(PublicUrl::parse(text).unwrap().as_str(), kept);
        }
        for text in [
            "feedback.example",
            "ftp://h",
            "https://u@h",
            "https://:geheim@h",
            "https://h/?a=b",
            "https://h/#x",
            "https://",
        ] {
            let reason = PublicUrl::parse(text).unwrap_err();
            assert!(!reason.contains("geheim"), "{reason}");
        }
        let listen = "[::1]:80".parse().unwrap();
        assert_eq!(PublicUrl::of_address(listen).as_str(), "http://[::1]:80");
    }

    #[test]
    fn a_data_directory_may_have_any_utf8_name() {
        let url = DatabaseUrl::in_directory(Path::new("/a b/100%/what?")).unwrap();
        assert_eq!(url.expose(), "sqlite:/a b/100%25/what%3F/feedback.db");
    }

    #[test]
    fn schemes_are_refused_by_name_only_where_they_are_one() {
        let refused = |text| DatabaseUrl::parse(text).unwrap_err();
        assert_eq!(
            refused("mysql://h"),
            "scheme \"mysql\" is not one of postgres, postgresql, sqlite"
        );
        assert_eq!(
            refused("user:password@h"),
            "no URL, which begins with one of postgres, postgresql, sqlite"
        );
        assert_eq!(refused("sqlite:"), "a file's name must follow sqlite:");
    }
}
