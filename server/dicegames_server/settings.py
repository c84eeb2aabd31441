"""Everything about a server that can be set: flag, then environment (DICEGAMES_*), then TOML file, then default."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)


class SettingsError(ValueError):
    """Settings that can't be used; str() is a sentence."""


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="DICEGAMES_", frozen=True, extra="forbid")

    host: str = Field("0.0.0.0", description="address to listen on; 127.0.0.1 is this machine only")
    port: int = Field(8765, ge=0, le=65535, description="port to listen on; 0 picks a free one")
    log: Literal["text", "json"] = Field("text", description="log lines for people, or JSON for machines")

    data: str = Field("", description="folder for the rooms; 'memory' keeps nothing; empty is the platform's folder")

    log_days: float = Field(30, ge=0, description="days for which the log of an ended room is kept")

    max_rooms: int = Field(10_000, ge=1, description="rooms at the same time")
    max_seats: int = Field(1000, ge=2, le=100_000, description="most seats that a host may ask for")
    default_seats: int = Field(8, ge=2, description="seats of a room whose host says nothing")

    leaderboard: bool = Field(True, description="whether everybody may see who has won most")

    connections_per_address: int = Field(20, ge=0, description="connections of one address (or IPv6 /64); 0 = no limit")
    failed_joins_per_minute: int = Field(
        10, ge=0, description="wrong codes, passwords and tokens of one address; 0 = no limit"
    )

    origins: tuple[str, ...] = Field((), description="web pages that may connect, such as https://dice.example.org")

    frame_bytes: int = Field(8 * 1024, ge=1024, description="largest message from a client")
    messages_per_second: float = Field(10, gt=0, description="messages that a connection may send, in the long run")
    message_burst: int = Field(20, ge=1, description="messages that a connection may send at once")
    chat_per_second: float = Field(1, gt=0, description="chat lines of a connection, in the long run")
    chat_burst: int = Field(5, ge=1, description="chat lines of a connection at once")
    greeting_seconds: float = Field(5, gt=0, description="time to say hello")
    heartbeat_seconds: float = Field(10, gt=0, description="between two signs of life")
    player_buffer: int = Field(256 * 1024, ge=4096, description="unsent bytes at which a player is cut off")
    spectator_buffer: int = Field(64 * 1024, ge=4096, description="unsent bytes at which a spectator is cut off")

    bot_seconds: float = Field(1.0, ge=0, description="how long a bot thinks: half to twice of it")
    bot_talk: bool = Field(True, description="bots say something now and then")
    grace_seconds: float = Field(20, ge=0, description="how long an absent player's turn waits before a bot sits in")
    seat_seconds: float = Field(15 * 60, gt=0, description="how long the seat of an absent player is held")
    lobby_idle_seconds: float = Field(10 * 60, gt=0, description="how long a room waits for its game when nobody acts")
    empty_seconds: float = Field(30 * 60, gt=0, description="how long a room without anybody is kept")


def load(flags: Mapping[str, Any], config: Path | None = None) -> Settings:
    """The settings in force, or SettingsError."""
    if config is not None:
        try:
            tomllib.loads(config.read_text(encoding="utf-8"))
        except OSError as error:
            raise SettingsError(f"Can't read the settings file {config}: {error.strerror}.") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise SettingsError(f"The settings file {config} is not TOML: {error}.") from None

    class Configured(Settings):
        @classmethod
        def settings_customise_sources(
            cls,
            settings_cls: type[BaseSettings],
            init_settings: PydanticBaseSettingsSource,
            env_settings: PydanticBaseSettingsSource,
            dotenv_settings: PydanticBaseSettingsSource,
            file_secret_settings: PydanticBaseSettingsSource,
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            files = (TomlConfigSettingsSource(settings_cls, toml_file=config),) if config else ()
            return (init_settings, env_settings, *files)

    try:
        return Configured(**flags)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            raise SettingsError(f"There is no setting called '{name}'.") from None
        raise SettingsError(f"The setting '{name}' can't be used: {first['msg'].lower()}.") from None
