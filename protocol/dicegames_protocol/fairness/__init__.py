"""Dice that nobody can choose and nobody can know in advance. docs/fair-dice.md explains the scheme.

The same code rolls the dice on the server, checks them while a client plays, and checks a log afterwards.
"""
