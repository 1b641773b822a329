"""The lines of a GM's commands as typed: in a frame, or plain in a reply whose first line is a command; and HELP.

Nothing else says that plain lines are commands, so the first must be one as a whole:
"Hold on, I will look" and "Run is fine for me" begin like one and are words.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pbem.actions.arguments import SEAT, SEAT_OR_NONE, FreeText, GmCommand, TextBlock
from pbem.actions.base import Change
from pbem.actions.days import write_time
from pbem.actions.deadlines import HoldCampaign
from pbem.actions.gm_forms import AnnounceCommand, GmHelp
from pbem.actions.questions import AnswerCommand
from pbem.actions.registry import GM_COMMANDS
from pbem.campaign.courtesies import Manners
from pbem.campaign.house_rules import HOUSE_RULES
from pbem.campaign.order_sheets import Lines, redact_lines
from pbem.errors import CampaignError
from pbem.inbox.command_parser import as_command_finding, split_at_colon, split_texts
from pbem.inbox.frames import GmFrame
from pbem.inbox.synonyms import as_gm_command, without_courtesies, words_for
from pbem.mail.reply_parser import ends_text, is_end
from pbem.report.answers import GmCommandHelp, GmHelpPage
from pbem.ruleset.fields import nearest
from pbem.ruleset.order_types import Finding, Order, OrderType, ParsedOrder, ParsedSheet
from pbem.ruleset.tokenizer import quote_word, split_words
from pbem.util import redact_credentials
from pbem.verbs import BY_TOPIC, VERBS, Verb

WORDS = (AnnounceCommand, AnswerCommand)
"""Commands whose texts people get, as they are written; an END in such a text ends it."""


@dataclass(frozen=True, slots=True)
class GmOrders:
    """Parsed commands of a GM, and the texts below some, by the numbers of their lines.

    `below` are the lines below the END of the last text, `commands` those of commands as they were typed.
    """

    parsed: ParsedSheet
    commands: Lines = ()
    texts: Mapping[int, TextBlock] = field(default_factory=dict)
    below: Lines = ()

    def text_of(self, entry: ParsedOrder) -> TextBlock:
        """Return the text below a command."""
        return self.texts.get(entry.line, TextBlock())


def parse_gm_frame(sheet: GmFrame) -> GmOrders:
    """Parse the commands, down to the first that takes a text, and its text; then those below its END. Never raises."""
    lines = sheet.lines
    at = next((at for at in range(len(lines)) if _takes_text(lines, at)), len(lines))
    split = split_texts(lines, at, lambda at: _takes_text(lines, at), lambda at: _text_end(lines, at))
    beside = {number: ((number, words),) for number, line in lines if (words := _split_text(line)[1])}
    texts = {number: TextBlock((*beside.get(number, ()), *text)) for number, text in split.texts.items()}
    parsed = GM_COMMANDS.parse({}, [(number, _as_parsed(line)) for number, line in redact_lines(split.commands)])
    found = tuple(_as_gm_finding(each) for each in parsed.findings)
    return GmOrders(replace(parsed, findings=found), split.commands, texts, split.below)


def _split_text(line: str) -> tuple[str, str]:
    """Return a command that takes a text, and the words of it on the same line; the line and "" for any other."""
    return split_at_colon(line, lambda begins: first_word(begins) in _WITH_TEXT and read_command(begins) is not None)


def _as_parsed(line: str) -> str:
    """Return a line as it is parsed: in the command's own words, and without courtesies that are not part of it."""
    said = as_gm_command(_split_text(line)[0])
    verb, colon, rest = said.partition(":")
    if colon and verb.upper() in _VERBS:
        said = f"{verb} {rest}".strip()
    said, plain = map(_quote_reason, (said, without_courtesies(said)))
    return plain if plain != said and _parse_one(said) is None and _parse_one(plain) is not None else said


def _quote_reason(line: str) -> str:
    """Return a HOLD whose reason has commas, or what would begin a comment, with the reason in quotes."""
    verb, _, reason = line.partition(" ")
    signs = "".join(reason.split())
    if verb.upper() != "HOLD" or not signs or '"' in reason or quote_word(signs) == signs:
        return line
    return f"{verb} {quote_word(reason.strip())}"


def _parse_one(line: str) -> GmCommand | None:
    parsed = GM_COMMANDS.parse({}, [(1, line)])
    order = parsed.orders[0] if parsed.orders and not parsed.findings else None
    return order if isinstance(order, GmCommand) else None


