"""Recognition of the lines of a message that are words to a person: greetings, thanks, closings, names, addresses.

Only the first lines and the last ones of a text are looked at, and a line that a
game reads as an order is none. In a game that accepts free text every line can be
an order, so there only what can hardly be anything else counts: a greeting with a
name, a closing with a name, and names known to be the sender's.

WAIT and FINAL are words for this program, in every game.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.tokenizer import is_comment, split_words, without_comment

Lines = Sequence[tuple[int, str]]
"""The lines of a sheet with their numbers, without the frame."""

_LONGEST = 80
_MOST_OPENERS = 3
MOST_SIGNED = 8
"""Lines between a closing and the end: name, company, street, town, telephone."""

_WORD = r"[^\W\d_]{1,40}+"


_MARKS = re.compile(r"[^\w\s]++|_")


def plain_words(line: str) -> str:
    """Return a line in small letters and without punctuation; "-" for a line too long for a courtesy."""
    if len(line) > _LONGEST:
        return "-"
    # A capital I with a dot is two characters in small letters.
    small = unicodedata.normalize("NFC", line).casefold().replace("\u0307", "")
    return " ".join(_MARKS.sub(" ", small).split())


def _phrases(text: str) -> str:
    """Return the alternatives of a pattern, the longest first, from phrases separated by commas."""
    phrases = sorted({plain_words(each) for each in text.split(",")}, key=len, reverse=True)
    return "|".join(phrases)


_GREETINGS = _phrases(
    """
    hi, hiya, hello, hey, howdy, dear, greetings, good morning, good day, good afternoon, good evening, g day
    , hallo, guten tag, guten morgen, guten abend, liebe, lieber, moin, servus, grüß gott, sehr geehrte, sehr geehrter
    , bonjour, bonsoir, salut, cher, chère, chers, hola, buenos días, buenos dias, buenas, buenas tardes, buenas noches
    , estimado, estimada, querido, querida, ciao, buongiorno, buonasera, salve, caro, cara, gentile, olá, oi, bom dia
    , boa tarde, boa noite, prezado, prezada, hoi, goedemorgen, goedemiddag, goedenavond, beste, geachte, dag
    , hej, hejsan, hei, god morgon, god morgen, god dag, god kväll, god aften, kära, kjære, kære, moi, terve
    , hyvää päivää, hyvää huomenta, hyvää iltaa, cześć, czesc, dzień dobry, witam, witaj, drogi, droga, ahoj
    , dobrý den, dobrý deň, zdravím, milý, milá, szia, sziasztok, jó napot, kedves, bună, bună ziua, dragă
    , merhaba, selam, günaydın, iyi günler, sevgili, sayın, привет, здравствуйте, добрый день, добрый вечер
    , доброе утро, уважаемый, привіт, вітаю, добрий день, γεια, γεια σου, γεια σας, καλημέρα, καλησπέρα, αγαπητέ
    , bok, zdravo, dobar dan, здравейте, halo, selamat pagi, xin chào, こんにちは, 你好, 您好, 안녕하세요
    """
)
_CLOSINGS = _phrases(
    """
    thanks, thank you, many thanks, thanks a lot, thanks so much, thank you very much, thanks in advance
    , with thanks, thx, ty, cheers, regards, kind regards, best regards, warm regards
    , warmest regards, with kind regards, with best regards, best, best wishes, all the best, with best wishes
    , love, much love, lots of love, with love, sincerely, yours, yours sincerely, yours truly, yours faithfully
    , respectfully, cordially
    , take care, greetings
    , bye, bye bye, goodbye, good luck, have fun, see you, see ya, talk soon, good game, gg, glhf, have a nice
    , have a good, have a great, wishes, danke, dankeschön, vielen dank, danke schön, besten dank, herzlichen dank
    , grüße, viele grüße, liebe grüße, beste grüße, schöne grüße, herzliche grüße, gruß, viele gruesse, liebe gruesse
    , mit freundlichen grüßen, mit freundlichem gruß, mit besten grüßen, mfg, lg, vg, bis bald, bis dann, tschüss
    , hochachtungsvoll, schönes wochenende, schönen tag, schönen abend, viel glück, viel spaß
    , merci, merci beaucoup, merci d avance, cordialement, bien cordialement, bien à vous, bien à toi, amicalement
    , salutations, sincères salutations, meilleures salutations, à bientôt, bonne journée, bonne soirée, bonne chance
    , bises, amitiés, gracias, muchas gracias, saludos, un saludo, saludos cordiales, un abrazo, atentamente
    , hasta luego, hasta pronto, suerte, buena suerte, grazie, grazie mille, cordiali saluti, distinti saluti
    , saluti, un saluto, a presto, ciao, buona fortuna, buona giornata, obrigado, obrigada, muito obrigado
    , muito obrigada, atenciosamente, cumprimentos, melhores cumprimentos, com os melhores cumprimentos, um abraço
    , abraços, até logo, até breve, boa sorte, bedankt, dank, dank je, dank u, groet, groeten, groetjes
    , met vriendelijke groet, met vriendelijke groeten, vriendelijke groeten, hartelijke groeten, mvg, tot ziens
    , tack, tack så mycket, hälsningar, vänliga hälsningar, med vänliga hälsningar, med vänlig hälsning, mvh, vi ses
    , lycka till, hej då, takk, tusen takk, hilsen, vennlig hilsen, med vennlig hilsen, lykke til, tak, mange tak
    , venlig hilsen, med venlig hilsen, held og lykke, kiitos, terveisin, ystävällisin terveisin, parhain terveisin
    , terveiset, nähdään, dzięki, dziękuję, pozdrawiam, pozdrowienia, serdecznie pozdrawiam, z poważaniem
    , powodzenia, do zobaczenia, děkuji, díky, s pozdravem, hezký den, hodně štěstí, s úctou, ďakujem, s pozdravom
    , köszönöm, köszi, üdvözlettel, üdv, tisztelettel, minden jót, sok sikert, mulțumesc, mersi, cu stimă, cu respect
    , salutări, toate cele bune, teşekkürler, teşekkür ederim, saygılar, saygılarımla, sevgiler, iyi günler
    , iyi şanslar, kolay gelsin, спасибо, с уважением, всего доброго, с наилучшими пожеланиями, удачи
    , до свидания, дякую, з повагою, всього найкращого, ευχαριστώ, με εκτίμηση, χαιρετισμούς, φιλικά
    , φιλικούς χαιρετισμούς, hvala, pozdrav, lijep pozdrav, s poštovanjem, благодаря, поздрави, с уважение
    , terima kasih, salam, hormat saya, cảm ơn, trân trọng, よろしくお願いします, ありがとうございます, 敬具
    , 谢谢, 此致, 祝好, 감사합니다
    """
)
_OPENERS = _phrases(
    """
    here are my, here is my, here come my, here are the, my orders for, my orders are, my moves for, my orders
    , my moves, orders for, i hope you, hope you, hope all, hope this, sorry for, sorry about, sorry that, sorry i
    , apologies for, please find, how are you, hier sind meine, hier kommen meine, anbei meine, meine befehle
    , voici mes, mes ordres, aquí están mis, aquí van mis, mis órdenes, ecco i miei, seguem as minhas, hierbij mijn
    """
)
_AGAIN = _phrases(
    """
    oh, oh dear, oh no, oh my, whoops, ouch, argh, aargh, ugh, doh, d'oh, darn, sorry, so sorry, my bad
    , my mistake, my fault, that was wrong, that went wrong, that did not work, that didn't work, trying again
    , try again, i try again, i'll try again, i will try again, i am trying again, i'm trying again, let me try again
    , let me try that again, let me try this again, let's try again, let's try that again, let us try again
    , one more try, one more time, another try, another attempt, second try, second attempt, third try, third attempt
    , next try, next attempt, new try, new attempt, take two, here goes, here we go, here we go again, once again
    , once more, again, and again, noch einmal, nochmal, neuer versuch, zweiter versuch, encore une fois, otra vez
    """
)
_BETWEEN = "ok|okay|well|so|and|now|then|right"
_REST = rf"(?: {_WORD})"
_GREETING = re.compile(rf"(?:{_GREETINGS})(?>{_REST}{{0,4}})")
_LONG_GREETING = re.compile(rf"(?:{_GREETINGS})(?>{_REST}{{0,12}})")
_CLOSING = re.compile(rf"(?:ps |p s )?(?>(?:and |so |many |with ){{0,2}})(?:{_CLOSINGS})(?>{_REST}{{0,3}})")
_SENTENCE = re.compile(rf"(?:{_CLOSINGS}|nice game|great game|sorry for)(?>{_REST}{{0,12}})")
_OUTLOOK = re.compile(r"(?:i am |i m )?(?:looking forward|see you|have a)(?>(?: \w{1,40}+){0,12})")
_OPENER = re.compile(rf"(?:{_OPENERS})(?>(?: \w++){{0,12}})")
_RETRY = re.compile(rf"(?>(?:(?:{_BETWEEN}) ){{0,3}})(?:{_AGAIN})(?>(?: (?:{_AGAIN}|{_BETWEEN})(?= |\Z)){{0,6}})")
"""Words on an attempt that failed, and nothing besides: other words above orders may be a condition of them."""

_SHORT_GREETING = re.compile(rf"(?:{_GREETINGS})(?>{_REST}?)")
_SHORT_CLOSING = re.compile(rf"(?:many )?(?:{_CLOSINGS})(?>{_REST}?)")

_NAME = re.compile(rf"{_WORD}(?>{_REST}{{0,3}})")
_TITLED = re.compile(r"[^\W\d_a-z][^\W\d_A-Z]*+(?:[ .'-]{1,2}[^\W\d_a-z][^\W\d_A-Z]*+){0,3}\.?")
_CONTACT = re.compile(r"(?:\+|[(0-9])[-+()/. 0-9]{5,28}[0-9]|\S{1,60}@\S{1,60}|(?:https?://|www\.)\S{1,100}")
_LABEL = re.compile(r"(?:tel|telephone|telefon|phone|mobile|mobil|mob|cell|fax|e-?mail|web)\b[.: ]{0,3}", re.IGNORECASE)
_HOUSE = re.compile(rf"[0-9]{{1,5}}[a-z]? {_WORD}(?>{_REST}{{0,4}})|{_WORD}(?>{_REST}{{0,4}}) [0-9]{{1,5}}[a-z]?")
_ADDRESSED = frozenset({"all", "everyone", "everybody", "there", "folks", "gm", "game", "master", "team", "together"})
_APOSTROPHES = re.compile("['\u2019]")
_NOT_NAMES = re.compile(r"[\W\d_]++")


def sender_names(*texts: str) -> frozenset[str]:
    """Return the words of the sender's name in display names and addresses, in small letters."""
    said = " ".join([text.partition("@")[0] for text in texts]).casefold()
    # O'Hara is written apart or in one.
    return frozenset(filter(None, _NOT_NAMES.split(f"{said} {_APOSTROPHES.sub('', said)}")))


