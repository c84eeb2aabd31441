"""Stand-ins and helpers for tests: a clock and dice that the test controls, and a table without sockets."""
