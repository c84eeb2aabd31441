"""Encryption: the certificate, and the handshake before a websocket."""