_SAYS_MORE = re.compile(
    r"\?|n['\u2019]t\b|\b(?:yes|no|nope|not|never|dont|cant|cannot|wont|stop|wait|but|if|unless|only|maybe|perhaps|possibly"
    r"|however|though|although|except|until|till|when|once|before|after|first|provided|instead|later|wrong|mistake"
    r"|accident|forged|think|consider|decide|check|ask|see|let|know|need|have to|hope|could|would|might|busy)\b",
    re.IGNORECASE,
)
_SMALL = re.compile(r"(?<!\S)[^\W\d_A-Z][^\W\d_]{3,}+(?!\S*@)")


def without_signature(lines: Sequence[str], names: Collection[str]) -> Sequence[str]:
    """Return the lines above the sender's whole name, if below it stand titles, numbers and other names alone."""
    at = next((at for at, line in enumerate(lines) if at and _is_whole_name(line, names)), len(lines))
    return lines if any(_SAYS_MORE.search(line) or _SMALL.search(line) for line in lines[at:]) else lines[:at]


def yes_with_words(text: str) -> str:
    """Return the first sentence of a text that begins it with an English yes, and of which no other takes it back."""
    said = [sentence for sentence in _SENTENCE_END.split(text) if sentence.strip()]
    at = next((at for at, sentence in enumerate(said[:_MOST_OPENERS]) if _YES.match(sentence)), len(said))
    above = all(_LONG_GREETING.fullmatch(plain_words(sentence)) for sentence in said[:at])
    return said[at] if above and at < len(said) and not any(map(_SAYS_MORE.search, said[at + 1 :])) else ""


