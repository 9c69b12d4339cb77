//! Metrics as Prometheus takes them: each has its meaning, which docs/METRICS.md repeats, and labels of few values; the dashboard and
//! the alerts of `deploy` ask for nothing else. `promtool` tries the alerts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use axum::Router;
use axum::routing::get;
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::{App, Service};
use tests::client::Client;
use tests::form::short_form;
use tests::import::{records, segment};
use tests::process::Process;
use tests::servers::free_port;
use tests::tools::Tool;
use tests::visitor::Visitor;
use tests::wait::{LATER, SOON, eventually};
use tokio::net::TcpListener;
use uuid::Uuid;

/// Shown where the database is embedded.
const EMBEDDED: [&str; 5] = [
    "feedback_backup_timestamp_seconds",
    "feedback_disk_free_bytes",
    "feedback_disk_size_bytes",
    "feedback_restore_backup_timestamp_seconds",
    "feedback_restore_timestamp_seconds",
];
/// Shown where there are standbys, or a certificate.
const OF_OTHERS: [&str; 2] = [
    "feedback_replica_lag_seconds",
    "feedback_tls_certificate_end_timestamp_seconds",
];
/// What stands in the dashboard's expressions, and what Grafana puts there.
const VARIABLES: [(&str, &str); 2] = [("$__rate_interval", "1m"), ("$job", ".*")];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> Result<String> {
    std::fs::read_to_string(root().join(path)).with_context(|| path.to_owned())
}

/// A metric of docs/METRICS.md.
#[derive(Debug)]
struct Documented {
    kind: String,
    /// The values of each label; none where they are not listed.
    labels: BTreeMap<String, Vec<String>>,
    meaning: String,
}

fn documented() -> Result<BTreeMap<String, Documented>> {
    let text = read("docs/METRICS.md")?;
    let mut metrics = BTreeMap::new();
    for line in text.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [name, kind, labels, meaning] = cells[..] else {
            bail!("not four cells: {line}");
        };
        let labels = labels.split("; ").filter(|label| !label.is_empty());
        let labels = labels.map(|label| {
            let (label, values) = label.split_once(": ").unwrap_or((label, ""));
            let values = values.split(", ").filter(|value| !value.is_empty());
            let values = values.map(str::to_owned).collect();
            (label.trim_matches('`').to_owned(), values)
        });
        let metric = Documented {
            kind: kind.to_owned(),
            labels: labels.collect(),
            meaning: meaning.to_owned(),
        };
        metrics.insert(name.trim_matches('`').to_owned(), metric);
    }
    ensure!(metrics.len() > 30, "only {} metrics", metrics.len());
    Ok(metrics)
}

/// Checks that a scrape has only metrics that are documented, with their meaning, kind and labels. The names of its metrics.
fn check_scrape(text: &str, documented: &BTreeMap<String, Documented>) -> Result<BTreeSet<String>> {
    let mut kinds = BTreeMap::new();
    let mut meanings = BTreeMap::new();
    for line in text.lines() {
        if let Some((name, kind)) = line
            .strip_prefix("# TYPE ")
            .and_then(|line| line.split_once(' '))
        {
            kinds.insert(name, kind);
        } else if let Some((name, meaning)) = line
            .strip_prefix("# HELP ")
            .and_then(|line| line.split_once(' '))
        {
            meanings.insert(name, meaning);
        } else if !line.is_empty() {
            check_sample(line, documented).context(line.to_owned())?;
        }
    }
    for (name, kind) in &kinds {
        let metric = documented
            .get(*name)
            .with_context(|| format!("{name} is not in docs/METRICS.md"))?;
        ensure!(metric.kind == *kind, "{name} is a {kind}");
        let meaning = meanings.get(name).copied();
        ensure!(
            meaning == Some(&*metric.meaning),
            "{name} means {meaning:?}"
        );
    }
    Ok(kinds.into_keys().map(str::to_owned).collect())
}

/// Checks the labels of a line such as `name{label="value",le="0.1"} 1`.
fn check_sample(line: &str, documented: &BTreeMap<String, Documented>) -> Result<()> {
    let (series, _) = line.rsplit_once(' ').context("no value")?;
    let (name, labels) = series.split_once('{').unwrap_or((series, ""));
    let metric = documented
        .get(name)
        .or_else(|| documented.get(base(name)))
        .context("not in docs/METRICS.md")?;
    for label in labels.trim_end_matches('}').split("\",") {
        let Some((label, value)) = label.split_once("=\"") else {
            continue;
        };
        let value = value.trim_end_matches('"');
        if label == "le" {
            continue;
        }
        let values = metric.labels.get(label);
        let values = values.with_context(|| format!("{label} is not in docs/METRICS.md"))?;
        ensure!(
            values.is_empty() || values.iter().any(|known| known == value),
            "{value} is not in docs/METRICS.md"
        );
        let has_number = value
            .split(|letter: char| !letter.is_ascii_digit())
            .any(|digits| digits.len() > 4);
        let is_id = value.split('/').any(|part| Uuid::parse_str(part).is_ok());
        ensure!(!has_number && !is_id, "{value} is one of many");
    }
    Ok(())
}

