"""How the table looks: pure functions from a scene and a few more facts to lines."""
