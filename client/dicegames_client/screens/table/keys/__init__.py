"""What keys at the table lead to: in the game, around it, and for those who watch."""
