"""Pages over the table: rules, odds, the feed, and a typed roll that is corrected."""