def _is_whole_name(line: str, names: Collection[str]) -> bool:
    """Return True for a line with first and last name of the sender, perhaps with a title behind a bar."""
    words = plain_words(line.partition("|")[0]).split()
    return len(words) > 1 and all(word in names for word in words)


_SENTENCE_END = re.compile(r"[.!\n]")
_YES = re.compile(r"\A\W*+ye(?:s|ah|p)\b", re.IGNORECASE)


def find_courtesies(
    ruleset: AnyRuleset, view: Mapping[str, Any], lines: Lines, names: Collection[str] = (), *, outside: bool = False
) -> frozenset[int]:
    """Return the numbers of the lines that are words to a person, none of them an order of the game.

    Args:
        ruleset: The game.
        view: The view against which the sheet is read.
        lines: The lines of the sheet.
        names: The words of the sender's names, in small letters.
        outside: The lines are outside of the sheet's frame, where none can be an order of free text.
    """
    manners = Manners(names=names, is_order=ruleset.orders.is_like_order)
    if not manners.courtesies(lines):
        return frozenset()
    free = ruleset.free_text
    found = replace(manners, free=free and not outside, verbs=first_words(ruleset, view)).courtesies(lines)
    if free or not found:
        return found
    # One word is an order if it is a verb: most greetings and names are no more, and need not be read against a view.
    like = ruleset.orders.is_like_order
    asked = [each for each in lines if each[0] in found and (len(split_words(each[1])) > 1 or like(each[1]))]
    return found - {entry.line for entry in (ruleset.parse(view, asked).entries if asked else ())}


