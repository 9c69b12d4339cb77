//! A private RabbitMQ with its management API, and all it takes to run beside an installed one.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};
use nix::sys::signal::Signal;
use reqwest::Method;
use tempfile::TempDir;
use tokio::net::TcpStream;

use super::broker::Broker;
use super::held::ServerProcess;
use super::places::{Account, plain_program, rabbit_program};
use super::ports::free_port;
use super::postgres::run;
use crate::authority::Authority;
use crate::process::Process;
use crate::wait::{LATER, SOON, eventually};

/// The file with the secret that nodes of a cluster share.
const COOKIE: &str = ".erlang.cookie";

/// A RabbitMQ node of its own: own port mapper, cookie, data and ports; nothing of an installed one is touched.
#[derive(Debug)]
pub struct Rabbit {
    held: ServerProcess,
    /// Erlang's port mapper: dropped after the node. The nodes of a cluster share that of the first.
    mapper: Option<Process>,
    node: Node,
}

/// Where its data lies and where it listens.
#[derive(Debug)]
struct Node {
    ports: Ports,
    folder: TempDir,
}

#[derive(Clone, Copy, Debug)]
struct Ports {
    amqp: u16,
    management: u16,
    distribution: u16,
    mapper: u16,
    /// Where it takes TLS, if it does.
    tls: Option<u16>,
}

impl Rabbit {
    /// Starts one; takes some seconds.
    ///
    /// # Errors
    /// When RabbitMQ is not installed or does not answer.
    pub async fn start() -> Result<Self> {
        Self::start_beside(None, None).await
    }

    /// Starts one that takes TLS, with a certificate by this authority.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub async fn with_tls(authority: &Authority) -> Result<Self> {
        Self::start_beside(None, Some(authority)).await
    }

    /// Starts so many nodes of one cluster.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub async fn cluster(nodes: usize) -> Result<Vec<Self>> {
        let mut cluster = vec![Self::start().await?];
        while cluster.len() < nodes {
            let next = Self::start_beside(cluster.first(), None).await?;
            cluster.push(next);
        }
        Ok(cluster)
    }

    /// Starts a node, which joins that of another one's cluster.
    async fn start_beside(first: Option<&Self>, authority: Option<&Authority>) -> Result<Self> {
        let ports = Ports {
            amqp: free_port()?,
            management: free_port()?,
            distribution: free_port()?,
            mapper: match first {
                Some(first) => first.node.ports.mapper,
                None => free_port()?,
            },
            tls: authority.map(|_| free_port()).transpose()?,
        };
        let folder = Account::folder(None, "rabbit")?;
        if let Some(authority) = authority {
            authority.certify(folder.path())?;
        }
        write_settings(folder.path(), ports, first.map(|first| &first.node))?;
        let mapper = match first {
            Some(_) => None,
            None => Some(start_mapper(ports.mapper, folder.path())?),
        };
        let mut rabbit = Self {
            held: ServerProcess::new("RabbitMQ"),
            mapper,
            node: Node { ports, folder },
        };
        rabbit.start_again().await?;
        Ok(rabbit)
    }

    /// Its addresses.
    pub fn broker(&self) -> Broker {
        self.node.broker()
    }

    /// Starts the node on its ports, after [`Self::stop`] or [`Self::kill`], and waits until it answers.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn start_again(&mut self) -> Result<()> {
        if let Some(mapper) = &mut self.mapper {
            ensure!(mapper.ended()?.is_none(), "epmd ended");
        }
        let Self { held, node, .. } = self;
        held.start(LATER, || node.spawn(), async || node.ask().await)
            .await
    }

    /// SIGTERM: an orderly end.
    ///
    /// # Errors
    /// When the node does not end.
    pub async fn stop(&mut self) -> Result<()> {
        self.held.stop(Signal::SIGTERM, LATER).await
    }

    /// SIGKILL, and gone.
    ///
    /// # Errors
    /// When it cannot be killed.
    pub fn kill(&mut self) -> Result<()> {
        self.held.kill()
    }

    /// The node's process, to freeze and thaw.
    ///
    /// # Errors
    /// When the node is stopped.
    pub fn process(&self) -> Result<&Process> {
        self.held.process()
    }

    /// Wakes the node up, and waits until it answers: `rabbitmqctl` does not end beside one that only just woke up.
    ///
    /// # Errors
    /// When the node is stopped or does not answer.
    pub async fn thaw(&self) -> Result<()> {
        self.process()?.thaw()?;
        eventually(LATER, async || self.node.ask().await).await
    }

    /// Kills the node and removes all it knows: messages, queues, virtual hosts (not started again).
    ///
    /// # Errors
    /// When the data cannot be removed.
    pub async fn delete_data(&mut self) -> Result<()> {
        self.kill()?;
        let data = self.node.data();
        eventually(SOON, async || Ok(std::fs::remove_dir_all(&data)?)).await
    }

    /// The files in which it keeps messages and what it logs.
    ///
    /// # Errors
    /// When its folders cannot be read.
    pub fn files(&self) -> Result<Vec<PathBuf>> {
        let (mut folders, mut files) = (vec![self.node.folder.path().to_owned()], Vec::new());
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder)? {
                let entry = entry?;
                let list = if entry.file_type()?.is_dir() {
                    &mut folders
                } else {
                    &mut files
                };
                list.push(entry.path());
            }
        }
        Ok(files)
    }

    /// The memory alarm: while it is on, the broker reads nothing from connections that publish.
    ///
    /// # Errors
    /// When `rabbitmqctl` fails.
    pub async fn memory_alarm(&self, on: bool) -> Result<()> {
        let least = if on { "0" } else { "0.4" };
        self.control(&["set_vm_memory_high_watermark", least]).await
    }

    /// The same of its disk.
    ///
    /// # Errors
    /// When `rabbitmqctl` fails.
    pub async fn disk_alarm(&self, on: bool) -> Result<()> {
        let free = if on { "900000GB" } else { "50MB" };
        self.control(&["set_disk_free_limit", free]).await
    }

    async fn control(&self, arguments: &[&str]) -> Result<()> {
        let mut control = self.node.program("rabbitmqctl")?;
        control.args(arguments);
        run(control).await.map(|_| ())
    }
}

