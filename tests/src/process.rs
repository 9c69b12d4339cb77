//! One child process: signals, its log, and the promise that it never outlives the test.
//!
//! A destructor is not enough for that promise: a test process that is killed runs none. So each child has a guard,
//! a shell in a process group of its own that reads from a pipe only the test process holds; when the pipe breaks,
//! for whatever reason, the guard kills the child. What dies is the child's whole process group, because some programs are
//! only wrappers of others, such as the Node.js of the Python environment.

use std::fs::{File, OpenOptions};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

use crate::wait::eventually;

/// How many bytes of a log are shown.
const TAIL: usize = 16 * 1024;

/// A running (or ended, but not yet forgotten) child process.
#[derive(Debug)]
pub struct Process {
    name: String,
    child: Child,
    guard: Child,
    log: PathBuf,
    log_shown: bool,
}

impl Process {
    /// Starts `command` with nothing on its standard input and both its outputs appended to `log`.
    ///
    /// # Errors
    /// When the program cannot be started or the log not be opened.
    pub fn start(name: &str, command: &mut Command, log: &Path) -> Result<Self> {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(append_to(log)?)
            .stderr(append_to(log)?)
            .process_group(0)
            .spawn()
            .with_context(|| format!("starting {name}: {}", command.get_program().display()))?;
        let guard = Command::new("sh")
            .args(["-c", "read -r _; kill -KILL \"-$0\""])
            .arg(child.id().to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn();
        match guard {
            Ok(guard) => Ok(Self {
                name: name.to_owned(),
                child,
                guard,
                log: log.to_owned(),
                log_shown: false,
            }),
            Err(error) => {
                child.kill()?;
                child.wait()?;
                Err(error).context("starting the guard of a process")
            }
        }
    }

    /// Prints the end of the log once the process is dropped. Test runners show that only for a test that failed.
    #[must_use]
    pub fn showing_log(mut self) -> Self {
        self.log_shown = true;
        self
    }

    /// Takes [`Self::showing_log`] back: where no test runner hides what was printed.
    pub fn hide_log(&mut self) {
        self.log_shown = false;
    }

    /// The name given at the start, for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The process id.
    ///
    /// # Errors
    /// When the id is none a signal can be sent to.
    pub fn pid(&self) -> Result<Pid> {
        Ok(Pid::from_raw(i32::try_from(self.child.id())?))
    }

    /// Sends `signal`.
    ///
    /// # Errors
    /// When the process is gone.
    pub fn signal(&self, signal: Signal) -> Result<()> {
        kill(self.pid()?, signal).with_context(|| format!("{signal} to {}", self.name))
    }

    /// SIGSTOP: the process keeps its sockets and locks and does nothing.
    ///
    /// # Errors
    /// When the process is gone.
    pub fn freeze(&self) -> Result<()> {
        self.signal(Signal::SIGSTOP)
    }

    /// SIGCONT, after [`Self::freeze`].
    ///
    /// # Errors
    /// When the process is gone.
    pub fn thaw(&self) -> Result<()> {
        self.signal(Signal::SIGCONT)
    }

    /// Sends `signal` to every process that this one started.
    ///
    /// # Errors
    /// When the process is gone.
    pub fn signal_children(&self, signal: Signal) -> Result<()> {
        let pid = self.child.id();
        let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"))?;
        for child in children.split_whitespace() {
            // One may end meanwhile.
            let _ = kill(Pid::from_raw(child.parse()?), signal);
        }
        Ok(())
    }

    /// How the process ended, `None` while it runs.
    ///
    /// # Errors
    /// When it cannot be asked.
    pub fn ended(&mut self) -> Result<Option<ExitStatus>> {
        Ok(self.child.try_wait()?)
    }

    /// Sends `signal` and waits for the end.
    ///
    /// # Errors
    /// When the process still runs after `deadline`.
    pub async fn stop(&mut self, signal: Signal, deadline: Duration) -> Result<ExitStatus> {
        if let Some(status) = self.ended()? {
            return Ok(status);
        }
        self.signal(signal)?;
        eventually(deadline, async || match self.child.try_wait()? {
            Some(status) => Ok(status),
            None => bail!("{} still runs after {signal}", self.name),
        })
        .await
    }

    /// Waits for the end without asking for it.
    ///
    /// # Errors
    /// When the process still runs after `deadline`.
    pub async fn wait(&mut self, deadline: Duration) -> Result<ExitStatus> {
        eventually(deadline, async || match self.child.try_wait()? {
            Some(status) => Ok(status),
            None => bail!("{} still runs", self.name),
        })
        .await
    }

    /// SIGKILL, and gone when this returns.
    ///
    /// # Errors
    /// When the process cannot be killed.
    pub fn kill(&mut self) -> Result<ExitStatus> {
        if let Some(status) = self.ended()? {
            return Ok(status);
        }
        self.child.kill()?;
        Ok(self.child.wait()?)
    }

    /// The most memory the process ever had resident, in bytes.
    ///
    /// # Errors
    /// When the process is gone.
    pub fn peak_memory(&self) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
        Ok(kibibytes.context("no VmHWM")?.parse::<u64>()? * 1024)
    }

