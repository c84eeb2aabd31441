"""A choice of two or three names is shown, pressed and said like moves of its own."""

import pytest

from dicegames_client.play.keys import offer_keys
from dicegames_client.play.parse_move import NotUnderstood, parse_move, quoted_moves
from dicegames_client.play.picking import meant, spelled_out
from dicegames_protocol.table import Choice, Move, Offer

CHOICES = {"cash": Choice(worth=800, label="Cash out 800"), "hold": Choice(worth=0)}
DECIDE = Offer(label="Decide", needed=True, sealed=True, choice_kind="name", choices=CHOICES)
OFFERS = {"decide": DECIDE}


def test_each_name_has_a_key_and_a_label() -> None:
    shown = spelled_out(OFFERS)
    assert {name: offer.label for name, offer in shown.items()} == {"cash": "Cash out 800", "hold": "Decide hold (0)"}
    assert all(offer.needed for offer in shown.values())
    assert offer_keys(shown) == {"c": "cash", "h": "hold"}
    assert quoted_moves(OFFERS) == "'cash' or 'hold'"


def test_what_is_sent_is_the_offer_and_the_choice() -> None:
    assert meant(Move(take="cash"), OFFERS) == Move(take="decide", choice="cash")
    assert meant(Move(take="decide", choice="hold"), OFFERS) == Move(take="decide", choice="hold")
    assert meant(Move(take="roll"), OFFERS) == Move(take="roll")
    assert (
        parse_move("cash", OFFERS, None) == parse_move("decide cash", OFFERS, None) == meant(Move(take="cash"), OFFERS)
    )
    with pytest.raises(NotUnderstood, match="Type 'cash' or 'hold'"):
        parse_move("stay", OFFERS, None)


@pytest.mark.parametrize(
    "other",
    [
        DECIDE.but(choices={name: Choice(worth=0) for name in "abcd"}),
        DECIDE.but(choices={"cash": Choice(worth=0)}),
        DECIDE.but(choices={"full-house": Choice(worth=0), "yacht": Choice(worth=0)}),
        DECIDE.but(choices={"#1": Choice(worth=0, seat=1), "#2": Choice(worth=0, seat=1)}),
        DECIDE.but(choices={"one": Choice(worth=0, seat=1), "two": Choice(worth=0, seat=1)}),
        DECIDE.but(choices={"decide": Choice(worth=0), "hold": Choice(worth=0)}),
        DECIDE.but(choice_kind="faces", choices={"1": Choice(worth=0), "5": Choice(worth=0)}),
        DECIDE.but(enter=2),
        DECIDE.but(loses=True),
        Offer(label="Roll"),
        Offer(label="Bid", choice_kind="number", least=1, most=2),
    ],
)
def test_other_offers_stay_as_they_are(other: Offer) -> None:
    assert spelled_out({"decide": other}) == {"decide": other}
