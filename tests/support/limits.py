"""The limits of a server, for tests that make a `welcome` of their own."""

from dicegames_protocol.messages.server import Limits

LIMITS = Limits(
    frame_bytes=8192,
    messages_per_second=10,
    message_burst=20,
    chat_per_second=1,
    chat_burst=5,
    chat_length=300,
    name_columns=16,
    seats=8,
    seat_seconds=900,
)
