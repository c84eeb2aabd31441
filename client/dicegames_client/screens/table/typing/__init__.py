"""The typing line at the table: talk and commands, what a move still needs, and what is wrong with it."""
