"""The feed after a rejoin: what happened before is read from the log, in its place."""

from dicegames_client.screens.table.stage.past import MOST_UPDATES, Past
from dicegames_protocol.codec import decode_update
from dicegames_protocol.messages.client import FetchLog
from dicegames_protocol.messages.server import Log
from support.hall import Hall
from support.sitting import Sitting, begin, catch_up, sit_down


async def past_of(sitting: Sitting, upto: int) -> Past:
    """The log, read as far as what is shown."""
    page = await sitting.peer.expect(Log, FetchLog(id="log", room=sitting.store.room or ""))
    past = Past(sitting.store.tokens)
    for line in page.lines[:upto]:
        past.read(decode_update(line.encode()))
    return past


def feed(sitting: Sitting) -> list[str]:
    return [entry.text for entry in sitting.table.stage.feed.entries]


async def test_who_comes_back_reads_the_same_story() -> None:
    hall = Hall((4, 4), (5, 6))
    ana, bo = await sit_down(hall, "doubles", "ana", "bo", options={"window": 0})
    await begin([ana, bo])
    await ana.press("r")
    catch_up(ana, bo)
    told = [text for text in feed(bo) if "rolls" in text or "begins" in text]
    again = Sitting(hall, bo.peer)
    assert again.table.stage.gaps.wanted and not any("4-4" in text for text in feed(again))
    await ana.press("u")  # something that nobody hears
    past = await past_of(again, again.store.seq)
    again.table.stage.take_past(past)
    assert [text for text in feed(again) if "rolls" in text or "begins" in text] == told
    assert feed(again)[-1].startswith("At the table: ")  # and how it stands now comes last
    assert again.table.stage.recap.whole and not again.table.stage.gaps.wanted


async def test_news_come_after_what_is_told_late() -> None:
    hall = Hall((4, 4), (5, 6), (1, 2))
    ana, bo = await sit_down(hall, "doubles", "ana", "bo", options={"window": 0})
    await begin([ana, bo])
    await ana.press("r")
    catch_up(bo)
    again = Sitting(hall, bo.peer)
    await again.press("r")
    past = await past_of(again, again.store.seq)
    again.table.stage.take_past(past)
    rolls = [text for text in feed(again) if "roll" in text and "-" in text]
    assert [text.split()[2] for text in rolls] == ["4-4", "5-6,"]


async def test_a_new_table_and_a_very_long_game_are_not_read() -> None:
    hall = Hall()
    ana, bo = await sit_down(hall, "doubles", "ana", "bo")
    assert not ana.table.stage.gaps.wanted
    gaps = ana.table.stage.gaps
    long = bo.store.__class__(seq=MOST_UPDATES + 1, table={**bo.store.table, "room": {"phase": "playing"}})
    gaps.note(0, 0, long)
    assert not gaps.wanted
