"""Checks a log: every update is worked out again, and compared with what this machine has seen. Pure."""
