"""Line mode: one sentence per line, for pipes and screen readers, and one message per line for scripts."""
