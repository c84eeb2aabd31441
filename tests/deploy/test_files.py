"""The files in deploy/ agree with the code and with each other: paths, commands, ports, users, settings and metrics."""

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from dicegames_server.app.command_line import parse as parse_server
from dicegames_server.lobby.nodes.cluster import Cluster
from dicegames_server.net.tls.certificate import certificate_for
from dicegames_server.ops.admin import Admin
from dicegames_server.ops.node_probe import is_ready
from dicegames_server.ops.status import Status
from dicegames_server.settings import Settings, load
from support.hall import Hall
from support.settings import quick
from support.shared import NodeStorage, SharedMemory

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
DEFAULTS = {name: field.default for name, field in Settings.model_fields.items()}


def read(name: str) -> str:
    return (DEPLOY / name).read_text(encoding="utf-8")


def instructions(keyword: str) -> list[str]:
    """The lines of the Dockerfile that begin with a keyword, continued lines joined."""
    whole = read("Dockerfile").replace("\\\n", " ")
    return [line.removeprefix(keyword).strip() for line in whole.splitlines() if line.startswith(f"{keyword} ")]


def environment() -> dict[str, str]:
    return dict(re.findall(r"(\w+)=(\S+)", " ".join(instructions("ENV"))))


def settings_of(environment: dict[str, str]) -> dict[str, str]:
    """The variables that are settings; each must exist."""
    named = {key.removeprefix("DICEGAMES_").lower(): value for key, value in environment.items() if "DICEGAMES" in key}
    assert set(named) <= set(DEFAULTS), set(named) - set(DEFAULTS)
    return named


def test_the_image_is_built_from_what_is_there() -> None:
    copied = [source for line in instructions("COPY") if "--from" not in line for source in line.split()[:-1]]
    assert copied
    assert all((ROOT / source).exists() for source in copied)
    ignored = read("Dockerfile.dockerignore")
    assert {line[1:] for line in ignored.splitlines() if line.startswith("!")} == set(copied)
    (version,) = set(re.findall(r"FROM python:3\.(\d+)-slim", read("Dockerfile")))
    assert int(version) >= int(PROJECT["requires-python"].removeprefix(">=3."))
    (extras,) = re.findall(r"\.\[([\w,]+)\]", read("Dockerfile"))
    assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"])
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert {path.split("/")[0] for path in packages["packages"]} <= set(copied)


def test_the_image_runs_our_command_as_a_user_of_its_own() -> None:
    (entry,), (user,) = instructions("ENTRYPOINT"), instructions("USER")
    assert json.loads(entry)[0] in PROJECT["scripts"]
    assert re.search(rf"useradd .*\b{user}\b", read("Dockerfile"))
    assert user != "root"
    (check,) = instructions("HEALTHCHECK")
    command = json.loads(check[check.index("CMD ") + 4 :])
    assert command[0] in PROJECT["scripts"]
    assert parse_server(command[1:]).command == "status"


def test_the_ports_and_folders_of_the_image_are_the_servers() -> None:
    named = settings_of(environment())
    assert [named["port"]] == instructions("EXPOSE") == [str(DEFAULTS["port"])]
    assert [named["data"]] == instructions("VOLUME")
    assert named["admin"] == DEFAULTS["admin"]
    assert f"-m 0700 {named['data']}" in read("Dockerfile")


def test_compose_puts_caddy_before_the_server() -> None:
    whole = yaml.safe_load(read("compose.yaml"))
    server, caddy = whole["services"]["dicegames"], whole["services"]["caddy"]
    build = server["build"]
    assert (DEPLOY / build["context"]).resolve() == ROOT
    assert (ROOT / build["dockerfile"]) == DEPLOY / "Dockerfile"
    assert caddy["environment"]["DICE_SERVER"] == f"dicegames:{DEFAULTS['port']}"
    assert set(re.findall(r"\{\$(\w+):", read("Caddyfile"))) == set(caddy["environment"])
    (subnet,) = [part["subnet"] for part in whole["networks"]["inside"]["ipam"]["config"]]
    assert load(settings_of(server["environment"])).trusted_proxies == (subnet,)
    mounted = [volume.split(":") for service in (server, caddy) for volume in service["volumes"]]
    for source, target, *_ in mounted:
        assert (DEPLOY / source).exists() if source.startswith(".") else source in whole["volumes"], target
    assert ["data", environment()["DICEGAMES_DATA"]] in mounted
    assert "ports" not in server  # nobody gets past the proxy
    assert server["read_only"] and server["cap_drop"] == ["ALL"]


def unit(name: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in read(name).splitlines():
        if "=" in line and not line.startswith("#"):
            key, _, value = line.partition("=")
            found.setdefault(key, []).append(value)
    return found


def test_the_unit_starts_our_command_with_our_settings() -> None:
    service = unit("dicegames.service")
    program, *arguments = service["ExecStart"][0].split()
    assert Path(program).name in PROJECT["scripts"]
    parsed = parse_server(arguments)
    assert str(parsed.config) in read("dicegames.toml").splitlines()[0]
    settings = load({}, DEPLOY / "dicegames.toml")
    assert settings.data == f"/var/lib/{service['StateDirectory'][0]}"
    assert settings.host in settings.trusted_proxies
    assert f":{settings.port}" in read("Caddyfile")


def test_the_unit_is_locked_in() -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("there is no systemd-analyze here: install systemd to run this test")
    command = [analyze, "security", "--offline=true", str(DEPLOY / "dicegames.service")]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"exposure level for dicegames.service: ([\d.]+)", answer.stdout)
    if found is None:
        pytest.skip(f"this systemd-analyze can't look at files: {answer.stderr.strip()[:200]}")
    print(f"  exposure {found[1]} (under 3)")
    assert float(found[1]) < 3


