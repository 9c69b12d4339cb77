//! The style and the script of all pages: at a path with their hash, so that browsers keep them for good.

use std::sync::LazyLock;

use api_http::Problem;
use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

/// A file that pages load.
pub struct Asset {
    name: String,
    pub path: String,
    kind: &'static str,
    text: &'static str,
}

pub static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    let text = include_str!("../templates/style.css");
    Asset::new("css", "text/css; charset=utf-8", text)
});
pub static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    let text = include_str!("../templates/script.js");
    Asset::new("js", "text/javascript; charset=utf-8", text)
});

impl Asset {
    fn new(ending: &str, kind: &'static str, text: &'static str) -> Self {
        let hash = hex::encode(Sha256::digest(text));
        let name = format!("{}.{ending}", hash.get(..16).unwrap_or_default());
        Self {
            path: format!("/dashboard/assets/{name}"),
            name,
            kind,
            text,
        }
    }
}

pub async fn serve(Path(name): Path<String>) -> Response {
    let known: [&Asset; 2] = [&STYLE, &SCRIPT];
    let Some(asset) = known.into_iter().find(|asset| asset.name == name) else {
        return Problem::not_found().into_response();
    };
    let headers = [
        (CONTENT_TYPE, asset.kind),
        (CACHE_CONTROL, "public, max-age=31536000, immutable"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, asset.text).into_response()
}
