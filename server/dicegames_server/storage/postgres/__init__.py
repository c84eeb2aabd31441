"""The store that several nodes share, in PostgreSQL."""
