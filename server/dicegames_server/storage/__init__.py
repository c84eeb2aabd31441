"""Where the streams of rooms are kept."""
