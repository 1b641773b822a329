"""Forms: what a field of an order may hold, as data from which a page can offer it.

A form is a frozen value with a `to_json`; `offers` is what a page can put up for
choice. A kind may read more than its form lets through, such as names in other
words; it reads all that the form offers. Case does not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


class Form:
    """What a word may be."""

    def to_json(self) -> dict[str, Any]:
        """The form as JSON data, with its `type`."""
        raise NotImplementedError

    def offers(self) -> Sequence[str]:
        """Words of this form, all of them or some."""
        raise NotImplementedError


@dataclass(frozen=True)
class Choice(Form):
    """One of some words; of none, if nothing is possible now.

    JSON: `{"type": "choice", "values": ["R101", "R205"]}`
    """

    values: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {"type": "choice", "values": list(self.values)}

    def offers(self) -> Sequence[str]:
        return self.values


@dataclass(frozen=True)
class Number(Form):
    """A whole number within bounds, both included; where they leave none, nothing is possible now.

    JSON: `{"type": "number", "low": 0, "high": 9}`
    """

    low: int
    high: int

    def to_json(self) -> dict[str, Any]:
        return {"type": "number", "low": self.low, "high": self.high}

    def offers(self) -> Sequence[str]:
        if self.high < self.low:
            return ()
        return tuple(dict.fromkeys(map(str, (self.low, (self.low + self.high) // 2, self.high))))


@dataclass(frozen=True)
class Several(Form):
    """One word made of `least` or more of another form, with `glue` between them.

    JSON: `{"type": "several", "glue": "/", "least": 1, "of": form}`
    """

    of: Form
    glue: str
    least: int = 1

    def to_json(self) -> dict[str, Any]:
        return {"type": "several", "glue": self.glue, "least": self.least, "of": self.of.to_json()}

    def offers(self) -> Sequence[str]:
        words = self.of.offers()
        counts = dict.fromkeys(range(self.least, min(len(words), self.least + 1) + 1))
        return tuple(self.glue.join(words[:count]) for count in counts)


@dataclass(frozen=True)
class Either(Form):
    """A word of any of some forms.

    JSON: `{"type": "either", "of": [form, form]}`
    """

    of: tuple[Form, ...]

    def to_json(self) -> dict[str, Any]:
        return {"type": "either", "of": [form.to_json() for form in self.of]}

    def offers(self) -> Sequence[str]:
        return tuple(word for form in self.of for word in form.offers())


@dataclass(frozen=True)
class InTurn(Form):
    """Of a field of many words: one of each form in turn, round and round, and no round left unfinished.

    JSON: `{"type": "in-turn", "of": [form, form]}`
    """

    of: tuple[Form, ...]

    def to_json(self) -> dict[str, Any]:
        return {"type": "in-turn", "of": [form.to_json() for form in self.of]}

    def offers(self) -> Sequence[str]:
        return tuple(word for form in self.of for word in form.offers())


@dataclass(frozen=True)
class Free(Form):
    """A word to be typed; `samples` are some.

    `pattern` is a regular expression for the whole word, which Python and
    JavaScript read alike; "" for any word. What is `verbatim` is all that stands
    from there to the end of the line, blanks, commas and quotes as they are typed.

    JSON: `{"type": "free", "pattern": "", "samples": ["A1"], "verbatim": false}`
    """

    samples: tuple[str, ...]
    pattern: str = ""
    verbatim: bool = False

    def to_json(self) -> dict[str, Any]:
        return {"type": "free", "pattern": self.pattern, "samples": list(self.samples), "verbatim": self.verbatim}

    def offers(self) -> Sequence[str]:
        return self.samples
