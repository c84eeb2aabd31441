"""Network code that client and server share: announcements, interfaces, fingerprints, and which hosts are one site."""
