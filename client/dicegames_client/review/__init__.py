"""How well everybody played, as text and as lines of a screen. Pure; the review itself comes from the rules."""
