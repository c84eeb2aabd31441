"""The door for those who have nothing but ssh: who is let in, and one terminal for each. The rest is the client's."""
