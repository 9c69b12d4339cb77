//! A server that reads whole requests and answers them all alike.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// What comes after a request.
#[derive(Clone)]
pub enum Reply {
    /// These bytes; the connection stays open.
    Keep(String),
    /// These bytes, then the end of the connection.
    Close(String),
    /// These bytes, then a reset of the connection.
    Reset(String),
    Hang,
}

pub struct Peer {
    pub address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Peer {
    pub async fn start(reply: Reply) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&requests);
        let task = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(serve(stream, reply.clone(), Arc::clone(&log)));
            }
        });
        Self {
            address,
            requests,
            task,
        }
    }

    /// The requests so far: head and body, as they came.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(mut stream: TcpStream, reply: Reply, log: Arc<Mutex<Vec<String>>>) {
    while let Some(request) = read(&mut stream).await {
        log.lock().unwrap().push(request);
        match &reply {
            Reply::Keep(bytes) => stream.write_all(bytes.as_bytes()).await.unwrap(),
            Reply::Close(bytes) => {
                stream.write_all(bytes.as_bytes()).await.unwrap();
                return;
            }
            Reply::Reset(bytes) => {
                stream.write_all(bytes.as_bytes()).await.unwrap();
                stream.set_zero_linger().unwrap();
                return;
            }
            Reply::Hang => std::future::pending().await,
        }
    }
}

async fn read(stream: &mut TcpStream) -> Option<String> {
    let mut request = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&request);
        if let Some((head, body)) = text.split_once("\r\n\r\n")
            && body.len() >= length(head)
        {
            return Some(text.into_owned());
        }
        if stream.read_buf(&mut request).await.ok()? == 0 {
            return None;
        }
    }
}

fn length(head: &str) -> usize {
    let head = head.to_lowercase();
    let mut lines = head.lines();
    let length = lines.find_map(|line| line.strip_prefix("content-length: "));
    length.map_or(0, |length| length.parse().unwrap())
}

/// A whole answer.
pub fn answer(status: u16, headers: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\n{headers}\r\n{body}")
}
