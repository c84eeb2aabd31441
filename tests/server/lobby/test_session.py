"""A connection: hello, limits, invalid messages, and moving between rooms."""

from dicegames_protocol.messages.client import Chat, Create, Hello, Join, Leave, ListRooms, Ping, Watch
from dicegames_protocol.messages.server import Ack, Error, Joined, Pong, Rooms, Welcome
from dicegames_server.lobby.lobby import SWEEP_SECONDS
from support.hall import Hall, Peer


async def test_hello_and_welcome() -> None:
    hall = Hall()
    peer = Peer(hall)
    welcome = await peer.expect(Welcome, Hello(protocol=(1, 4), client="test"))
    assert welcome.protocol == 3
    assert welcome.limits.frame_bytes == 8192
    assert await peer.expect(Pong, Ping(id="1"))


async def test_no_common_version_says_who_has_to_update() -> None:
    hall = Hall()
    new, old = Peer(hall), Peer(hall)
    error = await new.ask(Hello(protocol=(4, 5), client="test"))
    assert isinstance(error, Error)
    assert error.code == "unsupported_version"
    assert error.message == "This server is too old (protocol 3, you need 4). Ask the host to update dicegames."
    assert new.link.closed and new.link.closed[0] == 4001
    error = await old.ask(Hello(protocol=(0, 0), client="test"))
    assert isinstance(error, Error)
    assert error.message == "Your dicegames is too old (protocol 0, the server needs 3). Update it and try again."


async def test_a_hello_that_can_not_be_read_any_more_is_of_an_older_version() -> None:
    """It has fields that this version does not know. What helps is an update, not a list of fields."""
    peer = Peer(Hall())
    await peer.tell('{"type":"hello","protocol":[1,1],"client":"old","player_key":"' + "a" * 64 + '"}')
    error = peer.seen[-1]
    assert isinstance(error, Error) and error.code == "unsupported_version"
    assert error.message == "Your dicegames is too old (protocol 1, the server needs 3). Update it and try again."
    for odd in ("[3,3]", "[]", '"x"', "[1]", "[true,false]", "{}"):  # of this version, or of none
        peer = Peer(Hall())
        await peer.tell(f'{{"type":"hello","protocol":{odd},"client":5}}')
        error = peer.seen[-1]
        assert isinstance(error, Error) and error.code == "bad_message"


async def test_nothing_before_hello() -> None:
    hall = Hall()
    peer = Peer(hall)
    assert (await peer.refused(Ping(id="1"))).message == "Say hello first."
    assert peer.link.closed and peer.link.closed[0] == 4002


async def test_a_greeting_within_five_seconds() -> None:
    hall = Hall()
    silent, polite = Peer(hall), Peer(hall)
    await polite.expect(Welcome, Hello(protocol=(3, 3), client="test"))
    hall.clock.advance(5)
    assert silent.link.closed and silent.link.closed[0] == 4002
    assert polite.link.closed is None


async def test_nonsense_is_answered_and_in_the_end_shown_out() -> None:
    hall = Hall()
    peer = await hall.peer()
    for _ in range(19):
        await peer.tell("nonsense")
    assert peer.link.closed is None
    assert all(isinstance(message, Error) for message in peer.seen[1:])
    assert await peer.expect(Pong, Ping(id="1"))  # patience comes back
    for _ in range(20):
        await peer.tell("nonsense")
    assert peer.link.closed and peer.link.closed[0] == 4002


async def test_too_many_messages_are_refused_one_by_one() -> None:
    hall = Hall(messages_per_second=10, message_burst=20)
    peer = await hall.peer()
    answers = [await peer.ask(Ping(id=str(number))) for number in range(30)]
    assert [answer.type for answer in answers] == ["pong"] * 20 + ["error"] * 10
    hall.clock.advance(0.5)
    assert [(await peer.ask(Ping(id=f"x{number}"))).type for number in range(6)] == ["pong"] * 5 + ["error"]


async def test_a_flood_is_cut_off() -> None:
    hall = Hall(messages_per_second=10, message_burst=20)
    peer = await hall.peer()
    for number in range(60):
        await peer.tell(Ping(id=str(number)))
    assert peer.link.closed and peer.link.closed[0] == 4008


async def test_chat_has_its_own_limit() -> None:
    hall = Hall()
    peer = await hall.peer()
    await peer.create("doubles")
    answers = [await peer.ask(Chat(id=str(number), text="hi")) for number in range(7)]
    assert [answer.type for answer in answers] == ["ack"] * 5 + ["error"] * 2


async def test_a_large_message_is_refused() -> None:
    hall = Hall(frame_bytes=1024)
    peer = await hall.peer()
    await peer.tell(Chat(id="1", text="x" * 1500))
    assert isinstance(peer.seen[-1], Error)
    assert peer.seen[-1].code == "too_large"


async def test_only_public_rooms_are_listed() -> None:
    hall = Hall()
    ana, bo, cy = [await hall.peer() for _ in range(3)]
    room = (await ana.create("doubles")).room
    await bo.create("farkle", "bo", public=False)
    rooms = (await cy.expect(Rooms, ListRooms(id="1"))).rooms
    assert [(entry.code, entry.seated, entry.capacity, entry.host) for entry in rooms] == [(room, 1, 8, "ana")]


