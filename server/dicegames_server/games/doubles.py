"""Doubles: everyone rolls for one pot. Cash out before the fourth seven."""

from collections.abc import Collection, Sequence

from dicegames_protocol.base import Event
from dicegames_protocol.games.doubles import (
    KEY,
    TITLE,
    CashedOut,
    Decided,
    Decision,
    DecisionsShown,
    DoublesOptions,
    DoublesSeat,
    DoublesState,
    Held,
    LastRoll,
    Rolled,
    RoundBegan,
    RoundOver,
    WindowClosed,
    WindowOpened,
)
from dicegames_protocol.table import Choice, Move, Offer
from dicegames_server.games.base import (
    MOST_POINTS,
    Act,
    Faces,
    Need,
    Rules,
    Step,
    after,
    in_order,
    leaders,
    turn_offer,
)

FIRST_DOUBLES = 100
"""Doubles on the first roll of a round make the pot this many times the face."""
SEVEN = 75
"""Points that a seven adds to the pot."""
LAST_SEVEN = 4
"""The number of the seven that burns the pot."""


class Doubles(Rules[DoublesOptions, DoublesState]):
    key, title, version = KEY, TITLE, "doubles-1"
    rolls = ("roll",)
    least = 1
    options_type = DoublesOptions

    def __init__(self, options: DoublesOptions) -> None:
        super().__init__(options)
        self.hides = options.sealed

    def summary(self) -> str:
        first, last = self.options.span
        dice = ", real dice" if self.options.dice == "entered" else ""
        many = f"{first} round{'s' if first > 1 else ''}" if first == last else f"{first} to {last} rounds"
        return many + (", sealed" if self.options.sealed else "") + dice

    def opening(self, starter: int | None) -> Need | None:
        first, last = self.options.span
        return Need(1, sides=last - first + 1, hidden=True) if last > first else None

    def start(self, seats: Sequence[int], starter: int | None, faces: Faces) -> Step[DoublesState]:
        begins = seats[0] if starter is None else starter
        state = DoublesState(
            round=0,
            pot=0,
            sevens=0,
            rolls=0,
            roll_no=1,
            roller=begins,
            starter=begins,
            inside=len(seats),
            seats={str(seat): DoublesSeat() for seat in seats},
        )
        return self._begin_round(state, begins, (), faces)

    def first(self, state: DoublesState) -> int:
        return state.roller

    def offers(self, state: DoublesState) -> dict[str, Offer]:
        if state.winners is not None:
            return {}
        offers: dict[str, Offer] = {}
        if self._is_sealed(state):
            return {"decide": self._decide_offer(state)}
        if state.rolls and (state.deciding or state.sevens < LAST_SEVEN - 1 or not self.options.sealed):
            offers["cash"] = Offer(label=f"Cash out {state.pot:,}", unless={"out": state.round})
        if state.deciding:
            undecided: dict[str, str | int] = {"out": state.round, "held": state.roll_no}
            offers["hold"] = Offer(label="Hold", unless=undecided, needed=True)
        else:
            offers["roll"] = turn_offer("Roll", state.roller)
        return offers

    def _is_sealed(self, state: DoublesState) -> bool:
        """Whether decisions are secret now. Somebody who is alone has nobody to hide them from."""
        return self.options.sealed and state.deciding is not None and state.deciding.of > 1

    def _decide_offer(self, state: DoublesState) -> Offer:
        choices = {
            "cash": Choice(worth=state.pot, label=f"Cash out {state.pot:,}"),
            "hold": Choice(worth=0, label="Hold"),
        }
        return Offer(
            label="Decide",
            unless={"out": state.round, "decided": state.roll_no},
            needed=True,
            choices=choices,
            choice_kind="name",
            sealed=True,
        )

    def turn(self, state: DoublesState) -> int | None:
        return None if state.deciding or state.winners is not None else state.roller

    def needs(self, state: DoublesState, act: Act) -> Need | None:
        return Need(2) if self._rolls(state, act) else None

    def _rolls(self, state: DoublesState, act: Act) -> bool:
        """Whether dice are rolled: on a roll, or when the decision window closes by time or by the last decision."""
        if act.move.take == "roll":
            return True
        if not state.deciding or self.options.dice == "entered":
            return False
        if act.seat is None:
            return True  # the time is up
        if act.move.take == "decide":
            assert state.deciding.decided is not None
            last = state.deciding.decided + 1 == state.deciding.of
            return last and "hold" in (act.move.choice, *(state.sealed or {}).values())
        undecided = state.deciding.of - state.deciding.holding
        if act.move.take == "hold":
            return undecided == 1
        return undecided == 1 and not self._holds(state, act.seat) and state.inside > 1

    def _holds(self, state: DoublesState, seat: int) -> bool:
        return state.deciding is not None and state.seats[str(seat)].held == state.roll_no

    def play(self, state: DoublesState, act: Act, faces: Faces, secret: Faces) -> Step[DoublesState]:
        step: Step[DoublesState] = Step(state)
        if act.move.take == "cash":
            assert act.seat is not None
            step = self._cash_out(state, act.seat, secret)
        elif act.move.take == "hold":
            assert act.seat is not None
            step = self._hold(state, act.seat)
        elif act.move.take == "decide":
            assert act.seat is not None
            step = self._decide(state, act.seat, act.move.choice or "hold", secret)
        elif act.move.take != "roll":
            step = self._show(state, secret) if self._is_sealed(state) else Step(state.but(deciding=None))
        closed = state.deciding and not step.state.deciding and step.state.round == state.round
        if closed and not faces and step.state.winners is None:
            return Step(step.state, (*step.events, WindowClosed(roller=step.state.roller)))
        if faces:
            rolled = self._roll(step.state, (faces[0], faces[1]), act.move.faces is not None, secret)
            return Step(rolled.state, step.events + rolled.events)
        return step

    def _cash_out(self, state: DoublesState, seat: int, secret: Faces) -> Step[DoublesState]:
        mine = state.seats[str(seat)]
        score = mine.score + state.pot
        inside = state.inside - 1
        held = self._holds(state, seat)
        cashed = CashedOut(seat=seat, points=state.pot, score=score)
        seats = {**state.seats, str(seat): mine.but(score=score, out=state.round, won=state.pot)}
        state = state.but(seats=seats, inside=inside)
        if not inside:
            return self._end_round(state, "all-out", (cashed,), secret)
        if state.roller == seat:
            state = state.but(roller=self._next_roller(state, seat))
        if state.deciding:
            state = self._decided(state, state.deciding.holding - held, state.deciding.of - 1)
        return Step(state, (cashed,))

    def _hold(self, state: DoublesState, seat: int) -> Step[DoublesState]:
        assert state.deciding
        holding, of = state.deciding.holding + 1, state.deciding.of
        seats = {**state.seats, str(seat): state.seats[str(seat)].but(held=state.roll_no)}
        state = self._decided(state.but(seats=seats), holding, of)
        return Step(state, (Held(seat=seat, holding=holding, of=of),))

    def _decide(self, state: DoublesState, seat: int, choice: str, secret: Faces) -> Step[DoublesState]:
        """A decision in secret. The last one closes the window, and shows all of them."""
        assert state.deciding and state.deciding.decided is not None
        decided, of = state.deciding.decided + 1, state.deciding.of
        state = state.but(
            seats={**state.seats, str(seat): state.seats[str(seat)].but(decided=state.roll_no)},
            sealed={**(state.sealed or {}), str(seat): choice},
            deciding=state.deciding.but(decided=decided),
        )
        told = Decided(seat=seat, decided=decided, of=of)
        if decided < of:
            return Step(state, (told,))
        shown = self._show(state, secret)
        return Step(shown.state, (told, *shown.events))

    def _show(self, state: DoublesState, secret: Faces) -> Step[DoublesState]:
        """A sealed window closes: everybody who wanted to cash out gets the same pot, and all others hold."""
        sealed = state.sealed or {}
        inside = [seat for seat in in_order(state) if state.seats[str(seat)].out != state.round]
        cashed = [seat for seat in inside if sealed.get(str(seat)) == "cash"]
        held = [seat for seat in inside if sealed.get(str(seat)) != "cash"]
        events: tuple[Event, ...] = (DecisionsShown(cashed=tuple(cashed), held=tuple(held)),)
        seats = dict(state.seats)
        for seat in cashed:
            mine = seats[str(seat)]
            score = mine.score + state.pot
            seats[str(seat)] = mine.but(score=score, out=state.round, won=state.pot)
            events += (CashedOut(seat=seat, points=state.pot, score=score),)
        state = state.but(seats=seats if cashed else state.seats, inside=len(held), deciding=None, sealed=None)
        if not held:
            return self._end_round(state, "all-out", events, secret)
        if state.roller in cashed:
            state = state.but(roller=self._next_roller(state, state.roller))
        return Step(state, events)

    def _decided(self, state: DoublesState, holding: int, of: int) -> DoublesState:
        return state.but(deciding=Decision(holding=holding, of=of) if holding < of else None)

    def _roll(self, state: DoublesState, faces: tuple[int, int], entered: bool, secret: Faces) -> Step[DoublesState]:
        one, two = faces
        sevens = state.sevens + (one + two == 7)
        rolled = Rolled(seat=state.roller, faces=faces, sevens=sevens, pot=state.pot, entered=entered)
        if sevens == LAST_SEVEN:
            pot, rolled = 0, rolled.but(special="bust")
        elif one + two == 7:
            pot, rolled = state.pot + SEVEN, rolled.but(special="seven")
        elif one == two and not state.rolls:
            pot, rolled = FIRST_DOUBLES * one, rolled.but(special="first-doubles")
        elif one == two:
            pot, rolled = state.pot * 2, rolled.but(special="doubles")
        else:
            pot = state.pot + one + two
        pot = min(pot, MOST_POINTS)
        state = state.but(
            pot=pot,
            sevens=sevens,
            rolls=state.rolls + 1,
            roll_no=state.roll_no + 1,
            deciding=None,
            last=LastRoll(seat=state.roller, faces=faces, before=state.pot, entered=entered),
        )
        events: tuple[Event, ...] = (rolled.but(pot=pot),)
        if sevens == LAST_SEVEN:
            return self._end_round(state, "bust", events, secret)
        state = state.but(roller=self._next_roller(state, state.roller))
        if sevens == LAST_SEVEN - 1 and self.options.window:
            secretly = self.options.sealed and state.inside > 1
            state = state.but(deciding=Decision(holding=0, of=state.inside, decided=0 if secretly else None))
            told = WindowOpened(ms=self.options.window * 1000, roller=state.roller, sealed=secretly or None)
            events += (told,)
        return Step(state, events)

    def _next_roller(self, state: DoublesState, seat: int) -> int:
        """The next seat that is still in the round. If only one is left, it goes on alone."""
        return next(s for s in after(in_order(state), seat) if state.seats[str(s)].out != state.round)

    def _end_round(self, state: DoublesState, why: str, events: tuple[Event, ...], secret: Faces) -> Step[DoublesState]:
        over = RoundOver.model_validate({"round": state.round, "why": why})
        events += (over,)
        if state.round == state.rounds:
            return Step(state.but(winners=leaders(self.scores(state)), deciding=None), events)
        order = in_order(state)
        last_roller = state.last.seat if state.last else state.roller
        rotate = self.options.next_round == "rotate"
        begins = after(order, state.starter if rotate else last_roller)[0]
        return self._begin_round(state, begins, events, secret)

    def _begin_round(
        self, state: DoublesState, begins: int, events: tuple[Event, ...], secret: Faces
    ) -> Step[DoublesState]:
        """Starts the next round. Where the number of rounds is hidden, it is shown when the last round begins."""
        first, last = self.options.span
        end = first - 1 + secret[0] if secret else last
        number = state.round + 1
        shown = end if number == end or not secret else None
        state = state.but(
            round=number,
            rounds=shown,
            pot=0,
            sevens=0,
            rolls=0,
            roller=begins,
            starter=begins,
            inside=len(state.seats),
            deciding=None,
        )
        return Step(state, (*events, RoundBegan(round=number, roller=begins, last=number == end)))

    def seen(self, state: DoublesState, seat: int | None) -> DoublesState:
        if state.sealed is None:
            return state
        mine = state.sealed.get(str(seat))
        return state.but(sealed={str(seat): mine} if mine else None)

    def sees_anew(self, before: DoublesState, after: DoublesState) -> Collection[int]:
        old, new = before.sealed or {}, after.sealed or {}
        return [int(seat) for seat in old.keys() | new.keys() if old.get(seat) != new.get(seat)]

    def opens(self, before: DoublesState, after: DoublesState) -> bool:
        return before.deciding is not None and after.sealed is None

    def not_now(self, state: DoublesState, seat: int) -> str:
        decided = self._is_sealed(state) and state.seats[str(seat)].decided == state.roll_no
        return "You have decided, and a sealed decision can't be changed." if decided else ""

    def timer(self, state: DoublesState) -> int | None:
        return self.options.window * 1000 if state.deciding else None

    def span(self, state: DoublesState) -> int:
        return state.round

    def basis(self, state: DoublesState) -> tuple[int, int]:
        return state.round, state.roll_no

    def too_late(self, state: DoublesState) -> str:
        pot = state.last.before if state.last else 0
        return f"Too late: the dice were already rolling. The pot was {pot:,}."

    def scores(self, state: DoublesState) -> dict[int, int]:
        return {int(seat): entry.score for seat, entry in state.seats.items()}

    def explain(self) -> tuple[str, ...]:
        first, last = self.options.span
        length = (
            f"{first:,} round{'s are' if first > 1 else ' is'} played."
            if first == last
            else f"Between {first:,} and {last:,} rounds are played; nobody knows how many until the last one begins."
        )
        window = (
            f"After the third seven everybody has {self.options.window} seconds before each roll to cash out or hold."
            if self.options.window
            else "There is no pause after the third seven: the roller just rolls."
        )
        return (
            "Everybody rolls two dice in turn, into one pot. The sum of the dice is added to it.",
            f"Doubles on the first roll of a round make the pot {FIRST_DOUBLES} times the face; later ones double it. "
            f"It grows up to {MOST_POINTS:,}.",
            f"A seven adds {SEVEN}, and the fourth seven burns the pot: whoever is still in gets nothing.",
            "From the first roll on, anybody may cash out between two rolls: you get what the pot is worth, it stays "
            "as it is for the others, and you are out until the next round.",
            window,
            *self._explain_sealed(),
            f"{length} The most points win.",
        )

    def _explain_sealed(self) -> tuple[str, ...]:
        if not self.options.sealed:
            return ()
        return (
            "What you decide there is sealed: nobody sees it until all have decided or the time is up, and it can't be "
            "changed. Whoever has not decided by then holds. Then all decisions are shown at once, and everybody who "
            "cashed out gets the same pot. Somebody who is alone in the round decides openly.",
        )

    def notable(self, event: Event) -> tuple[int, str, int] | None:
        return (event.seat, "best pot", event.points) if isinstance(event, CashedOut) else None

    def mild(self, state: DoublesState, seat: int) -> Move:
        if self._is_sealed(state):
            return Move(take="decide", choice="hold")
        return Move(take="hold" if state.deciding else "roll")


RULES = Doubles
