//! Why a database on a server does not answer. A pool says only that it waited.

use std::time::Duration;

use store::{Error, of_each_host};
use tokio::net::TcpStream;
use tokio::time::timeout;
use url::Url;

use crate::config::Config;
use crate::one_line;

/// How long a host has to take a connection.
const ANSWER: Duration = Duration::from_secs(1);

/// An error of the database in one line; where it is away, with what each of its hosts said to a connection.
pub(crate) async fn why(config: &Config, error: &Error) -> String {
    let line = one_line(error);
    if config.database.is_sqlite() || !error.is_unavailable() || error.is_of_tls() {
        return line;
    }
    let mut told = vec![line];
    for url in of_each_host(config.database.expose()) {
        let url = Url::parse(&url).ok();
        let Some((host, port)) = url
            .as_ref()
            .and_then(|url| Some((url.host_str()?, url.port())))
        else {
            continue;
        };
        let port = port.unwrap_or(5432);
        let said = match timeout(ANSWER, TcpStream::connect((host, port))).await {
            Ok(Ok(_)) => "takes connections, but nothing answers in time".to_owned(),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "takes no connection".to_owned(),
        };
        told.push(format!("{host}:{port}: {said}"));
    }
    told.join("; ")
}
