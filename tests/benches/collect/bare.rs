//! A bare axum route that returns given bytes: what is measured against where bytes are served. The bench `report` uses
//! it too.

use std::net::SocketAddr;
use std::thread;

use anyhow::Result;
use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use bytes::Bytes;

/// Serves the bytes on a port of their own, with as many threads as the service has, until the process ends.
pub(super) fn serve(bytes: Bytes, kind: &'static str) -> Result<SocketAddr> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let route = get(move || {
        let bytes = bytes.clone();
        async move { ([(CONTENT_TYPE, kind)], bytes) }
    });
    thread::spawn(move || {
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            axum::serve(listener, Router::new().route("/", route)).await
        })
    });
    Ok(address)
}
