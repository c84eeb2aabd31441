"""The messages: what clients send (`client.py`) and what the server sends (`server.py`)."""
