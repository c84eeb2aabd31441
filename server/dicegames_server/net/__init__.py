"""Sockets: the only importer of websockets on the server's side.

`server.py` listens, `gate.py` says who is listened to, `connection.py` is one websocket, `frames.py` are the two
shortcuts around the library, `socket_link.py` is what sessions and rooms see of a connection, `pages.py` is plain HTTP
for whoever runs the server.
"""

from dicegames_server.net.http import serve_pages
from dicegames_server.net.listener import Server
from dicegames_server.net.socket_peer import broadcast_links

__all__ = ["Server", "broadcast_links", "serve_pages"]
