"""Tests of greetings, closings and names: they are no orders, and no errors either, in any game."""

from __future__ import annotations

import pytest

from tests.inbox.letters import FREE, GAMES, good_orders, receive, view_of
from tests.toy.home import Desk, text_of

LETTERS = (
    ("Hi,", "Thanks, Ann"),
    ("Hello Wayne,", "Best regards\nAnn Smith"),
    ("Dear all,", "Kind regards,\nAnn"),
    ("Good morning!", "Cheers\nAnn"),
    ("Hey there", "Good luck!"),
    ("Hallo zusammen,", "Viele Grüße\nAnn"),
    ("Guten Tag,", "Mit freundlichen Grüßen\nAnn Smith"),
    ("Bonjour,", "Cordialement\nAnn"),
    ("Salut!", "Merci d'avance"),
    ("Hola,", "Saludos\nAnn"),
    ("Ciao,", "Grazie mille"),
    ("Olá,", "Um abraço\nAnn"),
    ("Hoi,", "Met vriendelijke groet\nAnn"),
    ("Hej,", "Med vänliga hälsningar\nAnn"),
    ("Hei,", "Vennlig hilsen\nAnn"),
    ("Moi,", "Terveisin Ann"),
    ("Cześć,", "Pozdrawiam\nAnn"),
    ("Dobrý den,", "S pozdravem\nAnn"),
    ("Szia,", "Üdvözlettel\nAnn"),
    ("Bună ziua,", "Cu stimă\nAnn"),
    ("Merhaba,", "İyi günler"),
    ("Привет,", "С уважением\nAnn"),
    ("Γεια σας,", "Με εκτίμηση\nAnn"),
    ("こんにちは", "よろしくお願いします"),
    ("Hi", "Thank you\nAnn Smith\nMill Lane 4\n10115 Berlin\nTel. +49 30 1234567\n\nSent from my iPhone"),
)
WRONG = "QWZX 17 PLUGH"

CASES = [pytest.param(key, *letter, id=f"{key}: {letter[0]}") for key in GAMES for letter in LETTERS]
RULED = [case for case in CASES if case.values[0] != FREE]


@pytest.mark.parametrize(("key", "greeting", "closing"), CASES)
def test_courtesies_alone_are_no_orders(key: str, greeting: str, closing: str) -> None:
    """A message of a greeting and a closing asks for nothing and has no error."""
    received = receive(key, [greeting, "", *closing.split("\n")])

    assert not received.asks
    assert received.wrong == []


@pytest.mark.parametrize(("key", "greeting", "closing"), CASES)
def test_courtesies_change_nothing_about_orders(key: str, greeting: str, closing: str) -> None:
    """A sheet between a greeting and a closing brings the same orders as the sheet alone."""
    alone = receive(key, good_orders(key)).reading.parsed
    received = receive(key, [greeting, "", *good_orders(key), "", *closing.split("\n")])

    assert received.reading.parsed.orders == alone.orders
    assert len(received.reading.parsed.errors) == len(alone.errors)
    assert greeting in received.courtesies


@pytest.mark.parametrize(("key", "greeting", "closing"), RULED)
def test_only_the_wrong_order_is_an_error(key: str, greeting: str, closing: str) -> None:
    """Of a wrong order between a greeting and a closing, that order alone is an error."""
    received = receive(key, [greeting, WRONG, "", *closing.split("\n")])

    assert received.asks
    assert received.wrong == [WRONG]


OFFICE = (
    "Ann Smith\nSenior Consultant, Mills & Sons Ltd.\nTel. +49 30 1234567",
    "Ann Smith | Head of Sales\nMills Ltd.",
    "Love,\nAnn",
    "Lots of love, Ann",
)


