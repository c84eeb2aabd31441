"""Stand-ins and shortcuts for tests: clock and dice that do as they are told, and a table without sockets."""