/// The metric of a series of a histogram.
fn base(series: &str) -> &str {
    ["_bucket", "_sum", "_count"]
        .into_iter()
        .find_map(|end| series.strip_suffix(end))
        .unwrap_or(series)
}

/// The names of series in an expression.
fn names(expression: &str) -> BTreeSet<&str> {
    let words = expression.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    words
        .filter(|word| word.starts_with("feedback_") || word.starts_with("process_"))
        .collect()
}

/// All expressions of the dashboard, with their variables replaced.
fn expressions(panel: &Value, found: &mut Vec<String>) {
    match panel {
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(expression) if name == "expr" => {
                        let replace = |text: String, (name, value)| text.replace(name, value);
                        found.push(VARIABLES.into_iter().fold(expression.clone(), replace));
                    }
                    member => expressions(member, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| expressions(item, found)),
        _ => {}
    }
}

/// Does what each metric counts: an import with a campaign's messages, a view and an answer, a report.
async fn use_all(client: &Client) -> Result<()> {
    let campaign = client.running("demo", &records("A", 7, "1")).await?;
    client.until_first(&campaign, "delivered", 7).await?;
    let form = client.published(&short_form("How was it?")).await?;
    let link = client.link(&form, "", &[]).await?;
    let visitor = Visitor::new(client, &link)?;
    visitor.view().await?;
    visitor.stored(&json!({"mood": 1})).await?;
    client.counted(&link, 1, 1).await
}

/// A Prometheus that scrapes a service.
struct Prometheus {
    client: Client,
    /// It ends with it.
    _process: Process,
}

impl Prometheus {
    /// Starts it with the rules of `deploy`, for services at these addresses.
    fn start(folder: &Path, addresses: &[String]) -> Result<Self> {
        let targets = addresses.iter().map(|address| {
            let address = address.trim_start_matches("http://");
            format!("'{address}'")
        });
        let targets: Vec<_> = targets.collect();
        let rules = root().join("deploy/prometheus/rules.yml");
        let config = format!(
            "global:\n  scrape_interval: 1s\n  evaluation_interval: 1s\nrule_files: ['{}']\nscrape_configs:\n  \
             - job_name: feedback\n    static_configs:\n      - targets: [{}]\n",
            rules.canonicalize()?.display(),
            targets.join(", ")
        );
        let file = folder.join("prometheus.yml");
        std::fs::write(&file, config)?;
        let address = format!("127.0.0.1:{}", free_port()?);
        let process = Tool::installed("prometheus")
            .args([
                format!("--config.file={}", file.display()),
                format!("--storage.tsdb.path={}", folder.join("tsdb").display()),
                format!("--web.listen-address={address}"),
            ])
            .start(&folder.join("prometheus.log"))?;
        Ok(Self {
            client: Client::new(format!("http://{address}"))?,
            _process: process.showing_log(),
        })
    }

    /// What it answers under a path of its API.
    async fn ask(&self, path: &str) -> Result<Value> {
        let call = self.client.call(Method::GET, &format!("/api/v1/{path}"));
        let answer = call.open().await.with_context(|| path.to_owned())?;
        let answer: Value = answer.json().await?;
        ensure!(answer["status"] == "success", "{path}: {answer}");
        Ok(answer["data"].clone())
    }

    /// The series of an expression.
    async fn series(&self, expression: &str) -> Result<usize> {
        let path = format!("query?query={}", segment(expression));
        let data = self.ask(&path).await?;
        let series = data["result"].as_array().context("no series")?;
        Ok(series.len())
    }
}

/// Each rule was evaluated without an error, and is in the runbook. The expressions.
async fn check_rules(prometheus: &Prometheus) -> Result<Vec<String>> {
    let runbook = read("docs/RUNBOOK.md")?;
    let rules = eventually(SOON, async || {
        let data = prometheus.ask("rules").await?;
        let rules = data["groups"][0]["rules"].clone();
        let rules = rules.as_array().context("no rules")?.clone();
        for rule in &rules {
            ensure!(rule["health"] == "ok", "{rule}");
        }
        Ok(rules)
    })
    .await?;
    ensure!(rules.len() > 8, "{} rules", rules.len());
    let mut expressions = Vec::new();
    for rule in rules {
        let text = |member: &Value| member.as_str().unwrap_or_default().to_owned();
        let name = text(&rule["name"]);
        let annotations = &rule["annotations"];
        ensure!(!text(&annotations["summary"]).is_empty(), "{rule}");
        let page = format!("docs/RUNBOOK.md#{}", name.to_lowercase());
        ensure!(text(&annotations["runbook_url"]) == page, "{rule}");
        let section = format!("\n## {name}\n");
        ensure!(runbook.contains(&section), "{name} is not in the runbook");
        let severity = text(&rule["labels"]["severity"]);
        ensure!(
            ["critical", "warning"].contains(&&*severity) && rule["duration"] != 0,
            "{rule}"
        );
        expressions.push(text(&rule["query"]));
    }
    let sections = runbook
        .lines()
        .filter(|line| line.starts_with("## "))
        .count();
    ensure!(
        sections == expressions.len(),
        "{sections} sections for {} alerts",
        expressions.len()
    );
    Ok(expressions)
}

