"""The connection to a server, without a terminal: it reconnects by itself and knows the state of the table.

Bots and scripts build on it. `dicegames_client` itself exports what they need.
"""