def first_words(ruleset: AnyRuleset, view: Mapping[str, Any]) -> frozenset[str]:
    """Return the words with which orders of a game begin, in capitals; a game of free words has them in its form."""
    form = (split_words(line.lstrip("; ")) for line in ruleset.template(view)) if ruleset.free_text else ()
    return frozenset((*ruleset.orders.words, *(words[0].upper() for words in form if words)))


@dataclass(frozen=True, kw_only=True)
class Manners:
    """The knowledge by which courtesies are told from orders.

    `names` are words of the sender's names, `verbs` first words of orders in capitals,
    and `is_order` says whether a line begins like an order. `free`: every line may be one.
    """

    names: Collection[str] = ()
    is_order: Callable[[str], bool] = lambda _: False
    free: bool = False
    verbs: Collection[str] = field(default_factory=frozenset)

    def courtesies(self, lines: Lines) -> frozenset[int]:
        """Return the numbers of the lines that are a greeting at the top, or a closing and what follows it."""
        typed = [(number, line) for number, line in lines if line.strip() and not is_comment(line)]
        # Rules and smileys are left out of the count; in a game of free text they stay.
        drawn = frozenset(number for number, line in typed if not (self.free or plain_words(line)))
        said = [each for each in typed if each[0] not in drawn]
        last = self._closing(said, lines)
        return drawn | last | frozenset(self._greetings([each for each in said if each[0] not in last]))

    def _greetings(self, said: Lines) -> Iterator[int]:
        """Yield the first lines, as far as they greet, thank or announce the orders."""
        for place, (number, line) in enumerate(said[:_MOST_OPENERS]):
            words = plain_words(line)
            if self._begins_order(words) or not self._opens(words, first=place == 0):
                return
            yield number

    def _opens(self, words: str, *, first: bool) -> bool:
        if self.free:
            return first and self._greets(words)
        return self._greets(words) or any(each.fullmatch(words) for each in (_OPENER, _RETRY)) or self.closes(words)

    def _greets(self, words: str) -> bool:
        if not self.free:
            return _GREETING.fullmatch(words) is not None or (
                _LONG_GREETING.fullmatch(words) is not None and not self._names_verb(words)
            )
        return bool(_SHORT_GREETING.fullmatch(words)) or (
            _GREETING.fullmatch(words) is not None and {*words.split()[1:]} <= {*self.names} | _ADDRESSED
        )

    def _closing(self, said: Lines, lines: Lines) -> frozenset[int]:
        """Return the lines from the closing on, or the sender's name, if nothing else follows."""
        closed, below = set[int](), list[tuple[int, str]]()
        for number, line in reversed(said):
            words = plain_words(line)
            if self.closes(words):
                closed.update((number, *(signed for signed, _ in below)))
                below.clear()
            elif len(below) < MOST_SIGNED and self._signs(line, words):
                below.append((number, line))
            else:
                break
        return frozenset(closed | set(self._bare_names(below, lines)) | set(self._signature(said, lines)))

    def closes(self, words: str) -> bool:
        """Return True if a line, as `plain_words` gives it, is a closing."""
        if self._begins_order(words):
            return False
        if self.free:
            return _SHORT_CLOSING.fullmatch(words) is not None or self._thanks_by_name(words)
        if _CLOSING.fullmatch(words):
            return True
        sentence = _SENTENCE.fullmatch(words) or _OUTLOOK.fullmatch(words)
        return sentence is not None and not self._names_verb(words)

    def _thanks_by_name(self, words: str) -> bool:
        said = words.split()
        known = next((at for at, word in enumerate(said) if word in self.names), len(said))
        return self._is_known(" ".join(said[known:])) and bool(_SHORT_CLOSING.fullmatch(" ".join(said[:known])))

    def _signs(self, line: str, words: str) -> bool:
        """Return True if a line may stand below a closing: a name, an address or a number."""
        if self._is_known(words) or self._is_contact(line, words):
            return True
        titled = _TITLED.fullmatch(line.strip().rstrip(",!")) is not None
        if self._begins_order(words) or (not titled and self.is_order(line)):
            return False
        return titled if self.free else titled or _NAME.fullmatch(words) is not None

    def _is_contact(self, line: str, words: str) -> bool:
        """Return True for a telephone number, a mail address, a link, or a house or town with its number."""
        if _CONTACT.fullmatch(_LABEL.sub("", line.strip(), count=1).strip()):
            return True
        long = any(len(word) > 3 and word.isalpha() for word in words.split())
        return long and _HOUSE.fullmatch(words) is not None and not self.is_order(line)

    def _bare_names(self, below: Lines, lines: Lines) -> Iterator[int]:
        """Yield the last lines, from the sender's name on, without a closing above it."""
        known = [at for at, (_, line) in enumerate(below) if self._is_known(plain_words(line))]
        if known and all(
            at in known or self._is_contact(line, plain_words(line)) for at, (_, line) in enumerate(below[: known[-1]])
        ):
            yield from (number for number, _ in below[: known[-1] + 1])
        elif not self.free and below:
            # One name below a blank line, of a sender whose name is not known.
            number, line = below[0]
            above = next((text for at, text in reversed(lines) if at < number), "x")
            if not above.strip() and _TITLED.fullmatch(line.strip()) and not self.is_order(line):
                yield number

    def _signature(self, said: Lines, lines: Lines) -> Iterator[int]:
        """Yield the last lines from one with the sender's whole name on, below a blank line, if none is like an order.

        An office puts its title, its company and more below a name, and no two dashes above it.
        """
        block = list[int]()
        for number, line in [] if self.free else reversed(said[-MOST_SIGNED:]):
            words = plain_words(line)
            if self._begins_order(words) or self.is_order(line):
                return
            block.append(number)
            if _is_whole_name(line, self.names) and not dict(lines).get(number - 1, "x").strip():
                yield from block
                return

    def _is_known(self, words: str) -> bool:
        """Return True if words are names of the sender, or their initials beside one."""
        said = words.split()
        initials = {name[0] for name in self.names}
        return bool(said) and any(word in self.names for word in said) and {*said} <= {*self.names} | initials

    def _names_verb(self, words: str) -> bool:
        return any(word.upper() in self.verbs for word in words.split())

    def _begins_order(self, words: str) -> bool:
        return words.split(" ", 1)[0].upper() in self.verbs


