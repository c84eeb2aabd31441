"""The feed: read back, followed again, filled in from the past, and searched."""

from dicegames_client.base.glyphs import ASCII
from dicegames_client.widgets.feed import Feed, FeedLine
from dicegames_client.widgets.lines import text_of


def feed_of(count: int) -> Feed:
    feed = Feed()
    feed.add(*(f"line {number}" for number in range(1, count + 1)))
    shown(feed)
    return feed


def shown(feed: Feed, height: int = 6, width: int = 30) -> list[str]:
    return [text_of(line) for line in feed.lines(width, height)]


def numbers(lines: list[str]) -> list[int]:
    return [int(line.rpartition(" ")[2]) for line in lines if "newer" not in line]


def test_a_page_back_and_forth() -> None:
    feed = feed_of(20)
    assert numbers(shown(feed)) == [15, 16, 17, 18, 19, 20]
    assert feed.press("pageup")
    assert shown(feed)[-1] == "▼ 4 newer  (End)"
    assert numbers(shown(feed)) == [12, 13, 14, 15, 16]
    feed.press("pagedown")
    assert numbers(shown(feed)) == [15, 16, 17, 18, 19, 20] and not feed.newer
    assert feed.press("pagedown") and not feed.newer


def test_the_oldest_page_is_full_and_nothing_is_skipped_on_the_way() -> None:
    feed = feed_of(23)
    seen: set[int] = set(numbers(shown(feed)))
    for _ in range(10):
        feed.press("pageup")
        seen |= set(numbers(shown(feed)))
    assert seen == set(range(1, 24))
    assert numbers(shown(feed)) == [1, 2, 3, 4, 5]
    for _ in range(10):
        feed.press("pagedown")
    assert not feed.newer


def test_it_stays_where_the_reader_is_while_lines_come() -> None:
    feed = feed_of(20)
    feed.press("pageup")
    before = numbers(shown(feed))
    feed.add(*(f"line {number}" for number in range(21, 29)))
    assert numbers(shown(feed)) == before
    assert shown(feed)[-1] == "▼ 12 newer  (End)"


def test_it_stays_there_even_when_old_lines_are_forgotten() -> None:
    feed = feed_of(500)
    feed.press("pageup")
    before = numbers(shown(feed))
    feed.add(*(f"line {number}" for number in range(501, 701)))
    assert numbers(shown(feed)) == before
    feed.add(*(f"line {number}" for number in range(701, 1301)))
    assert numbers(shown(feed))[0] >= 801 and feed.newer


def test_end_and_escape_follow_again_and_else_mean_something_else() -> None:
    for key in ("end", "escape"):
        feed = feed_of(20)
        assert not feed.press(key)
        feed.press("pageup")
        assert feed.press(key) and not feed.newer
    assert not Feed().press("pageup")  # it is not on the screen


def test_a_short_feed_does_not_scroll() -> None:
    feed = feed_of(3)
    feed.press("pageup")
    assert numbers(shown(feed)) == [1, 2, 3] and not feed.newer


def test_in_ascii_and_small() -> None:
    feed = feed_of(20)
    feed.press("pageup")
    assert text_of(feed.lines(30, 6, ASCII)[-1]) == "v 4 newer  (End)"
    for height in range(4):
        assert len(feed.lines(10, height)) == height


def test_an_entry_that_is_taller_than_the_feed_can_be_passed() -> None:
    feed = feed_of(5)
    feed.add("word " * 60)
    feed.add("line 7")
    feed.lines(20, 5)
    for _ in range(4):
        feed.press("pageup")
        feed.lines(20, 5)
    assert "line 1" in shown(feed, 5, 20)[0]


def test_what_was_before_goes_to_its_place() -> None:
    feed = feed_of(0)
    place = feed.place
    feed.add("line 3", "line 4")
    feed.insert(place, [FeedLine("*", "line 1"), FeedLine("*", "line 2")])
    assert numbers(shown(feed)) == [1, 2, 3, 4]
    feed = feed_of(450)
    feed.press("pageup")
    before = numbers(shown(feed))
    feed.insert(0, [FeedLine("*", f"line {-number}") for number in range(200, 0, -1)])
    assert len(feed.entries) == 500 and feed.entries[0].text == "line -50"
    assert numbers(shown(feed)) == before
    gone = feed_of(600)
    gone.insert(50, [FeedLine("*", "too old")])
    assert not gone.found("too old")


def test_it_is_searched_in_whatever_case() -> None:
    feed = Feed()
    feed.add("bo banks 300", "FARKLE! ana loses 50", "ana banks 50")
    assert [entry.text for entry in feed.found("farkle")] == ["FARKLE! ana loses 50"]
    assert [entry.text for entry in feed.found("ANA")] == ["FARKLE! ana loses 50", "ana banks 50"]
    assert len(feed.found("")) == 3 and not feed.found("cy")