@pytest.mark.parametrize("key", [key for key in GAMES if key != FREE])
@pytest.mark.parametrize("signature", OFFICE)
def test_a_signature_without_dashes_is_no_error(key: str, signature: str) -> None:
    """The lines below the sender's whole name are no orders; one of them that is an order counts."""
    orders = good_orders(key)
    below = receive(key, [*orders, "", *signature.split("\n")])
    between = receive(key, ["Ann Smith", "Head of Sales, Mills Ltd.", *orders])

    assert below.wrong == []
    assert set(signature.split("\n")) <= set(below.courtesies)
    assert between.reading.parsed.orders == below.reading.parsed.orders == receive(key, orders).reading.parsed.orders


@pytest.mark.parametrize("key", GAMES)
def test_no_line_of_a_game_is_a_courtesy(key: str) -> None:
    """No example and no line of the form is taken for a courtesy, alone, first or last."""
    ruleset, view = GAMES[key], view_of(key)
    examples = [line for verb in ruleset.orders.verbs for line in verb.examples]
    form = [line.lstrip("; ") for line in ruleset.template(view) if not line.startswith("#")]
    for line in [*examples, *form, *good_orders(key)]:
        for lines in ([line], ["Hi", line], [line, "Thanks", "Ann"], ["Hi", "", line, "", "Regards"]):
            assert line.strip() not in receive(key, lines).courtesies, lines


@pytest.mark.parametrize(
    "line",
    ["Dear king of France, we come in peace", "Ann", "Thanks to the abbot we are saved", "Best regards to the queen"],
)
def test_in_free_words_nothing_inside_the_text_is_a_courtesy(line: str) -> None:
    """In a game whose GM reads every line, words to a person inside the text stay orders."""
    received = receive(FREE, ["The fleet sails at dawn.", line, "The army waits.", "", "Best wishes", "Ann"])

    assert [order.words() for order in received.reading.parsed.orders][:3] == [
        "The fleet sails at dawn.",
        line,
        "The army waits.",
    ]
    assert received.courtesies == ("Best wishes", "Ann")


def test_in_free_words_a_name_below_the_text_is_no_order() -> None:
    """The sender's name below free words is not sent to the GM as an order."""
    received = receive(FREE, ["The fleet sails at dawn.", "", "Ann"])

    assert [order.words() for order in received.reading.parsed.orders] == ["The fleet sails at dawn."]
    assert received.courtesies == ("Ann",)


def test_a_message_of_courtesies_keeps_the_sheet(desk: Desk) -> None:
    """Thanks for a receipt do not replace the orders, and are answered as a mail without orders."""
    desk.start()
    desk.reply(desk.last(), "BID 4")
    desk.answer()
    desk.reply(desk.last(), "Hi,\n\nmany thanks for the game!\n\nKind regards\nAnn")
    desk.answer()

    assert "Your orders of Mon 2 Nov, 10:00 CET still count." in text_of(desk.last())


def test_wait_among_courtesies_keeps_the_orders(desk: Desk) -> None:
    """WAIT between a greeting and a closing says WAIT and nothing else."""
    desk.start()
    desk.reply(desk.last(), "BID 4")
    desk.answer()
    desk.reply(desk.last(), "Hello,\n\nWAIT\n\nThanks\nAnn")
    desk.answer()

    assert "the orders of your sheet 1 were kept" in " ".join(text_of(desk.last()).split())


@pytest.mark.parametrize("text", ["WAIT\nBTW nice game", "I like this game\nWAIT", "Wait, please\n\nLOL\n\nAnn"])
def test_wait_beside_small_talk_is_wait_alone(desk: Desk, text: str) -> None:
    """Words that begin like no order are told as not read, before there are orders and beside those that count."""
    desk.start()
    for before, after in (("", "WAIT, but no orders yet"), ("BID 4", "the orders of your sheet 1 were kept")):
        desk.reply(desk.last(), f"{before}\n")
        desk.answer()
        desk.reply(desk.last(), text)
        desk.answer()

        said = " ".join(text_of(desk.last()).split())
        assert after in said
        assert "Not read, as they begin like no order:" in said


