"""The server: it owns every room and decides every move. Read games/base.py, games/match.py and room/room.py first."""
