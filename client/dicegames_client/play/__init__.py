"""What people type and read at a table: words, keys, commands, moves. Pure functions, without a terminal."""
