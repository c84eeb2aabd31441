"""The state of a room, and what commands make of it. Pure functions.

`state.py` has the state. `commands.py` decides what a command does to it. `deal.py` starts a game, `play.py` makes its
moves. `replay.py` works a log out again from its causes, and `audit.py` compares the two.
"""