/// What commands write for Prometheus.
async fn figures_of_commands(app: &App) -> Result<String> {
    let path = |name: &str| app.folder().join(name).display().to_string();
    let mut files = vec![path("verify.prom")];
    app.succeeds(&["verify", "--textfile", &files[0]]).await?;
    if app.embedded() {
        files.extend([path("backup.prom"), path("restore.prom")]);
        let (backup, restored) = (path("backup"), path("restored"));
        app.succeeds(&["backup", &backup, "--textfile", &files[1]])
            .await?;
        let to = ["--data-dir", &restored, "--textfile", &files[2]];
        app.succeeds(&[&["restore", &*backup][..], &to].concat())
            .await?;
    }
    let texts = files.iter().map(std::fs::read_to_string);
    Ok(texts.collect::<std::io::Result<String>>()?)
}

#[tokio::test]
async fn prometheus_finds_all_that_the_dashboard_and_the_alerts_ask_for() -> Result<()> {
    let app = App::setup()
        .setting("FEEDBACK_SENDERS", "demo=demo:?delay=10ms&failures=0")
        .start()
        .await?;
    let client = app.client().await?;
    use_all(&client).await?;
    let written = figures_of_commands(&app).await?;

    let documented = documented()?;
    let services = app.apis.iter().chain(&app.workers);
    let bases: Vec<_> = services.map(Service::base).collect();
    let is_shown = |name: &str| {
        !OF_OTHERS.contains(&name) && (app.embedded() || !EMBEDDED.contains(&base(name)))
    };
    // What is counted in the background comes a moment later.
    eventually(LATER, async || {
        let mut scraped = check_scrape(&written, &documented)?;
        for base in &bases {
            let answer = client.at(base.clone()).get("/metrics").await?.expect(200)?;
            scraped.extend(check_scrape(answer.text()?, &documented)?);
        }
        let missing: Vec<_> = documented
            .keys()
            .filter(|name| is_shown(name) && !scraped.contains(*name))
            .collect();
        ensure!(missing.is_empty(), "not scraped: {missing:?}");
        Ok(())
    })
    .await?;

    // As the node exporter shows the file.
    let exporter = TcpListener::bind("127.0.0.1:0").await?;
    let address = exporter.local_addr()?.to_string();
    let router = Router::new().route("/metrics", get(async || written));
    tokio::spawn(async { axum::serve(exporter, router).await });
    let addresses = [bases, vec![address]].concat();
    let prometheus = Prometheus::start(app.folder(), &addresses)?;
    eventually(LATER, async || {
        let up = prometheus.series("up == 1").await?;
        ensure!(up == addresses.len(), "only {up} are up");
        Ok(())
    })
    .await?;

    let alerts = check_rules(&prometheus).await?;
    let dashboard = read("deploy/grafana/dashboards/feedback.json")?;
    let dashboard: Value = serde_json::from_str(&dashboard)?;
    let mut panels = Vec::new();
    expressions(&dashboard["panels"], &mut panels);
    ensure!(panels.len() > 30, "{} expressions", panels.len());
    let known = prometheus.ask("label/__name__/values").await?;
    let known = known.as_array().context("no names")?;
    for expression in alerts.iter().chain(&panels) {
        prometheus.series(expression).await?;
        for name in names(expression).into_iter().filter(|name| is_shown(name)) {
            let is_known = known.iter().any(|known| known == name);
            ensure!(is_known, "{name} is in no scrape: {expression}");
        }
    }
    // Each panel shows something once there were two scrapes.
    for expression in &panels {
        if names(expression).into_iter().all(is_shown) {
            eventually(LATER, async || {
                let series = prometheus.series(expression).await?;
                ensure!(series > 0, "nothing to show: {expression}");
                Ok(())
            })
            .await?;
        }
    }
    Ok(())
}

#[tokio::test]
async fn the_alerts_fire_on_what_they_are_for() -> Result<()> {
    let folder = root().join("deploy/prometheus");
    for arguments in [
        ["check", "rules", "rules.yml"],
        ["test", "rules", "rules_test.yml"],
    ] {
        let promtool = Tool::installed("promtool").args(arguments);
        let printed = promtool.run_in(&folder, LATER).await?;
        ensure!(printed.contains("SUCCESS"), "{printed}");
    }
    // Each fires in one test at least, and stays silent in another.
    let (rules, tests) = (
        read("deploy/prometheus/rules.yml")?,
        read("deploy/prometheus/rules_test.yml")?,
    );
    for alert in rules
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- alert: "))
    {
        let cases = tests.matches(&format!("alertname: {alert}\n")).count();
        ensure!(cases >= 2, "{alert} has {cases} tests");
    }
    Ok(())
}
