from dicegames_server.core.room_codes import ALPHABET, new_code, tidy


def test_codes_grow_with_the_number_of_rooms() -> None:
    assert len(new_code(0)) == 4
    assert len(new_code(10)) == 4
    assert len(new_code(1000)) == 6
    assert len(new_code(10**9)) == 9  # eight, and the hyphen
    for rooms in (0, 10**9):
        assert set(new_code(rooms)) <= {*ALPHABET, "-"}


def test_nothing_in_a_code_can_be_misread() -> None:
    assert not set("0O1IL5S8BAEU") & set(ALPHABET)


def test_codes_as_people_type_them() -> None:
    assert tidy(" kq7m ") == "KQ7M"
    assert tidy("k7q2m9xd") == tidy("K7Q2-M9XD") == tidy("k7q2 m9xd") == "K7Q2-M9XD"