RETRIES = (
    "Oh dear. Trying again:",
    "Whoops!",
    "Sorry, my mistake.",
    "OK, second try:",
    "Argh - that didn't work; here we go again",
)


@pytest.mark.parametrize("key", [key for key in GAMES if key != FREE])
@pytest.mark.parametrize("line", RETRIES)
def test_a_sigh_above_orders_is_no_error(key: str, line: str) -> None:
    """Words on an attempt that failed are named as no order, and the orders below it are read."""
    received = receive(key, [line, "", *good_orders(key)])

    assert received.wrong == []
    assert line in received.courtesies


@pytest.mark.parametrize("key", [key for key in GAMES if key != FREE])
@pytest.mark.parametrize(
    "line", ["If that did not work:", "Instead of these:", "Oops, forget all of this:", "Oh, only once he attacks:"]
)
def test_other_words_above_orders_stay_an_error(key: str, line: str) -> None:
    """Words that may be a condition of the orders below them, or take them back, are left out by no rule."""
    assert line in receive(key, [line, *good_orders(key)]).wrong


@pytest.mark.parametrize("line", ["BDI 4", "WHISPR blue hello", "R12 N"])
def test_a_wrong_order_beside_wait_stays_an_error(desk: Desk, line: str) -> None:
    """A line like an order beside WAIT has the turn wait for its correction, and no sheet counts with WAIT alone."""
    desk.start()
    for text in ("BID 4", f"WAIT\n{line}"):
        desk.reply(desk.last(), text)
        desk.answer()

    assert "Nothing new accepted" in text_of(desk.last())
    assert "The turn waits for your correction" in text_of(desk.last())


POLITE = ("WAIT please", "Wait, thanks.", "wait for the deadline", "Please wait until the deadline, thank you!")


@pytest.mark.parametrize("key", GAMES)
@pytest.mark.parametrize("word", POLITE)
def test_wait_is_said_politely(key: str, word: str) -> None:
    """WAIT with "please", thanks or the deadline is WAIT in every game, and no order or error of it."""
    received = receive(key, [*good_orders(key), word])

    assert received.sheet.wait is True
    assert word not in [line.strip() for _, line in received.sheet.lines]


def test_final_is_said_politely() -> None:
    """FINAL takes WAIT back, whatever courtesy stands beside it."""
    assert receive(FREE, ["March to the mill", "Wait, please", "Final, thanks!"]).sheet.wait is False


@pytest.mark.parametrize("line", ["Wait for the envoy at the ford", "Wait for the deadline of the truce"])
def test_waiting_for_something_else_is_an_order_in_free_words(line: str) -> None:
    """A sentence that only begins with WAIT stays what it is."""
    received = receive(FREE, [line])

    assert (received.sheet.wait, [order.words() for order in received.reading.parsed.orders]) == (None, [line])


def test_courtesies_raise_no_doubt(desk: Desk) -> None:
    """A better sheet with more courtesies than orders replaces the one before without a question."""
    desk.start()
    desk.reply(desk.last(), "BID 4")
    desk.answer()
    desk.reply(
        desk.last(),
        "Hi,\nhope you are well\nBID 5\nBIT 6\nThanks\nAnn Smith\nMill Lane 4\n10115 Berlin\nTel. 030 123456",
    )
    desk.answer()

    assert text_of(desk.last()).startswith("1 of 2 orders not accepted; the other counts\n")
    assert 'Not orders: "Hi,", "hope you are well", "Thanks", "Ann Smith", "Mill Lane 4"' in text_of(desk.last())


def test_the_senders_name_is_known_by_their_from_field(desk: Desk) -> None:
    """A name that stands in the From field is no order, also without a closing above it."""
    desk.start()
    desk.reply(desk.last(), "BID 4\nBeatrix", sender='"Beatrix Potter" <ann@example.org>')
    desk.answer()

    assert text_of(desk.last()).startswith("Your order is in\n")
    assert 'Not orders: "Beatrix".' in text_of(desk.last())
