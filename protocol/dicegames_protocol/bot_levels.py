"""The levels of the server's bots. This is a module of its own, so that `--help` does not load the messages."""

LEVELS = ("easy", "steady", "expert")
"""From weakest to strongest: careless, solid, and mathematically as good as possible."""
DEFAULT_LEVEL = "steady"