impl Node {
    fn broker(&self) -> Broker {
        let (scheme, port) = match self.ports.tls {
            Some(tls) => ("amqps", tls),
            None => ("amqp", self.ports.amqp),
        };
        Broker {
            amqp: format!("{scheme}://guest:guest@127.0.0.1:{port}"),
            management: format!("http://guest:guest@127.0.0.1:{}", self.ports.management),
        }
    }

    fn spawn(&self) -> Result<Process> {
        let mut server = self.program("rabbitmq-server")?;
        let log = self.folder.path().join("rabbit.log");
        Process::start("rabbitmq", &mut server, &log)
    }

    async fn ask(&self) -> Result<()> {
        TcpStream::connect(("127.0.0.1", self.ports.amqp)).await?;
        let broker = self.broker();
        broker
            .call(Method::GET, "/api/overview", "")
            .await
            .map(drop)
    }

    /// Its name among Erlang's.
    fn name(&self) -> String {
        format!("feedback{}@localhost", self.ports.amqp)
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn program(&self, name: &str) -> Result<Command> {
        let folder = self.folder.path();
        let Ports {
            distribution,
            mapper,
            ..
        } = self.ports;
        let mut command = Command::new(rabbit_program(name)?);
        for (variable, path) in [
            ("RABBITMQ_MNESIA_BASE", self.data()),
            ("RABBITMQ_LOG_BASE", folder.join("logs")),
            ("RABBITMQ_ENABLED_PLUGINS_FILE", folder.join("plugins")),
            ("RABBITMQ_CONFIG_FILE", folder.join("rabbitmq.conf")),
            ("RABBITMQ_GENERATED_CONFIG_DIR", folder.join("generated")),
            ("RABBITMQ_CONF_ENV_FILE", folder.join("none.conf")),
            ("RABBITMQ_PID_FILE", folder.join("pid")),
            ("HOME", folder.to_owned()),
        ] {
            command.env(variable, path);
        }
        command
            .env("RABBITMQ_NODENAME", self.name())
            .env("RABBITMQ_DIST_PORT", distribution.to_string())
            .env("ERL_EPMD_PORT", mapper.to_string())
            .env("ERL_EPMD_ADDRESS", "127.0.0.1")
            // Makes the script exec Erlang, so that our signals reach the node and not a shell around it.
            .env("RUNNING_UNDER_SYSTEMD", "true")
            .env_remove("NOTIFY_SOCKET")
            .current_dir(folder);
        Ok(command)
    }
}

fn start_mapper(port: u16, folder: &Path) -> Result<Process> {
    let mut mapper = Command::new(plain_program("epmd")?);
    mapper
        .args(["-port", &port.to_string()])
        .args(["-address", "127.0.0.1"]);
    Process::start("epmd", &mut mapper, &folder.join("epmd.log"))
}

/// Writes what a node reads when it starts; with the first of a cluster it shares the secret.
fn write_settings(folder: &Path, ports: Ports, first: Option<&Node>) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let secret = match first {
        Some(first) => std::fs::read_to_string(first.folder.path().join(COOKIE))?,
        None => uuid::Uuid::new_v4().simple().to_string(),
    };
    let cookie = folder.join(COOKIE);
    std::fs::write(&cookie, secret)?;
    std::fs::set_permissions(&cookie, std::fs::Permissions::from_mode(0o400))?;
    std::fs::write(folder.join("plugins"), "[rabbitmq_management].\n")?;
    let mut settings = format!(
        "listeners.tcp.1 = 127.0.0.1:{}\n\
         management.tcp.ip = 127.0.0.1\n\
         management.tcp.port = {}\n\
         management_agent.disable_metrics_collector = true\n\
         log.console = true\n\
         log.console.level = warning\n\
         log.file = false\n",
        ports.amqp, ports.management
    );
    if let Some(tls) = ports.tls {
        let folder = folder.display();
        write!(
            settings,
            "listeners.ssl.1 = 127.0.0.1:{tls}\n\
             ssl_options.certfile = {folder}/server.crt\n\
             ssl_options.keyfile = {folder}/server.key\n"
        )?;
    }
    if let Some(first) = first {
        let name = first.name();
        settings += "cluster_formation.peer_discovery_backend = classic_config\n";
        settings += "cluster_formation.classic_config.nodes.1 = ";
        settings += &name;
        settings.push('\n');
    }
    std::fs::write(folder.join("rabbitmq.conf"), settings)?;
    Ok(())
}
