//! HTTP as only a broken or unusual client speaks it: cut, slow, with anything in its headers.

use std::fmt::Write;

use anyhow::{Context, Result, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::client::Client;
use crate::wait::SOON;

/// One connection on which a test writes what it likes.
#[derive(Debug)]
pub struct Raw {
    socket: TcpStream,
    read: Vec<u8>,
}

impl Raw {
    /// Connects to the client's instance.
    ///
    /// # Errors
    /// When nobody listens.
    pub async fn connect(client: &Client) -> Result<Self> {
        let address = client.base().trim_start_matches("http://");
        Ok(Self {
            socket: TcpStream::connect(address).await?,
            read: Vec::new(),
        })
    }

    /// The head of a `POST` with the client's keys and these header lines.
    ///
    /// # Errors
    /// When the client has no keys.
    pub fn head(client: &Client, path: &str, lines: &[&str]) -> Result<String> {
        let mut head = format!("POST {path} HTTP/1.1\r\nhost: test\r\n");
        for (name, value) in client.key_headers()? {
            write!(head, "{name}: {value}\r\n")?;
        }
        for line in lines {
            head.push_str(line);
            head.push_str("\r\n");
        }
        head.push_str("\r\n");
        Ok(head)
    }

    /// Writes bytes.
    ///
    /// # Errors
    /// When the other side has closed.
    pub async fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.socket.write_all(bytes).await?;
        Ok(self.socket.flush().await?)
    }

    /// Reads to the end of the next head and returns it; what follows it stays for later.
    ///
    /// # Errors
    /// When the connection ends before, or nothing comes.
    pub async fn read_head(&mut self) -> Result<String> {
        loop {
            if let Some(end) = self.read.windows(4).position(|four| four == b"\r\n\r\n") {
                let head: Vec<u8> = self.read.drain(..end + 4).collect();
                return Ok(String::from_utf8(head)?);
            }
            let mut buffer = [0; 4096];
            let length = timeout(SOON, self.socket.read(&mut buffer))
                .await
                .context("no head comes")??;
            ensure!(length > 0, "closed within a head");
            self.read.extend(buffer.iter().take(length));
        }
    }

    /// Closes the connection as a client does that dies: unread data becomes a reset.
    ///
    /// # Errors
    /// When the socket refuses.
    pub fn reset(self) -> Result<()> {
        self.socket.set_zero_linger()?;
        drop(self.socket);
        Ok(())
    }
}

/// The status in the first line of a head.
///
/// # Errors
/// When there is none.
pub fn status(head: &str) -> Result<u16> {
    let word = head.split(' ').nth(1).context("no status line")?;
    Ok(word.parse()?)
}