_MAY_BE_HOST_WORD = re.compile("WAIT|FINAL")
_HOST_WORD = re.compile(
    r"(?:PLEASE )?(?:(WAIT)(?: (?:FOR|UNTIL|TILL) (?:THE )?DEADLINE)?|FINAL)"
    r"(?: (?:PLEASE|PLS|THANKS|THANK YOU|THX)){0,2}"
)
_MOST_OF_HOST_WORD = 8


def host_word(words: Sequence[str]) -> bool | None:
    """Return True for the words of a line that are WAIT, False for FINAL, alone or with "please", None for others."""
    if len(words) > _MOST_OF_HOST_WORD:
        return None
    found = _HOST_WORD.fullmatch(" ".join(word.upper().strip(".,!:") for word in words))
    return found[1] is not None if found else None


def split_host_words(lines: Iterable[tuple[int, str]]) -> tuple[Lines, bool | None]:
    """Return the lines of a sheet for the ruleset, and whether the last of the others says WAIT (True) or FINAL."""
    kept, said = list[tuple[int, str]](), None
    for number, line in lines:
        word = host_word(split_words(line)) if _MAY_BE_HOST_WORD.search(line.upper()) else None
        if word is not None:
            said = word
            # A remark behind it may be an order that was meant.
            line = line[len(without_comment(line).rstrip()) :].strip()
        if word is None or line:
            kept.append((number, line))
    return tuple(kept), said


