"""All settings of a server. Order of precedence: flag, environment (DICEGAMES_*), TOML file, default."""

import ipaddress
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from dicegames_protocol.text import CHAT_LENGTH, NAME_COLUMNS, did_you_mean

PREFIX = "DICEGAMES_"
"""How environment variables begin that are settings."""
CERTIFICATE_FILE = "tls.pem"
"""Name of the file with the key and certificate of `--tls self`, in the data folder."""


class SettingsError(ValueError):
    """Settings that can't be used. str() is a sentence for the operator."""


def _split(value: object) -> object:
    """Split a list that is written with commas, as in the environment. Other values stay as they are."""
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


Listed = Annotated[tuple[str, ...], BeforeValidator(_split)]


class Settings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, validate_default=True)

    # Where the server listens, and how clients find it.
    host: str = Field("", description="address to listen on; 127.0.0.1 is this machine only; empty is all addresses")
    port: int = Field(8765, ge=0, le=65535, description="port to listen on; 0 picks a free one")
    admin: str = Field("127.0.0.1:8766", description="address:port for /healthz, /metrics and /status; empty is none")
    announce: bool = Field(False, description="let clients on the local network find this server by themselves")
    interfaces: Listed = Field((), description="addresses to announce on; empty is wherever it listens")
    web: bool = Field(True, description="the table in the browser, at this port: http://HOST:PORT/ and /ROOM")
    page: bool = Field(True, description="without the table in the browser: a page that says how to join")
    tls: Literal["", "self"] = Field("", description="'self' makes a certificate, whose fingerprint clients pin")
    tls_cert: str = Field("", description="certificate file (PEM, with its chain)")
    tls_key: str = Field("", description="the key of the certificate (PEM), if it is not in the same file")
    ssh: int = Field(0, ge=0, le=65535, description="port for players who come with ssh; 0 is none")
    public_name: str = Field(
        "", description="name or address by which people reach this server, for the lines that they are shown"
    )
    log: Literal["text", "json"] = Field("text", description="log lines for people, or JSON for machines")

    # What the server keeps, and for how long.
    data: str = Field(
        "",
        description="folder for the rooms; 'memory' keeps nothing; postgresql://… is shared; empty is the usual folder",
    )
    lease_seconds: float = Field(
        6, ge=1, le=3600, description="on PostgreSQL: after so long without a sign of life, a node's rooms are free"
    )
    node_url: str = Field(
        "", description="on PostgreSQL: where clients reach this very node, such as wss://dice.example.org/n/1"
    )
    node_folder: str = Field("", description="on PostgreSQL: folder for this node's token; empty is the platform's")
    log_days: float = Field(30, ge=0, description="days for which the log of an ended room is kept")
    seat_seconds: float = Field(15 * 60, gt=0, description="how long the seat of an absent player is held")
    waiting_seat_seconds: float = Field(60, gt=0, description="the same in a waiting room, before the game begins")
    lobby_idle_seconds: float = Field(10 * 60, gt=0, description="how long a room waits for its game when nobody acts")
    empty_seconds: float = Field(30 * 60, gt=0, description="how long a room without anybody is kept")
    leaderboard: bool = Field(True, description="whether everybody may see who has won most, and who plays best")
    leaderboard_one_address: bool = Field(
        False, description="whether games between players of one address count there, as at a school"
    )
    review_seconds: float = Field(
        10, ge=0, description="most seconds of work for accuracy and luck of a finished game; 0 = they are not told"
    )

    # Who may connect, and how many.
    max_connections: int = Field(10_000, ge=1, description="connections at the same time")
    max_rooms: int = Field(10_000, ge=1, description="rooms at the same time")
    max_seats: int = Field(1000, ge=2, le=100_000, description="most seats that a host may ask for")
    default_seats: int = Field(8, ge=2, description="seats of a room whose host says nothing")
    connections_per_address: int = Field(20, ge=0, description="connections of one address (or IPv6 /64); 0 = no limit")
    rooms_per_address: int = Field(20, ge=0, description="open rooms made from one address; 0 = no limit")
    new_rooms_per_minute: int = Field(20, ge=0, description="rooms opened from one address; 0 = no limit")
    bots_per_address: int = Field(
        200, ge=0, description="bots in the rooms made from one address, and new ones per minute; 0 = no limit"
    )
    failed_joins_per_minute: int = Field(
        10, ge=0, description="wrong codes, passwords and tokens of one address; 0 = no limit"
    )
    page_requests_per_minute: int = Field(
        3000, ge=0, description="pages and files that one address may load; 0 = no limit; the table needs about 30"
    )
    trusted_proxies: Listed = Field((), description="addresses or networks whose X-Forwarded-For is believed")
    origins: Listed = Field((), description="web pages that may connect, such as https://dice.example.org")

    # How much each connection may send, and how long it may be silent.
    frame_bytes: int = Field(8 * 1024, ge=1024, le=2**20, description="largest message from a client")
    queue_frames: int = Field(16, ge=1, description="messages of a connection that wait to be looked at")
    messages_per_second: float = Field(10, gt=0, description="messages that a connection may send, in the long run")
    message_burst: int = Field(20, ge=1, description="messages that a connection may send at once")
    chat_per_second: float = Field(1, gt=0, description="chat lines of a connection, in the long run")
    chat_burst: int = Field(5, ge=1, description="chat lines of a connection at once")
    chat_length: int = Field(CHAT_LENGTH, ge=1, le=2000, description="characters of a chat line")
    name_columns: int = Field(NAME_COLUMNS, ge=1, le=NAME_COLUMNS, description="columns of a name")
    handshake_seconds: float = Field(5, gt=0, description="time to open a connection (TLS and HTTP)")
    greeting_seconds: float = Field(5, gt=0, description="time to say hello")
    ping_seconds: float = Field(10, gt=0, description="between two signs of life that are asked for")
    ping_timeout_seconds: float = Field(10, gt=0, description="without an answer, a connection is dead after so long")
    close_seconds: float = Field(1, gt=0, description="how long a goodbye may take")
    heartbeat_seconds: float = Field(10, gt=0, description="between two checks that all see the same table")
    player_buffer: int = Field(256 * 1024, ge=4096, description="unsent bytes at which a player is cut off")
    spectator_buffer: int = Field(64 * 1024, ge=4096, description="unsent bytes at which a spectator is cut off")
    kernel_buffer: int = Field(
        64 * 1024, ge=0, le=2**30, description="unsent bytes that the kernel holds besides; 0 = its own choice"
    )

    # Players over ssh.
    ssh_sessions: int = Field(500, ge=1, le=10_000, description="players over ssh at the same time")
    ssh_logins_per_minute: int = Field(60, ge=0, description="logins over ssh that one address begins; 0 = no limit")
    ssh_login_seconds: float = Field(120, gt=0, description="time to log in over ssh; people may be asked meanwhile")
    ssh_idle_seconds: float = Field(3600, ge=0, description="how long a player over ssh may type nothing; 0 = no limit")

    # At the table.
    bot_seconds: float = Field(1.0, ge=0, description="how long a bot thinks: half to twice of it")
    bot_talk: bool = Field(True, description="bots say something now and then")
    kick_seconds: float = Field(15 * 60, ge=0, description="how long somebody whom the host removed stays outside")
    grace_seconds: float = Field(20, ge=0, description="how long an absent player's turn waits before a bot sits in")

    @field_validator("*", mode="before")
    @classmethod
    def _no_switch_for_a_number(cls, value: object, info: ValidationInfo) -> object:
        """`ssh = true` would be port 1."""
        if isinstance(value, bool) and cls.model_fields[info.field_name or ""].annotation is not bool:
            raise ValueError("it is not true or false")
        return value

    @field_validator("trusted_proxies")
    @classmethod
    def _networks(cls, listed: tuple[str, ...]) -> tuple[str, ...]:
        for network in listed:
            if ipaddress.ip_network(network, strict=False).prefixlen == 0:
                raise ValueError("the whole world is no proxy")
        return listed

    @field_validator("interfaces")
    @classmethod
    def _addresses(cls, listed: tuple[str, ...]) -> tuple[str, ...]:
        for address in listed:
            ipaddress.ip_address(address)
        return listed

    @field_validator("origins")
    @classmethod
    def _web_pages(cls, listed: tuple[str, ...]) -> tuple[str, ...]:
        for origin in listed:
            if not re.fullmatch(r"https?://[^/\s]+", origin):
                raise ValueError(f"'{origin}' is not like https://dice.example.org")
        return listed

    @field_validator("public_name")
    @classmethod
    def _host_name(cls, typed: str) -> str:
        if typed and not re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9.:-]{0,252}[A-Za-z0-9])?", typed):
            raise ValueError("it is like dice.example.org, without a port")
        return typed

    @field_validator("node_url")
    @classmethod
    def _address_of_node(cls, typed: str) -> str:
        if typed and not re.fullmatch(r"wss?://([\w.-]+|\[[0-9a-fA-F:]+\])(:[1-9]\d{0,4})?(/[^?#\s]*)?", typed):
            raise ValueError("it looks like wss://dice.example.org/n/1")
        if typed and not 0 < (urlsplit(typed).port or 80) < 65536:
            raise ValueError("there is no such port")
        return typed.rstrip("/")

    @field_validator("data")
    @classmethod
    def _place(cls, typed: str) -> str:
        if re.match(r"postgres(ql)?:|[\w+.-]+://", typed) and not re.match(r"postgres(ql)?://", typed):
            raise ValueError("it is a folder, or a PostgreSQL, like postgresql://user@host/database")
        return typed

    @field_validator("admin")
    @classmethod
    def _host_and_port(cls, typed: str) -> str:
        if typed and split_address(typed) is None:
            raise ValueError("it looks like 127.0.0.1:8766")
        return typed


