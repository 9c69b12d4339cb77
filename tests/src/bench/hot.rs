//! A link that many people answer at once.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::Value;

use crate::app::App;
use crate::form::form;

/// A published form's link, and who made it.
#[derive(Debug)]
pub struct Hot {
    /// The form.
    pub form: Value,
    /// Its link.
    pub link: Value,
    /// Where it is answered.
    pub url: String,
}

impl Hot {
    /// Makes them through the API.
    ///
    /// # Errors
    /// When the service refuses.
    pub async fn make(app: &App) -> Result<Self> {
        let owner = app.client().await?;
        let form = owner.published(&form()).await?;
        let link = owner
            .link(&form, "1", &[("track_field", "order=4711")])
            .await?;
        let url = format!(
            "{}/f/{}",
            owner.base(),
            link["token"].as_str().unwrap_or_default()
        );
        Ok(Self { form, link, url })
    }
}

/// What `wrk` posts: an answer of a new visit each time.
///
/// # Errors
/// When it cannot be written.
pub fn script(folder: &Path) -> Result<PathBuf> {
    let file = folder.join("answer.lua");
    std::fs::write(
        &file,
        r#"
local headers = { ["content-type"] = "application/json" }
local threads = 0
function setup(thread)
    threads = threads + 1
    thread:set("seed", os.time() * 100 + threads)
end
function init(args) math.randomseed(seed) end
function request()
    local r = math.random
    local visit = string.format("%08x-%04x-4%03x-8%03x-%06x%06x",
        r(0, 0x7fffffff), r(0, 0xffff), r(0, 0xfff), r(0, 0xfff), r(0, 0xffffff), r(0, 0xffffff))
    local body = '{"visit":"' .. visit .. '","answers":{"recommend":' .. r(0, 10) .. ',"mood":' .. r(1, 5)
        .. ',"clean":4,"reason":"buy","seen":["a","b"],"more":"It was a pleasure, thank you."}}'
    return wrk.format("POST", nil, headers, body)
end
"#,
    )?;
    Ok(file)
}