def read_command(line: str) -> GmCommand | None:
    """Return the command that a whole line is; None for any other line."""
    return _parse_one(_as_parsed(line)) if line.strip() else None


def is_slip(line: str) -> bool:
    """Return True for a line that is meant as a command, by its first word, and cannot be read as one."""
    typed = line.split()
    word = typed[0].strip(".:!,") if typed else ""
    if not word or line.rstrip().endswith("?") or len(typed) > _MOST_TYPED or not (word.isupper() or len(typed) == 1):
        return False
    return first_word(line) in _VERBS or bool(nearest_command(word))


def second_word(line: str) -> str:
    """Return the word behind a command, in small letters; "" if it stands alone."""
    return next(iter(split_words(as_gm_command(line))[1:2]), "").lower().rstrip(".:!")


def asked_help(sheet: GmFrame) -> tuple[str, ...] | None:
    """Return the words behind HELP in a frame with nothing else; None for any other frame."""
    parsed = parse_gm_frame(sheet).parsed
    if parsed.errors or len(parsed.orders) != 1 or not isinstance(parsed.orders[0], GmHelp):
        return None
    return tuple(command_line(parsed.orders[0]).split()[1:])


def names_people(line: str) -> bool:
    """Return True if a line begins with a command whose text people get."""
    return first_word(line) in _FOR_PEOPLE


def _text_end(lines: Lines, at: int) -> int:
    """Return the place of the END of the text of a command: for people it may be another than the frame's."""
    if not names_people(_split_text(lines[at][1])[0]):
        return len(lines)
    return next((end for end in range(at + 1, len(lines)) if ends_text(lines[end][1])), len(lines))


def first_word(line: str) -> str:
    """Return the command of a line in its own word, in capitals; "" for an empty line."""
    return next(iter(split_words(as_gm_command(line))), "").upper()


def held_by(text: TextBlock) -> tuple[str, ...]:
    """Return the lines of a text that look like commands of a GM, so that they may not be meant for its readers."""
    return tuple(redact_credentials(line.strip()) for _, line in text.lines if _looks_like_command(line))


def _looks_like_command(line: str) -> bool:
    typed = line.split()
    if not typed or len(typed) > _MOST_TYPED or not first_word(line):
        return False
    if typed[0].isupper() and first_word(line) in _VERBS | {"GM"}:
        return True
    return _parse_one(as_gm_command(line)) is not None and (len(typed) == 1 or names_people(line))


def _takes_text(lines: Lines, at: int) -> bool:
    command, words = _split_text(lines[at][1])
    if (word := first_word(command)) not in _WITH_TEXT:
        return False
    # STATE alone has always been one of several commands.
    text = next((line.lstrip() for line in (words, *(line for _, line in lines[at + 1 :])) if line.strip()), "")
    return word != "STATE" or text.startswith(("{", "["))


def _words_of(commands: Iterable[type[Order]]) -> frozenset[str]:
    return frozenset(word for order in commands for word in (OrderType.of(order).word, *order.also))


_VERBS = _words_of(GM_COMMANDS.types)
_WITH_TEXT = _words_of(order for order in GM_COMMANDS.types if issubclass(order, GmCommand) and order.takes_text)
_FOR_PEOPLE = _words_of(WORDS)
_MOST_TYPED = 8
"""Words up to which a line may be a command that was typed, and no sentence."""

# What the answer to a question adds to a command; no GM has to know of it.
_CONFIRMING = re.compile(r" \[<YES>\](?: \[<number>\])?| \[<YES> \[<number>\]\]")


def _as_gm_finding(finding: Finding) -> Finding:
    """Return a finding in the words for commands, with the nearest command of today for one that does not exist."""
    if finding.code != "unknown-verb":
        return replace(finding, hint=_CONFIRMING.sub("", finding.hint))
    typed = finding.text.rpartition(" ")[2].strip("'\"")
    near = nearest_command(typed)
    found = as_command_finding(replace(finding, corrected=""))
    return replace(found, hint=f"did you mean {near}?" if near else "HELP lists the commands", corrected=near)


def command_line(order: Order) -> str:
    return GM_COMMANDS.line(order).replace('= "', '="')


_MOST_TOPICS = 2
"""Words behind HELP; more are a sentence."""


