"""The command line, and the code that runs each command."""