TURN_LINE = re.compile(
    r"\A[\s*_=>\[(;#%/-]*+(?:my\s++)?(?:orders?\s++)?(?:for\s++)?(?:the\s++)?"
    r"(?:(?P<next>next|following)\s++turn|"
    r"turns?+(?:\s*+(?:number\b|no\b\.?|nr\b\.?)?\s*+#?\s*+"
    r"(?P<number>[0-9]++|(?:one|two|three|five|ten|eleven|twelve|thirteen|fifteen|twenty"
    r"|(?:four|six|seven|nine)(?:teen)?|eight(?:een)?)\b))?"
    r"|(?P<unit>round|move)\s*+(?:number\b|no\b\.?|nr\b\.?)?\s*+#?\s*+(?P<count>[0-9]++))\b(?:\s++orders?\b)?"
    r"(?:[\s:.,;*_=)\]>\u2013\u2014-]*+\Z"
    r"|[\s:.,\u2013\u2014-]++(?P<none>none|nothing|off|clear(?:\s++orders)?|cancel|withdraw)[\s.!]*+\Z"
    r"|\s*+(?(unit):|[:\u2013\u2014-])\s*+(?P<rest>\S.*+)"
    r"|(?(number)[\s.,&+]++(?P<more>\S.*+)|(?!)))",
    re.IGNORECASE | re.DOTALL,
)
"""A line of a sheet that says for which turn those below it are: TURN 7, NEXT TURN, "orders for turn 7:".

Behind it may stand that nothing is to be kept, or behind a colon or the number the first order. With a `unit`, as in
ROUND 7, it says so only in a game whose reports call a turn that (`pbem.campaign.later_orders`).
"""

NAMES_TURN = TURN_LINE.match
"""Returns the parts of a line that says for which turn others are; None for any other line."""


def says_wait(line: str) -> bool:
    """Return True for a line of a sheet by which the turn is to wait for its deadline."""
    words = split_words(line)
    return host_word(words[-1:] if words[:1] and words[0].upper() == "ORDERS" else words) is True
