"""The review of a game that is over: how well everybody played, and what was luck."""
