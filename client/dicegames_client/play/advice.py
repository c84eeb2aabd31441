"""Rules and odds, as the server tells them, in sentences."""

from fractions import Fraction
from math import gcd

from dicegames_client.play.room_wording import name_of, unusual, word
from dicegames_client.play.wording import Wording
from dicegames_protocol.messages.server import Chance, Odds, RulesPage
from dicegames_protocol.table import RoomInfo
from dicegames_protocol.text import strip


def tell_rules(page: RulesPage, info: RoomInfo) -> list[str]:
    """The rules of the room: a paragraph, a combination that scores, or an option that is not the usual one each."""
    points = [f"{strip(row.what)}: {strip(row.points)}." for row in page.table]
    about = {entry.name: strip(entry.about) for entry in page.options}
    options = [f"{name_of(key)} {word(value)}: {about.get(key, '')}." for key, value in unusual(info).items()]
    limit = [f"turn limit {info.turn_limit} s: then the server moves for you."] if info.turn_limit else []
    return [
        f"Rules: {strip(page.title)}.",
        *(strip(paragraph) for paragraph in page.text),
        *(["Points:"] if points else []),
        *points,
        "Options of this table:" if options or limit else "The options of this table are the usual ones.",
        *(strip(line) for line in options),
        *limit,
    ]


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
