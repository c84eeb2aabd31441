"""Opens, finds and hands over rooms: sessions (one per connection), limits by address, and the other nodes."""
