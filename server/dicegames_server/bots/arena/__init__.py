"""The arena: bots play against each other, without a server, and are counted."""
