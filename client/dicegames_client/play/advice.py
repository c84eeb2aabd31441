"""Rules and odds, as the server tells them, in sentences."""

from fractions import Fraction
from math import gcd

from dicegames_client.play.wording import Wording
from dicegames_protocol.messages.server import Chance, Odds, RulesPage
from dicegames_protocol.text import strip


def tell_rules(page: RulesPage) -> list[str]:
    """The rules of the room, a paragraph or a line of the table of points each."""
    points = [f"{strip(row.what)}: {strip(row.points)}." for row in page.table]
    return [f"Rules: {strip(page.title)}", *(strip(paragraph) for paragraph in page.text), *points]


def tell_odds(odds: Odds, wording: Wording) -> list[str]:
    """The chances, one each."""
    if not odds.chances:
        return [strip(odds.note or "There are no odds now.")]
    chances = [f"{strip(chance.what)}: {share(chance):.1%}, {fraction(chance)}." for chance in odds.chances]
    return [f"Chances {whose(odds.seat, wording)}".rstrip() + ":", *chances]


def whose(seat: int | None, wording: Wording) -> str:
    if seat is None:
        return ""
    return "for you" if seat == wording.me else f"of {wording.store.name(seat)}"


def share(chance: Chance) -> float:
    return chance.good / chance.of if chance.of else 0.0


def fraction(chance: Chance) -> str:
    """The chance in words, in lowest terms."""
    common = gcd(chance.good, chance.of) or 1
    if chance.good in (0, chance.of):
        return "certain" if chance.good else "impossible"
    if chance.of // common > 50_000:
        near = Fraction(chance.good, chance.of).limit_denominator(20)
        return f"about {near.numerator} in {near.denominator}" if near else "hardly ever"
    return f"{chance.good // common:,} in {chance.of // common:,}"
