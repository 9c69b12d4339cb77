//! A database of the first release that has migrations before it, filled with everything that there is: made once by its
//! binaries, with `tests/fixture/make`, and kept in `tests/fixture`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::app::{App, Backends, IssuedKey};
use crate::client::Client;
use crate::servers::run;

/// What the links of the fixture begin with.
pub const PUBLIC_URL: &str = "http://127.0.0.1:18431";

/// What was recorded with the database.
#[derive(Debug)]
pub struct FixtureRecord(Value);

/// Puts the database where a service that was not started yet will look for it.
///
/// # Errors
/// When it cannot be put there.
pub async fn fill(app: &App) -> Result<FixtureRecord> {
    let Backends::Servers(lease) = app.backends() else {
        return fill_embedded(&app.folder().join("data"));
    };
    let script = app.folder().join("fixture.sql");
    std::fs::write(&script, unpacked("postgres.sql.zst")?)?;
    let mut psql = Command::new("psql");
    psql.args(["-q", "-v", "ON_ERROR_STOP=1", &lease.database, "-f"]);
    psql.arg(&script);
    run(psql).await?;
    recorded("postgres.json")
}

/// Puts the embedded database into a data directory.
///
/// # Errors
/// When it cannot be put there.
pub fn fill_embedded(data: &Path) -> Result<FixtureRecord> {
    std::fs::create_dir_all(data)?;
    std::fs::write(data.join("feedback.db"), unpacked("sqlite.db.zst")?)?;
    recorded("sqlite.json")
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixture")
}

fn unpacked(name: &str) -> Result<Vec<u8>> {
    let packed = std::fs::read(folder().join(name)).with_context(|| name.to_owned())?;
    Ok(zstd::decode_all(packed.as_slice())?)
}

fn recorded(name: &str) -> Result<FixtureRecord> {
    let recorded = std::fs::read(folder().join(name))?;
    Ok(FixtureRecord(serde_json::from_slice(&recorded)?))
}

impl FixtureRecord {
    /// The key of the fixture's account.
    ///
    /// # Errors
    /// When it was not recorded.
    pub fn keys(&self) -> Result<IssuedKey> {
        let text = |name: &str| {
            let text = self.0["key"][name].as_str().context("no key was recorded");
            text.map(str::to_owned)
        };
        Ok(IssuedKey {
            account_id: text("account_id")?,
            api_key: text("api_key")?,
            secret_key: text("secret_key")?,
            scopes: Vec::new(),
        })
    }

    /// The name and the password of an admin, who suppressed a phone and erased somebody.
    ///
    /// # Errors
    /// When they were not recorded.
    pub fn admin(&self) -> Result<[&str; 2]> {
        let [name, password] = ["name", "password"].map(|member| self.0["person"][member].as_str());
        Ok([name.context("no name")?, password.context("no password")?])
    }

    /// The docids of people whom the first release erased.
    pub fn erased(&self) -> impl Iterator<Item = &str> {
        self.texts("erased")
    }

    /// The batches whose only chunk it parked: each with somebody new, and with somebody whom it erased then.
    pub fn parked(&self) -> impl Iterator<Item = &str> {
        self.texts("parked")
    }

    /// The campaign of which it planned a reminder, to somebody who texted STOP then.
    ///
    /// # Errors
    /// When it was not recorded.
    pub fn reminds(&self) -> Result<&str> {
        self.0["reminds"].as_str().context("no reminder")
    }

    fn texts(&self, name: &str) -> impl Iterator<Item = &str> {
        let texts = self.0[name].as_array();
        texts.into_iter().flatten().filter_map(Value::as_str)
    }

    /// Whether every figure is the one that was recorded. Members may have been added.
    ///
    /// # Errors
    /// When one is another.
    pub async fn check(&self, client: &Client) -> Result<()> {
        let reports = self.0["reports"].as_object().context("no reports")?;
        ensure!(!reports.is_empty(), "nothing was recorded");
        for (path, recorded) in reports {
            let answer = client.get(path).await?.expect(200)?.json()?;
            same(recorded, &answer).with_context(|| path.clone())?;
        }
        Ok(())
    }
}

fn same(recorded: &Value, answer: &Value) -> Result<()> {
    match (recorded, answer) {
        (Value::Object(recorded), Value::Object(answer)) => {
            for (name, recorded) in recorded {
                let answer = answer.get(name).unwrap_or(&Value::Null);
                same(recorded, answer).with_context(|| name.clone())?;
            }
        }
        (Value::Array(recorded), Value::Array(answer)) if recorded.len() == answer.len() => {
            for (recorded, answer) in recorded.iter().zip(answer) {
                same(recorded, answer)?;
            }
        }
        _ => ensure!(recorded == answer, "{recorded} was recorded, {answer} came"),
    }
    Ok(())
}
