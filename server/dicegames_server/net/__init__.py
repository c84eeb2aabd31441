"""Sockets and what belongs to them. On the server side, only this package imports websockets.

`listener.py` listens, `gate.py` decides which connections are accepted, `connection.py` is one websocket, `frames.py`
has the two shortcuts around the library, `socket_peer.py` is a connection as sessions and rooms see it, and `http.py`
is plain HTTP for the operator.
"""
