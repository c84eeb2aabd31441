"""Fair dice: what an honest server proves, and what a cheating one can't do unnoticed."""
