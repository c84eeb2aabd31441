"""Small parts that know nothing about rooms and games: clock, room codes, rate limits, metrics, peers."""
