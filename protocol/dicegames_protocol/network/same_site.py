"""Where a server of several nodes may send people: clients go by it, and servers look early whether it fits."""


def same_site(joined: str, sent_to: str) -> bool:
    """Whether whoever has joined at one host may be sent to the other: it is the same, or a name below it."""
    joined, sent_to = joined.lower(), sent_to.lower()
    return sent_to == joined or sent_to.endswith(f".{joined}")
