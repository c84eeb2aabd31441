"""For the operator of the server: status, metrics, logs, and the commands that query a running server."""