def read_unframed(
    campaign: str, lines: Sequence[str], *, code: str = "", names: Collection[str] = ()
) -> GmFrame | None:
    """Return the commands of a reply as a frame for `parse_gm_frame`; None if its first line is no command.

    Greetings and thanks around commands are left out. A first line that is a mistyped command is one: what
    is made of the frame tells what is wrong with it, and does nothing.

    Args:
        campaign: The campaign of the mail that was answered.
        lines: The lines that the GM typed, without quotations.
        code: The code of that mail.
        names: The words of the GM's name, in small letters (`sender_names`).
    """
    numbered = tuple(enumerate(lines, start=1))
    left = Manners(names=names, is_order=_is_command).courtesies(numbered)
    first = next((at for at, (number, line) in enumerate(numbered) if line.strip() and number not in left), None)
    if first is None or not (_is_command(lines[first]) or is_slip(lines[first])):
        return None
    ends = [at for at, (_, line) in enumerate(numbered) if is_end(line)]
    inside = numbered[first : ends[-1] if ends else None]
    whole = GmFrame(campaign, "", inside, code)
    # Words below a text belong to it.
    if parse_gm_frame(whole).texts:
        return whole
    return GmFrame(campaign, "", tuple(each for each in inside if each[0] not in left), code)


def _is_command(line: str) -> bool:
    """Return True if a line is a command as a whole, and no sentence that begins like one."""
    order = read_command(line)
    if order is None or (line.rstrip().endswith("?") and not _only_shows(order)):
        return False
    return line.split()[0].isupper() or not _is_prose(order)


def _only_shows(order: GmCommand) -> bool:
    if isinstance(order, GmHelp):
        return True
    try:
        return not isinstance(order.wish(TextBlock()), Change)
    except CampaignError:
        return False


def _is_prose(order: GmCommand) -> bool:
    """Return True if the free words of a command, whose verb is not in capitals, may be a sentence."""
    verb = OrderType.of(type(order))
    kinds = [(name, kind) for name, kind in verb.kinds.items() if isinstance(kind, FreeText)]
    free = [word for name, kind in kinds if kind not in (SEAT, SEAT_OR_NONE) for word in verb.words_of(order, name)]
    if isinstance(order, GmHelp):
        return len(free) > _MOST_TOPICS
    if not free or isinstance(order, HoldCampaign):
        return bool(free)
    # No number, dice, time or house rule.
    rule = free[0].partition("=")[0].lower()
    return not (any(sign.isdigit() for sign in free[0]) or rule in HOUSE_RULES or write_time(free[0]))


# The more used ones first: of two that are as near to a mistyped word the first is offered.
_USED = ("STATUS", "HELP", "DEADLINE", "RULING", "HOLD", "RELEASE", "RUN", "SHEET", "ANNOUNCE")
_OFTEN = tuple(dict.fromkeys((*_USED, *map(str.upper, VERBS))))


def nearest_command(typed: str) -> str:
    """Return the command for which a word was mistyped, or its letters swapped; "" if none is."""
    swapped = (word for word in _OFTEN if len(word) > 3 and sorted(word) == sorted(typed.upper()))
    return nearest(typed, _OFTEN) or next(swapped, "")


def explain(words: Sequence[str], campaign: str) -> GmHelpPage:
    """Return HELP on one command of a campaign's GM, or the list where the words behind HELP name none."""
    typed = as_gm_command(" ".join(words)).split()[:1] or [""]
    word = typed[0].upper()
    found = VERBS.get(word.lower())
    near = nearest_command(word) if word and found is None else ""
    listed = {title: tuple((each.usage, each.summary) for each in verbs) for title, verbs in BY_TOPIC.items()}
    return GmHelpPage(
        campaign=campaign,
        unknown=word if word and found is None else "",
        hint=near,
        one=_help_on(found) if found else None,
        topics=() if found else tuple(listed.items()),
    )


def _help_on(verb: Verb) -> GmCommandHelp:
    below = f"Below it, or behind a colon: {verb.below}." if verb.below else ""
    return GmCommandHelp(
        usage=verb.usage,
        help=" ".join(filter(None, (f"{verb.summary}.", below, verb.more))),
        also=words_for(verb.word.upper()),
        example=tuple(verb.example.splitlines()),
        undo=verb.undo,
    )


def help_lines(page: GmHelpPage) -> Iterator[str]:
    """Yield HELP as plain lines, for an answer to several commands."""
    if page.unknown:
        yield f'"{page.unknown}" is not a command.' + (f" Did you mean {page.hint}?" if page.hint else "")
    if page.one:
        yield from (page.one.usage, page.one.help, *page.one.example)
    for title, commands in page.topics:
        yield title
        yield from (f"- {usage}: {summary}" for usage, summary in commands)
