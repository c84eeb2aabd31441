"""The server: it owns every room and decides every move. Start with rules.py, match.py and room.py."""