    /// On how many TCP sockets the process takes connections.
    ///
    /// # Errors
    /// When the process is gone.
    pub fn listeners(&self) -> Result<usize> {
        let own = PathBuf::from(format!("/proc/{}", self.child.id()));
        let mut sockets = Vec::new();
        for descriptor in std::fs::read_dir(own.join("fd"))? {
            // One may be closed meanwhile.
            if let Ok(target) = std::fs::read_link(descriptor?.path()) {
                sockets.push(target.display().to_string());
            }
        }
        let mut listeners = 0;
        for table in ["net/tcp", "net/tcp6"] {
            for line in std::fs::read_to_string(own.join(table))?.lines() {
                let columns: Vec<&str> = line.split_whitespace().collect();
                // The fourth column is the state, 0A is LISTEN; the tenth is the socket's inode.
                if let (Some(&"0A"), Some(inode)) = (columns.get(3), columns.get(9)) {
                    let socket = format!("socket:[{inode}]");
                    listeners += usize::from(sockets.contains(&socket));
                }
            }
        }
        Ok(listeners)
    }

    /// All that the process wrote so far.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn log(&self) -> Result<String> {
        Ok(String::from_utf8_lossy(&std::fs::read(&self.log)?).into_owned())
    }

    /// The end of [`Self::log`], for messages.
    pub fn log_tail(&self) -> String {
        let log = self.log().unwrap_or_default();
        let start = log.ceil_char_boundary(log.len().saturating_sub(TAIL));
        log.get(start..).unwrap_or_default().to_owned()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The guard first: once the child is reaped, its id may belong to somebody else.
        let guard = self.guard.kill().and_then(|()| self.guard.wait());
        if let (Ok(None), Ok(group)) = (self.ended(), self.pid()) {
            // What it started, too, in groups of their own as well: what is frozen does not see that it is gone. Why it could not be
            // killed is told below.
            let _ = self.signal_children(Signal::SIGKILL);
            let _ = killpg(group, Signal::SIGKILL);
        }
        let child = self.kill();
        if guard.is_err() || child.is_err() {
            eprintln!("{} may still run: {guard:?} {child:?}", self.name);
        }
        if self.log_shown {
            eprintln!("---- log of {} ----\n{}", self.name, self.log_tail());
        }
    }
}

fn append_to(log: &Path) -> Result<File> {
    OpenOptions::new()
        .create(true)
        .append(true)
        .open(log)
        .with_context(|| format!("opening {}", log.display()))
}

#[cfg(test)]
mod tests {
    use anyhow::ensure;

    use super::*;
    use crate::wait::SOON;

    #[tokio::test]
    async fn what_a_wrapper_runs_ends_with_it() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let mut wrapper = Command::new("sh");
        wrapper.args(["-c", "sleep 600 & echo $!; wait"]);
        let process = Process::start("a wrapper", &mut wrapper, &folder.path().join("log"))?;
        let inner: u32 = eventually(SOON, async || Ok(process.log()?.trim().parse()?)).await?;
        drop(process);
        eventually(SOON, async || {
            // What has ended and waits for its parent has none.
            let line = std::fs::read(format!("/proc/{inner}/cmdline")).unwrap_or_default();
            ensure!(line.is_empty(), "{inner} still runs");
            Ok(())
        })
        .await
    }
}