def test_backups_are_made_of_the_servers_data() -> None:
    script, data, target = unit("dicegames-backup.service")["ExecStart"][0].split()
    assert (DEPLOY / Path(script).name).stat().st_mode & 0o111
    assert data == load({}, DEPLOY / "dicegames.toml").data
    assert target.startswith("/var/backups/")
    assert unit("dicegames-backup.timer")["OnCalendar"] == ["daily"]


async def test_dashboard_and_scraper_know_only_what_there_is(tmp_path: Path) -> None:
    hall = Hall()
    hall.environment.metrics.cuts["rate"] += 1
    hall.environment.metrics.refused("stale")
    status = Status(hall.environment, hall.lobby, "1")
    storage = NodeStorage(SharedMemory(hall.clock), "")
    status.cluster = Cluster(hall.environment, hall.lobby, storage, status.of_node, is_ready)
    status.certificate = certificate_for(quick(tls="self"), tmp_path)
    admin = Admin(hall.environment.metrics, status, "", lambda seconds: None)
    there = set(re.findall(r"^(dicegames_\w+)", admin.answer("GET", "/metrics", "").text, re.MULTILINE))
    board = json.loads(read("grafana.json"))
    asked = set(re.findall(r"dicegames_\w+", " ".join(t["expr"] for p in board["panels"] for t in p["targets"])))
    assert asked <= there
    families = {re.sub(r"_(bucket|count|sum)$", "", name) for name in there}
    assert families <= {re.sub(r"_bucket$", "", name) for name in asked}, "a metric that nobody looks at"
    rules = [rule for group in yaml.safe_load(read("alerts.yml"))["groups"] for rule in group["rules"]]
    watched = set(re.findall(r"dicegames_\w+", " ".join(rule["expr"] for rule in rules)))
    assert watched <= there, watched - there
    assert yaml.safe_load(read("prometheus.yml"))["rule_files"] == ["alerts.yml"]
    page = (ROOT / "docs" / "hosting" / "operating-nodes.md").read_text(encoding="utf-8")
    assert {rule["alert"] for rule in rules} == set(re.findall(r"^\| `(Dicegames\w+)` \|", page, re.MULTILINE))
    (job,) = yaml.safe_load(read("prometheus.yml"))["scrape_configs"]
    assert job["static_configs"][0]["targets"] == [DEFAULTS["admin"]]


def test_every_file_is_explained() -> None:
    explained = read("README.md")
    for path in DEPLOY.iterdir():
        if path.name not in ("README.md", "Dockerfile.dockerignore"):
            assert f"`{path.name}`" in explained


def test_the_backup_is_sandboxed_like_the_server() -> None:
    """It differs where it has to: it is root, reads the files of another user, and needs no network."""

    def section(name: str) -> set[str]:
        text = read(name).partition("[Service]")[2].partition("[Install]")[0]
        return {line for line in text.splitlines() if line and not line.startswith("#")}

    own = {"CapabilityBoundingSet", "RestrictAddressFamilies", "PrivateUsers"}
    server = read("dicegames.service").partition("# Everything else")[2].partition("[Install]")[0].splitlines()[1:]
    sandbox = {line for line in server if line and line.partition("=")[0] not in own}
    backup = section("dicegames-backup.service")
    assert len(sandbox) > 20
    assert sandbox <= backup
    assert {"CapabilityBoundingSet=CAP_DAC_OVERRIDE", "PrivateNetwork=yes"} <= backup


def test_the_image_installs_only_what_is_locked_with_hashes() -> None:
    locked = set(re.findall(r"^([\w.-]+)==.*\\\n    --hash=sha256:", read("constraints.txt"), re.MULTILINE))
    wanted = [*PROJECT["dependencies"]]
    (extras,) = re.findall(r"\.\[([\w,]+)\]", read("Dockerfile"))
    for extra in extras.split(","):
        wanted += PROJECT["optional-dependencies"][extra]
    names = {re.split(r"[\[<>=;]", line)[0].lower().replace("_", "-") for line in [*wanted, "hatchling"]}
    assert names <= locked, names - locked
    for line in re.findall(r"^[\w.-]+==.*$", read("constraints.txt"), re.MULTILINE):
        assert line.endswith("\\"), f"{line} has no hash"
    (run,) = [line for line in instructions("RUN") if "pip install" in line]
    installs = run.split("pip install")[1:]
    assert "--require-hashes -r deploy/constraints.txt" in installs[0]
    assert "--no-deps" in installs[1] and "--no-build-isolation" in installs[1]


def test_caddy_does_not_wait_for_a_health_check() -> None:
    compose = yaml.safe_load(read("compose.yaml"))
    assert compose["services"]["caddy"]["depends_on"]["dicegames"]["condition"] == "service_started"
