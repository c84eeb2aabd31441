"""Settings of servers in end-to-end tests."""

from typing import Any

from dicegames_server.settings import Settings


def quick(**settings: Any) -> Settings:
    """A server on the loopback interface, with fast bots and without limits that would slow a robot down."""
    quickly = {
        "host": "127.0.0.1",
        "port": 0,
        "data": "memory",
        "admin": "",
        "interfaces": "127.0.0.1",
        "bot_seconds": 0,
        "messages_per_second": 1e6,
        "message_burst": 10**6,
        "connections_per_address": 0,
        "rooms_per_address": 0,
        "new_rooms_per_minute": 0,
        "failed_joins_per_minute": 0,
        "bots_per_address": 0,
        "page_requests_per_minute": 0,
    }
    return Settings(**{**quickly, **settings})