async def test_codes_are_read_as_people_type_them() -> None:
    hall = Hall()
    ana, bo = [await hall.peer() for _ in range(2)]
    room = (await ana.create("doubles")).room
    await bo.join(f" {room.lower()[:2]} {room.lower()[2:]} ", "bo")


async def test_a_private_room_answers_a_wrong_password_like_a_wrong_code() -> None:
    hall = Hall()
    ana = await hall.peer()
    room = (await ana.create("doubles", public=False, password="dice")).room
    bo = await hall.peer()
    missing = room.translate(str.maketrans(room, room[::-1])) if room != room[::-1] else "XXXX"
    absent = await bo.refused(Join(id="1", room=missing, name="bo"))
    without = await bo.refused(Join(id="2", room=room, name="bo"))
    wrong = await bo.refused(Watch(id="3", room=room, password="eyes"))
    assert {error.code for error in (absent, without, wrong)} == {"no_such_room"}
    assert without.message == wrong.message == f"No room {room} here. Check the code with the host."
    assert absent.message.replace(missing, room) == without.message
    await bo.join(room, "bo", password="dice")


async def test_a_listed_room_says_that_it_has_a_password() -> None:
    hall = Hall()
    ana, bo = [await hall.peer() for _ in range(2)]
    room = (await ana.create("doubles", password="dice")).room
    assert (await bo.refused(Join(id="1", room=room, name="bo"))).message == "This room has a password."
    assert (await bo.refused(Join(id="2", room=room, name="bo", password="x"))).code == "wrong_password"


async def test_one_room_at_a_time_for_players_while_spectators_wander() -> None:
    hall = Hall()
    ana, bo, cy = [await hall.peer() for _ in range(3)]
    one = (await ana.create("doubles")).room
    two = (await bo.create("farkle", "bo")).room
    error = await ana.refused(Join(id="1", room=two, name="ana"))
    assert error.message == "You have a seat in another room. Leave it first."
    error = await ana.refused(Create(id="2", game="sevens", name="ana"))
    assert error.message == "Leave your room before you open another."
    await cy.watch(one)
    await cy.watch(two)
    assert hall.room(ana).watching == 0
    assert hall.room(bo).watching == 1
    await ana.expect(Ack, Leave(id="3"))
    assert await ana.expect(Joined, Join(id="4", room=two, name="ana"))


async def test_commands_need_a_room() -> None:
    hall = Hall()
    peer = await hall.peer()
    assert (await peer.refused(Leave(id="1"))).message == "Join or watch a room first."


async def test_rooms_that_nobody_wants_are_closed() -> None:
    hall = Hall()
    ana, bo, cy = [await hall.peer() for _ in range(3)]
    await ana.create("doubles")
    deb, eve = await hall.table("double-or-nothing", "deb", "eve")
    await bo.create("farkle", "bo")
    await bo.hang_up()
    await hall.wait(31)
    assert len(hall.lobby) == 2  # bo's room was empty for good
    await hall.wait(620, ana)
    assert len(hall.lobby) == 1
    assert ana.seen[-1].type == "left"
    await deb.drop()
    await hall.wait(30 * 60 + 31)
    assert len(hall.lobby) == 1  # eve is still there
    await eve.drop()
    await hall.wait(14 * 60)
    assert len(hall.lobby) == 1  # and may come back
    await hall.wait(2 * 60)
    await hall.wait(31)
    assert (await cy.expect(Rooms, ListRooms(id="1"))).rooms == ()
    assert len(hall.lobby) == 0


async def test_a_closed_room_answers_whoever_still_asks() -> None:
    hall = Hall()
    ana, bo = await hall.table("doubles", "ana", "bo")
    await hall.lobby.close_all("The server is shutting down.")
    error = await ana.refused(ana.moving("roll"))
    assert error.code == "no_such_room"
    assert error.message == "The server is shutting down."
    await bo.drop()
    cy = await hall.peer()
    assert (await cy.refused(Create(id="1", game="doubles", name="cy"))).code == "unavailable"


async def test_a_server_takes_so_many_rooms() -> None:
    hall = Hall(max_rooms=1)
    ana, bo = [await hall.peer() for _ in range(2)]
    await ana.create("doubles")
    assert (await bo.refused(Create(id="1", game="doubles", name="bo"))).code == "unavailable"


async def test_a_sweep_does_not_close_a_room_whose_host_is_on_the_way_in() -> None:
    """`create` was answered with `no_such_room` once, on a busy machine."""
    hall = Hall()
    room = await hall.lobby.create(Create(id="1", game="doubles", name="ana"))
    await hall.wait(SWEEP_SECONDS)
    assert room.code in hall.lobby.registry
    ana = await hall.peer()
    await ana.join(room.code, "ana")
    await ana.hang_up()
    await hall.wait(SWEEP_SECONDS)
    assert room.code not in hall.lobby.registry


async def test_a_room_whose_host_never_came_is_closed() -> None:
    hall = Hall()
    room = await hall.lobby.create(Create(id="1", game="doubles", name="ana"))
    for _ in range(4):
        await hall.wait(SWEEP_SECONDS)
    assert room.code not in hall.lobby.registry
