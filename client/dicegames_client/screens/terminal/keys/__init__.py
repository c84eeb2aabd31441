"""From what a terminal sends to keys: parsed, told from pasted text, and bound."""
