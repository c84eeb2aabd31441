"""What keys and typed lines at the table lead to. Pure functions and small values."""
