//! URLs of servers. They may hold passwords, so none has `Debug`.

use std::net::SocketAddr;
use std::path::Path;

use ::url::{Host, Url};
use lapin::uri::AMQPUri;
use redis::{ConnectionInfo, IntoConnectionInfo};
use store::of_each_host;

/// Where the database is.
#[derive(Clone)]
pub struct DatabaseUrl(String);

impl DatabaseUrl {
    /// Reads `postgres://…`, `postgresql://…`, either with one host or several with commas between and a
    /// [mode](store::pool_mode) of a pooler, or `sqlite:…`.
    ///
    /// # Errors
    /// Why not, without quoting more than the scheme.
    pub fn parse(text: &str) -> Result<Self, String> {
        match scheme(text, &["postgres", "postgresql", "sqlite"])? {
            "sqlite" if text == "sqlite:" => Err("a file's name must follow sqlite:".to_owned()),
            // A file's name need not be a URL's path.
            "sqlite" => Ok(Self(text.to_owned())),
            scheme => {
                hosts(text, &[scheme])?;
                store::pool_mode(text)?;
                Ok(Self(text.to_owned()))
            }
        }
    }

    /// The same of servers alone.
    ///
    /// # Errors
    /// As [`Self::parse`].
    pub fn parse_servers(text: &str) -> Result<Self, String> {
        scheme(text, &["postgres", "postgresql"])?;
        Self::parse(text)
    }

    /// The embedded database's file in the data directory.
    ///
    /// # Errors
    /// The directory's name is not UTF-8, which no URL can hold.
    pub(super) fn in_directory(directory: &Path) -> Result<Self, &'static str> {
        Self::of_file(&directory.join("feedback.db"))
    }

    /// An embedded database in this file.
    ///
    /// # Errors
    /// The file's name is not UTF-8, which no URL can hold.
    pub(super) fn of_file(file: &Path) -> Result<Self, &'static str> {
        let file = file.to_str().ok_or("the name is not UTF-8")?;
        let file = file.replace('%', "%25").replace('?', "%3F");
        Ok(Self(format!("sqlite:{}", file.replace('#', "%23"))))
    }

    /// Whether it is embedded.
    pub fn is_sqlite(&self) -> bool {
        self.0.starts_with("sqlite:")
    }

    /// The whole URL, credentials and all: not for logs.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

/// Where the broker is: on each of these nodes.
#[derive(Clone)]
pub struct AmqpUrl(pub(crate) Vec<AMQPUri>);

impl AmqpUrl {
    /// Reads `amqp://…` or `amqps://…`, with one host or several with commas between. A path of `/`, like none, means the virtual
    /// host `/`.
    ///
    /// # Errors
    /// Why not, without quoting more than the scheme.
    pub fn parse(text: &str) -> Result<Self, String> {
        let nodes = hosts(text, &["amqp", "amqps"])?;
        let nodes = nodes.iter().map(|(text, url)| Self::node(text, url));
        nodes.collect::<Result<_, _>>().map(Self)
    }

    fn node(text: &str, url: &Url) -> Result<AMQPUri, String> {
        let mut uri: AMQPUri = text
            .parse()
            .map_err(|_| "a parameter of the URL cannot be read".to_owned())?;
        if let Some(Host::Ipv6(address)) = url.host() {
            uri.authority.host = address.to_string();
        }
        uri.query.heartbeat.get_or_insert(10);
        if uri.vhost.is_empty() {
            "/".clone_into(&mut uri.vhost);
        }
        Ok(uri)
    }
}

/// Where the shared cache is.
#[derive(Clone)]
pub struct RedisUrl(pub(crate) ConnectionInfo);

impl RedisUrl {
    /// Reads `redis://…` or `rediss://…`.
    ///
    /// # Errors
    /// Why not, without quoting more than the scheme.
    pub fn parse(text: &str) -> Result<Self, String> {
        server(text, &["redis", "rediss"])?;
        text.into_connection_info().map(Self).map_err(|_| {
            "not of the form redis://user:password@host:port/number of the database".to_owned()
        })
    }
}

/// What links to forms begin with: how people outside reach the service.
#[derive(Clone)]
pub struct PublicUrl(String);

impl PublicUrl {
    /// Reads `http://…` or `https://…`, which may have a path.
    ///
    /// # Errors
    /// Why not, without quoting more than the scheme.
    pub fn parse(text: &str) -> Result<Self, String> {
        let url = server(text, &["http", "https"])?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err("a user's name or password would be in every link".to_owned());
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err("a path is added to it, so it can have neither ? nor #".to_owned());
        }
        Ok(Self(url.as_str().trim_end_matches('/').to_owned()))
    }

    /// What it is when nothing is set.
    ///
    /// # Errors
    /// The address is every address of the machine, which no link can begin with.
    pub(super) fn of_address(listen: SocketAddr, has_tls: bool) -> Result<Self, String> {
        let scheme = if has_tls { "https" } else { "http" };
        if listen.ip().to_canonical().is_unspecified() {
            return Err(format!(
                "unset, and links cannot begin with {scheme}://{listen}: name how people reach the service"
            ));
        }
        Ok(Self(format!("{scheme}://{listen}")))
    }

    /// The same, of a service that answers HTTPS alone if it has a certificate.
    ///
    /// # Errors
    /// It has one, and the URL is a plain one: nobody could open a link.
    pub(super) fn where_https(self, has_tls: bool) -> Result<Self, String> {
        if has_tls && self.0.starts_with("http:") {
            return Err("http://…, but with FEEDBACK_TLS the service answers https:// alone, so that no link would open: \
                        name it with https://"
                .to_owned());
        }
        Ok(self)
    }

    /// Whether only this machine can open it.
    pub fn is_local(&self) -> bool {
        let url = Url::parse(&self.0);
        match url.as_ref().ok().and_then(Url::host) {
            Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(Host::Ipv4(address)) => address.is_loopback() || address.is_unspecified(),
            Some(Host::Ipv6(address)) => address.is_loopback() || address.is_unspecified(),
            None => true,
        }
    }

    /// Without a slash at its end.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The scheme of a URL, if it is one of the known.
