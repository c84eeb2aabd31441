"""What server and client say to each other, as types. Start with client_messages and server_messages."""
