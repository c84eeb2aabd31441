"""What the client remembers on this machine, in the folder for state."""