fn scheme<'t>(text: &'t str, known: &[&str]) -> Result<&'t str, String> {
    let wanted = known.join(", ");
    match text.split_once(':') {
        Some((scheme, _)) if known.contains(&scheme) => Ok(scheme),
        // What stands before the first colon of a URL without a scheme may be a user's name: quoted only before `//`.
        Some((scheme, rest)) if rest.starts_with("//") => {
            Err(format!("scheme {scheme:?} is not one of {wanted}"))
        }
        _ => Err(format!("must start with {}://", known.join(":// or "))),
    }
}

/// A URL of one of the known schemes that has a host.
fn server(text: &str, known: &[&str]) -> Result<Url, String> {
    scheme(text, known)?;
    let url = Url::parse(text).map_err(|error| format!("not a URL: {error}"))?;
    if url.cannot_be_a_base() {
        return Err("no host: // must follow the scheme".to_owned());
    }
    Ok(url)
}

/// As [`server`] for each of several hosts, with its own URL as text.
fn hosts(text: &str, known: &[&str]) -> Result<Vec<(String, Url)>, String> {
    let texts = of_each_host(text);
    let are_several = texts.len() > 1;
    let hosts = texts.into_iter().map(|text| {
        let url = server(&text, known)?;
        if are_several && url.host_str().is_none_or(str::is_empty) {
            return Err("one of the hosts has no name".to_owned());
        }
        Ok((text, url))
    });
    hosts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broker_without_a_virtual_host_has_the_default_one() {
        for text in ["amqp://h", "amqp://h/", "amqp://h/%2f"] {
            assert_eq!(AmqpUrl::parse(text).unwrap().0[0].vhost, "/", "{text}");
        }
        assert_eq!(AmqpUrl::parse("amqp://h/v").unwrap().0[0].vhost, "v");
    }

    #[test]
    fn a_broker_may_have_an_ipv6_address_and_several_nodes() {
        let url = AmqpUrl::parse("amqp://[::1]:5673,b:5674").unwrap();
        let nodes = url
            .0
            .iter()
            .map(|node| (node.authority.host.as_str(), node.authority.port));
        assert_eq!(nodes.collect::<Vec<_>>(), [("::1", 5673), ("b", 5674)]);
        assert!(AmqpUrl::parse("amqp://a,").is_err());
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
            let reason = PublicUrl::parse(text).err().unwrap();
            assert!(!reason.contains("geheim"), "{reason}");
        }
        let listen = "[::1]:80".parse().unwrap();
        for (has_tls, url) in [(false, "http://[::1]:80"), (true, "https://[::1]:80")] {
            let of_address = PublicUrl::of_address(listen, has_tls);
            assert_eq!(of_address.unwrap().as_str(), url);
        }
        for listen in ["0.0.0.0:8080", "[::]:8080"] {
            let reason = PublicUrl::of_address(listen.parse().unwrap(), false).err();
            assert!(reason.unwrap().contains(listen));
        }
    }

    #[test]
    fn what_only_this_machine_opens_is_local() {
        for (text, expected) in [
            ("http://localhost:8080", true),
            ("https://a.localhost/x", true),
            ("http://127.0.0.1:8080", true),
            ("http://127.9.9.9", true),
            ("http://0.0.0.0:8080", true),
            ("http://[::1]", true),
            ("https://feedback.example", false),
            ("http://192.168.0.7", false),
            ("https://localhost.example", false),
        ] {
            assert_eq!(
                PublicUrl::parse(text).unwrap().is_local(),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn a_data_directory_may_have_any_utf8_name() {
        let url = DatabaseUrl::in_directory(Path::new("/a b/100%/what?")).unwrap();
        assert_eq!(url.expose(), "sqlite:/a b/100%25/what%3F/feedback.db");
    }

    #[test]
    fn schemes_are_refused_by_name_only_where_they_are_one() {
        let refused = |text| DatabaseUrl::parse(text).err().unwrap();
        assert_eq!(
            refused("mysql://h"),
            "scheme \"mysql\" is not one of postgres, postgresql, sqlite"
        );
        assert_eq!(
            refused("user:password@h"),
            "must start with postgres:// or postgresql:// or sqlite://"
        );
        assert_eq!(refused("sqlite:"), "a file's name must follow sqlite:");
    }
}
