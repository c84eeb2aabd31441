"""How the client gets to a table: which server, which room, under which name, and what friends have to type."""
