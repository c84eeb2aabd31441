"""Assembles and runs the server, and prints the protocol for clients in other languages."""