def split_address(typed: str) -> tuple[str, int] | None:
    """Host and port of `127.0.0.1:8766` or `[::1]:8766`. None where it is not such an address."""
    host, colon, port = typed.rpartition(":")
    bracketed = host.startswith("[") and host.endswith("]")
    plain = host[1:-1] if bracketed else host
    if (":" in plain) != bracketed:
        return None
    return (plain, int(port)) if colon and plain and port.isdecimal() and int(port) < 65536 else None


def _variable(name: str) -> str:
    """The environment variable for a setting."""
    return f"{PREFIX}{name.upper()}"


def unknown_variables() -> list[str]:
    """A sentence for each environment variable that begins like a setting but names none, sorted."""
    settings = set(map(_variable, Settings.model_fields))
    unknown = sorted(key for key in os.environ if key.upper().startswith(PREFIX) and key not in settings)
    return [f"{key} is no setting and does nothing.{_meant(key[len(PREFIX) :])}" for key in unknown]


def _meant(name: str) -> str:
    """A question about the part of a variable's name that differs."""
    return did_you_mean(name, map(str.upper, Settings.model_fields)).replace("'", f"'{PREFIX}", 1)


def load(flags: Mapping[str, Any], config: Path | None = None) -> Settings:
    """The settings from flags, environment and the file `config`. Raises SettingsError."""
    given = {**(_from_file(config) if config else {}), **_from_environment(), **flags}
    try:
        return Settings.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            meant = did_you_mean(name, Settings.model_fields)
            raise SettingsError(f"There is no setting called '{name}'.{meant}") from None
        why = first["msg"].removeprefix("Value error, ")
        raise SettingsError(f"The setting '{name}' can't be used: {why[:1].lower()}{why[1:]}.") from None


MOST_CONFIG = 1_000_000
"""Most characters of a settings file."""


def _from_file(config: Path) -> dict[str, Any]:
    try:
        with config.open(encoding="utf-8") as file:
            text = file.read(MOST_CONFIG + 1)
        if len(text) > MOST_CONFIG:
            raise SettingsError(f"The settings file {config} has more than {MOST_CONFIG:,} characters.")
        return tomllib.loads(text)
    except OSError as error:
        raise SettingsError(f"Can't read the settings file {config}: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"The settings file {config} is not TOML: {error}.") from None


def _from_environment() -> dict[str, str]:
    return {name: os.environ[_variable(name)] for name in Settings.model_fields if _variable(name) in os.environ}
