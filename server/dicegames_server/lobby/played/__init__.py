"""Games that were played: reviewed after their end, rated, and told to whoever asks."""
