"""What holds for every game, tested for all games of the registry."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicegames_protocol import patch
from dicegames_protocol.games import keys, types_of
from dicegames_protocol.options import DiceOptions, OptionError
from dicegames_protocol.table import Move, Offer
from dicegames_server.core.errors import Refused
from dicegames_server.games import rules_of
from dicegames_server.games.base import Act, Faces, Need, Rules
from dicegames_server.games.match import TIMER_ACT, Match
from support.throwaway import GAMES as THROWAWAY
from support.throwaway import throwaway_games
from throwaway.rules.yacht import Yacht
from throwaway.types.yacht import YachtOptions

GAMES = [*keys(), *THROWAWAY]
MOST_MOVES = 20_000
PLAYOUTS = 600
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "doubles": [
        {},
        {"rounds": "2-4"},
        {"window": 0, "rounds": 3},
        {"rounds": 3, "next_round": "rotate"},
        {"rounds": 3, "sealed": True},
    ],
    "sevens": [{}, {"rounds": 1}],
    "farkle": [
        {"target": 2000},
        {"preset": "boxed", "target": 1500},
        {"preset": "zilch", "target": 2000},
        {"preset": "kcd"},
        {"target": 1000, "three_farkles": 500, "minimum": 200},
        {"target": 1000, "values": {"2": 20}, "table": "set-value"},
    ],
    "double-or-nothing": [{}, {"target": 50, "start": 3, "best_of": 5}, {"first": "2"}],
    "yacht": [{"rounds": 3}],
}


@pytest.fixture(autouse=True, scope="module")
def more_games() -> Iterator[None]:
    """What holds for every game must also hold for games that the product does not know."""
    with throwaway_games():
        yield


def rules_for(key: str, variant: int = 0, **more: Any) -> Rules[Any, Any]:
    kind = rules_of(key)
    assert kind
    variants = VARIANTS.get(key, [{}])
    return kind(kind.options_type.read({**variants[variant % len(variants)], **more}))


def roll(rng: random.Random, need: Need | None) -> Faces:
    return tuple(rng.randint(1, need.sides) for _ in range(need.count)) if need else ()


def begin(rules: Rules[Any, Any], rng: random.Random) -> Match:
    many = rng.randint(rules.least, rules.most or 5)
    seats = sorted(rng.sample(range(8), many))
    starter = rng.choice([None, rng.choice(seats)])
    return Match.start(rules, seats, starter, roll(rng, rules.opening(starter)))[0]


def seats_of(match: Match) -> list[int]:
    return [int(seat) for seat in match.state.seats]


def fill_in(rng: random.Random, match: Match, seat: int, take: str) -> Move:
    move = Move(take=take, choice=rng.choice(_choices(match.may(seat)[take]))[0])
    need = match.needs(Act(seat, move))
    return move.but(faces=roll(rng, need)) if need and match.rules.real_dice else move


def one_move(rng: random.Random, match: Match) -> Match:
    if match.rules.timer(match.state) is not None and rng.random() < 0.2:
        return match.play(TIMER_ACT, roll(rng, match.needs(TIMER_ACT)))[0]
    able = [seat for seat in seats_of(match) if match.waits_for(seat)]
    assert able, f"the game is not over, but waits for nobody: {match.state}"
    everyone = [seat for seat in seats_of(match) if match.may(seat)]
    seat = rng.choice(able if rng.random() < 0.8 else everyone)
    take = rng.choice([key for key in sorted(match.may(seat)) if key != "correct" or rng.random() < 0.1] or ["correct"])
    act = match.check(seat, fill_in(rng, match, seat, take))
    return match.play(act, act.move.faces or roll(rng, match.needs(act)))[0]


def someplace(key: str, seed: int, **more: Any) -> tuple[Match, random.Random]:
    """A match in the middle of a random game."""
    rng = random.Random(seed)
    match = begin(rules_for(key, seed, **more), rng)
    for _ in range(rng.randint(0, 40)):
        if match.winners is not None:
            break
        match = one_move(rng, match)
    return match, rng


@pytest.mark.parametrize("key", GAMES)
def test_the_file_name_is_the_key(key: str) -> None:
    types, rules = types_of(key), rules_of(key)
    assert types and rules
    assert types.key == rules.key == key
    assert types.options is rules.options_type


@pytest.mark.parametrize("key", GAMES)
def test_client_and_rules_agree_on_whether_there_are_points(key: str) -> None:
    match, _ = someplace(key, 1)
    types = types_of(key)
    assert types and types.points == bool(match.rules.points(match.state))


@pytest.mark.parametrize("key", GAMES)
def test_random_playouts_end(key: str) -> None:
    for seed in range(PLAYOUTS if key in keys() else PLAYOUTS // 10):
        rng = random.Random(seed)
        match = begin(rules_for(key, seed), rng)
        for _ in range(MOST_MOVES):
            if match.winners is not None:
                break
            match = one_move(rng, match)
        assert match.winners
        assert set(match.winners) <= set(seats_of(match))
        assert not match.offers


@pytest.mark.parametrize("key", GAMES)
@given(seed=st.integers(0, 10**6))
def test_every_offer_is_accepted(key: str, seed: int) -> None:
    match, rng = someplace(key, seed)
    for seat in seats_of(match):
        for take, offer in match.may(seat).items():
            for choice, _ in _choices(offer):
                act = match.check(seat, Move(take=take, choice=choice))
                after, events = match.play(act, roll(rng, match.needs(act)))
                assert events
                assert after != match


@pytest.mark.parametrize("key", GAMES)
@given(seed=st.integers(0, 10**6), data=st.data())
def test_every_non_offer_is_refused(key: str, seed: int, data: st.DataObject) -> None:
    match, _ = someplace(key, seed)
    before = patch.dump(match.state)
    words = ["roll", "cash", "hold", "keep", "bank", "add", "double", "correct", "time-up", "", "kick"]
    take = data.draw(st.sampled_from(words))
    choice = data.draw(st.sampled_from([None, "", "1", "11", "22", "115", "123456", "9", "x"]))
    faces = data.draw(st.sampled_from([None, (), (1,), (1, 2), (7, 1), (0, 1), (1, 2, 3, 4, 5, 6)]))
    move = Move(take=take, choice=choice, faces=faces)
    for seat in [*seats_of(match), 77]:
        offer = match.may(seat).get(take)
        if offer and faces is None and offer.admits(choice):
            continue
        with pytest.raises(Refused) as refused:
            match.check(seat, move)
        assert refused.value.message.endswith((".", "…"))
        assert refused.value.code in ("illegal_move", "not_your_turn")
    assert patch.dump(match.state) == before


@pytest.mark.parametrize("key", GAMES)
@given(seed=st.integers(0, 10**6))
def test_state_survives_json(key: str, seed: int) -> None:
    match, _ = someplace(key, seed)
    types = types_of(key)
    assert types
    text = types.state.model_validate(patch.dump(match.state)).model_dump_json(exclude_none=True)
    again: Any = types.state.model_validate_json(text)
    assert again == match.state


@pytest.mark.parametrize("key", GAMES)
@given(seed=st.integers(0, 10**6))
def test_patches_lead_from_state_to_state(key: str, seed: int) -> None:
    match, rng = someplace(key, seed)
    if match.winners is not None:
        return
    after = one_move(rng, match)
    before_public = {"game": match.state, "offers": match.offers}
    after_public = {"game": after.state, "offers": after.offers}
    old, new = patch.dump(before_public), patch.dump(after_public)
    assert patch.changes(before_public, after_public) == patch.diff(old, new)
    assert patch.apply(old, patch.diff(old, new)) == new


@pytest.mark.parametrize("key", GAMES)
@given(seed=st.integers(0, 10**6))
def test_same_input_same_output(key: str, seed: int) -> None:
    first, second = someplace(key, seed)[0], someplace(key, seed)[0]
    assert first.state == second.state
    assert first.offers == second.offers


@pytest.mark.parametrize("key", GAMES)
@given(seed=st.integers(0, 10**6))
def test_the_mild_move_is_always_legal(key: str, seed: int) -> None:
    match, _ = someplace(key, seed)
    for seat in seats_of(match):
        if match.waits_for(seat):
            match.check(seat, match.rules.mild(match.seen_by(seat).state, seat), by="clock")


with throwaway_games():
    WITH_DICE = [key for key in GAMES if issubclass(rules_for(key).options_type, DiceOptions)]


@pytest.mark.parametrize("key", WITH_DICE)
@given(seed=st.integers(0, 10**6))
def test_real_dice_say_how_many_and_can_be_corrected(key: str, seed: int) -> None:
    match, rng = someplace(key, seed, dice="entered")
    for seat in seats_of(match):
        for take, offer in match.may(seat).items():
            for choice, filled in _choices(offer):
                act = Act(seat, Move(take=take, choice=choice))
                need = match.needs(act)
                told = offer.enter if offer.enter else filled
                assert (need.count if need else None) == told
                if need:
                    faces = roll(rng, need)
                    with pytest.raises(Refused):
                        match.check(seat, Move(take=take, choice=choice, faces=(*faces, 1)))
                    with pytest.raises(Refused):
                        match.check(seat, Move(take=take, choice=choice, faces=(9, *faces[1:])))
                    wrong, _ = match.play(match.check(seat, Move(take=take, choice=choice, faces=faces)), faces)
                    again = roll(rng, need)
                    last = choice if take == "correct" else list(wrong.may(seat)["correct"].choices or {})[-1]
                    act = wrong.check(seat, Move(take="correct", choice=last, faces=again))
                    put_right, _ = wrong.play(act, again)
                    at_once, _ = match.play(match.check(seat, Move(take=take, choice=choice, faces=again)), again)
                    if take != "correct":
                        assert put_right.state == at_once.state


def _choices(offer: Offer) -> list[tuple[str | None, int | None]]:
    """Every legal choice, and how many dice it rolls. For numbers: both ends and some between."""
    if offer.asks == "number":
        low, high = offer.least or 0, offer.most or 0
        return [(str(number), None) for number in sorted({low, (low + high) // 2, high})]
    if offer.choices is None:
        return [(None, None)]
    return [(key, choice.rolls) for key, choice in offer.choices.items()]


@pytest.mark.parametrize("key", GAMES)
@given(seed=st.integers(0, 10**6))
def test_what_a_seat_sees_is_the_public_state_and_its_own_part(key: str, seed: int) -> None:
    match, _ = someplace(key, seed)
    shown = match.seen_by(None)
    assert shown.seen_by(None).state == shown.state
    assert match.rules.hides or shown is match
    for seat in seats_of(match):
        mine = match.seen_by(seat)
        public, own = ({"game": side.state, "offers": side.offers} for side in (shown, mine))
        assert patch.apply(patch.dump(public), patch.changes(public, own)) == patch.dump(own)
        assert mine.may(seat) == match.may(seat), "a seat is offered what it may take"
        assert mine.waits_for(seat) == shown.waits_for(seat), "everybody knows for whom the game waits"


def test_a_game_that_hides_something_takes_no_typed_dice() -> None:
    """Everybody would see what is typed."""

    class Peeking(Yacht):
        hides = True

    assert not Peeking(YachtOptions()).real_dice
    with pytest.raises(OptionError, match="can't be played with real dice"):
        Peeking(YachtOptions(dice="entered"))


@pytest.mark.parametrize("key", GAMES)
def test_an_offer_that_is_said_to_roll_always_rolls(key: str) -> None:
    """A client shows its link with such a move: a link must not be known before dice are decided."""
    rng = random.Random(key)
    for variant in range(3):
        rules = rules_for(key, variant)
        match = begin(rules, rng)
        for _ in range(150):
            seats = [seat for seat in seats_of(match) if match.may(seat)]
            if not seats:
                break
            seat = rng.choice(seats)
            for take in set(rules.rolls) & match.may(seat).keys():
                assert all(
                    match.needs(Act(seat, Move(take=take, choice=choice)))
                    for choice, *_ in _choices(match.may(seat)[take])
                )
            act = match.check(seat, fill_in(rng, match, seat, rng.choice(sorted(match.may(seat)))))
            match, _ = match.play(act, roll(rng, match.needs(act)))


@pytest.mark.parametrize("key", GAMES)
def test_the_faces_in_an_event_are_the_dice_that_were_drawn(key: str) -> None:
    """A client has no rules: it compares the dice that an event tells with the dice that all have drawn."""
    rng = random.Random(key)
    told = 0
    for variant in range(3):
        match = begin(rules_for(key, variant), rng)
        for _ in range(150):
            seats = [seat for seat in seats_of(match) if match.may(seat)]
            if not seats:
                break
            seat = rng.choice(seats)
            act = match.check(seat, fill_in(rng, match, seat, rng.choice(sorted(match.may(seat)))))
            need = match.needs(act)
            faces = roll(rng, need)
            match, events = match.play(act, faces)
            for event in events:
                if (shown := getattr(event, "faces", None)) is not None:
                    assert tuple(shown) == faces and need and not need.hidden
                    told += 1
    assert told or key not in ("doubles", "sevens", "farkle")
