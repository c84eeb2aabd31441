"""Whole evenings in one process: real server, real clients; clock, network and disk come from one seed."""
