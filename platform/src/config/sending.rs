//! The secret under which phones are hashed, and where it is kept.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use domain::pepper::Pepper;

use super::{Config, ConfigError, DATA_DIR};

pub(crate) const PEPPER: &str = "FEEDBACK_PEPPER";
/// In the data directory.
const FILE: &str = "pepper";

impl Config {
    /// The pepper of the settings. `serve` without one makes one in the data directory, in a file for its owner alone; api and
    /// worker, which must have the same, have none then.
    ///
    /// # Errors
    /// The file cannot be read or made, or is none; or there are senders and no pepper.
    pub fn pepper(&self) -> Result<Option<Arc<Pepper>>, ConfigError> {
        if let Some(pepper) = &self.given_pepper {
            return Ok(Some(self.with_hooks(pepper)));
        }
        if !self.keeps_pepper {
            if self.senders.is_empty() {
                return Ok(None);
            }
            let reason = "unset; api and worker need the same 32 bytes, as 64 hex digits, to send";
            return Err(ConfigError::new(PEPPER, reason));
        }
        self.make_data_dir()?;
        let path = self.data_dir.join(FILE);
        let text = read_or_make(&path)
            .map_err(|error| ConfigError::new(DATA_DIR, format!("{}: {error}", path.display())))?;
        parse(&text)
            .map(|pepper| Some(self.with_hooks(&pepper)))
            .map_err(|reason| ConfigError::new(PEPPER, format!("{}: {reason}", path.display())))
    }

    /// The file in which `serve` keeps a pepper; `None`: the settings have one.
    pub fn pepper_file(&self) -> Option<PathBuf> {
        let keeps = self.given_pepper.is_none() && self.keeps_pepper;
        keeps.then(|| self.data_dir.join(FILE))
    }

    /// The same with the hook keys of the settings, if there are any.
    fn with_hooks(&self, pepper: &Arc<Pepper>) -> Arc<Pepper> {
        let Some(hooks) = &self.hook_secrets else {
            return Arc::clone(pepper);
        };
        Arc::new(pepper.with_hooks_of(hooks))
    }
}

pub(super) fn parse(text: &str) -> Result<Arc<Pepper>, String> {
    Pepper::parse(text).map(Arc::new)
}

fn read_or_make(path: &Path) -> io::Result<String> {
    match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        read => return read,
    }
    let [first, second]: [u128; 2] = rand::random();
    let text = format!("{first:032x}{second:032x}");
    write_private(path, OpenOptions::new().create_new(true), &text)?;
    Ok(text)
}

/// Writes a line to a file for its owner alone, which is opened as the options say.
///
/// # Errors
/// It cannot be opened or written.
pub fn write_private(path: &Path, options: &mut OpenOptions, line: &str) -> io::Result<()> {
    let mut file = options.write(true).mode(0o600).open(path)?;
    writeln!(file, "{line}")?;
    file.sync_all()
}
