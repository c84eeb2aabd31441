"""What is shown at the table, and how news changes it."""
