"""YES and NO in plain words, in the languages in which automatic answers are recognised.

A reply to a question of ours is read sentence by sentence. A sentence that begins
with a word for yes or no has said it; some phrases say it anywhere. What holds
only under a condition, and what says both, is unclear. Words that mean something
else in another language ("si", "da", "no") count only where nothing but a
punctuation mark follows them.

Reading is total, and takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal
from unicodedata import normalize

PlainAnswer = Literal["yes", "no", "unclear", "other"]
"""A reply in one word: "other" says neither yes nor no, such as a question."""

MOST_READ = 4_000
"""Characters of a reply that are read: a yes or no stands at its beginning."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(f" {phrase} " for phrase in text.split(", "))


_YES = _words(
    "yes yep yeah yup yess sure ok okay okey okidoki confirm confirmed agreed absolutely definitely certainly "
    "gladly affirmative aye accept accepted ja jawohl jep jo jap klar gern gerne natürlich selbstverständlich "
    "bestätigt einverstanden zusage oui ouais volontiers confirme confirmé sí claro vale confirmo acepto "
    "encantado encantada sì certo volentieri confermo accetto sim aceito jawel graag akkoord jajamän gärna "
    "absolut javisst javel kyllä joo toki tak oczywiście potwierdzam zgoda ano jasně potvrzuji áno potvrdzujem "
    "да конечно согласен согласна подтверждаю давайте так звісно підтверджую разбира igen persze rendben evet "
    "tamam onaylıyorum kabul desigur ναι βεβαίως φυσικά svakako potvrđujem seveda potrjujem iya ya setuju tentu "
    "vâng có はい ええ うん 是 是的 好 好的 可以 同意 确认 確認 네 예 넵 응 ใช่ ตกลง ครับ ค่ะ نعم أجل موافق כן "
    "בטח מאשר 👍"
)
"""Words that say yes at the beginning of a sentence."""

_YES_ALONE = _words("si da")
"""Words for yes that are other words elsewhere: they count alone, or before a mark."""

_NO = _words(
    "no nope nah never decline declined nein nö nee leider non hélas désolé désolée lamentablemente purtroppo "
    "não nao infelizmente helaas nej tyvärr desværre nei dessverre ei valitettavasti nie niestety ne bohužel "
    "bohužiaľ нет ні не жаль жалко nem sajnos hayır hayir maalesef nu όχι οχι δυστυχώς nažalost žal tidak không "
    "いいえ いや 不 不了 不要 不用 不是 否 아니요 아니오 아뇨 ไม่ لا לא 👎"
)
"""Words that say no at the beginning of a sentence."""

_YES_PHRASES = _phrases(
    "count me in, i'm in, im in, i am in, i will, i'll play, i'll join, i'll take it, i'll take part, i'd love "
    "to, i would love to, i'd like to play, i would like to play, i'd like to join, i would like to join, i want "
    "to play, i want to join, i accept, i confirm, love to play, love to join, happy to play, happy to join, glad "
    "to play, glad to join, with pleasure, of course, sign me up, let's play, let's go, let's do it, sounds good, "
    "sounds great, sounds fun, that was me, that is me, that's me, it was me, it is mine, it's mine, that's mine, "
    "this is mine, bin dabei, bin gern dabei, bin gerne dabei, mache mit, mach mit, mache gern mit, mache gerne "
    "mit, spiele mit, spiele gern mit, spiele gerne mit, avec plaisir, bien sûr, d'accord, je joue, je participe, "
    "je veux bien, je confirme, je suis partant, je suis partante, con gusto, con mucho gusto, por supuesto, de "
    "acuerdo, me apunto, quiero jugar, cuenta conmigo, con piacere, ci sto, va bene, partecipo, com prazer, com "
    "muito prazer, com certeza, pode ser, quero jogar, conte comigo, ik doe mee, ik doe graag mee, ik speel mee, "
    "jag är med, jag är gärna med, jeg er med, jeg vil gerne, jeg vil gjerne, olen mukana, z przyjemnością, "
    "wchodzę w to, chętnie zagram, s radostí, rád si zahraji, ráda si zahraji, с удовольствием, я в игре, я за, "
    "із задоволенням, с удоволствие, szívesen játszom, benne vagyok, memnuniyetle, katılıyorum, cu plăcere, με "
    "χαρά, sa zadovoljstvom, z veseljem, dengan senang hati, saya ikut, tôi tham gia, đồng ý"
)
"""Phrases that say yes wherever they stand in a statement."""

_NO_PHRASES = _phrases(
    "no thanks, no thank you, not this time, not interested, not for me, not now, not me, not mine, not today, "
    "count me out, rather not, can't, cannot, can not, won't, will not, don't want, don't wish, don't have time, "
    "don't have the time, do not want, do not wish, do not have time, am not able, no time, i decline, have to "
    "decline, have to pass, must decline, unsubscribe, wasn't me, isn't mine, keine zeit, keine lust, kein "
    "interesse, nicht mit, nicht dabei, nicht mitspielen, nicht von mir, nicht interessiert, lieber nicht, sage "
    "ab, non merci, pas le temps, pas intéressé, pas intéressée, pas cette fois, pas moi, no gracias, no puedo, "
    "no tengo tiempo, no me interesa, no grazie, non posso, non ho tempo, não posso, não obrigado, não obrigada, "
    "não quero, não tenho tempo, geen tijd, geen interesse, geen zin, doe niet mee, nej tack, nej tak, nei takk, "
    "har inte tid, har ikke tid, ei kiitos, en ehdi, nie dziękuję, nie mogę, nemám čas, nemohu, нет времени, не "
    "могу, не можу, не мога, nem érek rá, katılamam, nu pot, δεν μπορώ, ne mogu, ne morem, tidak bisa, không thể"
)
"""Phrases that say no wherever they stand in a statement."""

_YES_SIGNS = _words("喜んで 参加します やります 我参加 我參加 我加入 乐意 樂意 참가하겠 참여하겠 좋아요 ยินดี")
_NO_SIGNS = _words("遠慮し 参加しません 参加できません 没时间 沒時間 不参加 不參加 안할래 못해요 ไม่ได้")
"""The same in languages that write without blanks."""

_NOT = _words(
    "not isn't don't doesn't won't can't cannot never no nein nicht kein keine keinen nie pas jamais nunca mai "
    "não nao niet geen inte ikke ikkje ei en nie ne нет не ні nem hayır değil nu όχι δεν δε nije nisam ni nisem "
    "tidak bukan không 不 没 沒 不要 아니 안 못 ไม่ لا ليس לא אין n't"
)
"""Words that make a yes in the same sentence unclear."""

_CONDITIONS = _words(
    "if but unless provided providing depends maybe perhaps possibly probably only wenn aber falls sofern nur "
    "vielleicht eventuell vorausgesetzt mais peut-être seulement sauf pero quizás quizá solo sólo ma forse "
    "soltanto mas talvez apenas als maar misschien alleen om men kanske bara hvis måske kanskje bare jos mutta "
    "ehkä vain jeśli jeżeli ale może tylko pokud jestli možná jenom ak možno iba если но может возможно только "
    "якщо але можливо лише ако но може само ha de talán csak eğer ama belki sadece dacă dar poate doar αν αλλά "
    "ίσως μόνο ako ali možda samo če ampak mogoče samo jika kalau tapi mungkin hanya nếu nhưng chỉ إذا لكن ربما "
    "فقط אם אבל אולי רק"
)
"""Words with which an answer holds only under a condition, or with a reservation."""

_IF_BEHIND_YES = _words("si se")
"""Words for if in some languages, which say "myself" in others: a condition right behind a yes."""

_IN_SIGNS = re.compile(r"如果|但|可能|也许|也許|もし|なら|でも|かも|たぶん|만약|하지만|그런데|아마|ถ้า|แต่")
"""The same in languages that write without blanks, or with few."""

_SOFT = re.compile(
    r"\bno (?:problem|worries|doubt|need|hurry|rush|objections?|questions?)\b|\bwhy not\b|\bwarum nicht\b"
    r"|\bpourquoi pas\b|\bperché no\b|\bpor qué no\b|\bporque não\b|\bkein problem\b|\bpas de problème\b"
    r"|\bwaarom niet\b|\bdon't (?:hesitate|worry)\b",
    re.IGNORECASE,
)
"""Phrases with a word for no that agree."""

_SENTENCE = re.compile(r"[^.!?;\n\u3002\u2026]++[.!?;\u3002\u2026]*+")
_WORD = re.compile(r"[^\s,.!?;:()\"*_/\\\u3001\u3002\u2026\u060c-]++")
_LONG_SIGNS = tuple(sorted(_words("はい ええ いいえ 是的 好的 可以 同意 不了 不要 不用 不是 아니 네 ตกลง ใช่ ไม่")))
"""Words for yes and no of languages that write without blanks: a sentence may begin with one and go on."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    words: tuple[str, ...]

    @property
    def asks(self) -> bool:
        return "?" in self.text

    @property
    def lead(self) -> str:
        """The first word, or its beginning that is a word of a language without blanks."""
        first = self.words[0] if self.words else ""
        return next((sign for sign in _LONG_SIGNS if first.startswith(sign)), first)

    @property
    def lead_stands_apart(self) -> bool:
        """True if the first word is the only one, or a mark or line end follows it."""
        below = self.text.lstrip(" \t\"'(*_")[len(self.lead) :]
        return below[:1] in ("", ",", ".", "!", ":", ";", "-", "\u3001", "\u060c") or below[:2] in (" -", " ,", " !")

    def yes(self, *, clear: bool) -> bool:
        """Return True if the sentence says yes; with `clear`, phrases do not count."""
        if self.lead in _YES or (self.lead in _YES_ALONE and self.lead_stands_apart):
            return not self.asks or (self.lead_stands_apart and len(self.words) > 1)
        if clear or self.asks or not _NOT.isdisjoint(self.words):
            return False
        return self._has(_YES_PHRASES, _YES_SIGNS)

    def no(self) -> bool:
        """Return True if the sentence says no."""
        if self.lead in _NO:
            return not self.asks or (self.lead_stands_apart and len(self.words) > 1)
        return not self.asks and self._has(_NO_PHRASES, _NO_SIGNS)

    def _has(self, phrases: Sequence[str], signs: Iterable[str]) -> bool:
        said = f" {' '.join(self.words)} "
        return any(phrase in said for phrase in phrases) or any(sign in self.text for sign in signs)

    def is_conditional(self) -> bool:
        """Return True if the sentence has a reservation."""
        if any(word in _IF_BEHIND_YES and before in _YES for before, word in pairwise(self.words)):
            return True
        return not _CONDITIONS.isdisjoint(self.words) or _IN_SIGNS.search(self.text) is not None


def read_answer(lines: Iterable[str], subject: str = "", *, clear: bool = False) -> PlainAnswer:
    """Return what a reply says; of one without text, what its subject says in a few words of its own.

    Args:
        lines: The lines that the sender has typed.
        subject: The subject, without "Re:" and tags.
        clear: True for what cannot be undone: then yes must be a word for yes that begins a sentence.
    """
    text = "\n".join(lines).strip()
    if not text:
        return _read_subject(subject, clear=clear)
    return _read_sentences(_sentences(text), clear=clear)


def asks_something(lines: Iterable[str]) -> bool:
    """Return True if a reply has a question in it."""
    return "?" in "\n".join(lines)[:MOST_READ]


def _read_subject(subject: str, *, clear: bool) -> PlainAnswer:
    # The subject of our own question has YES and NO in it, so only one that begins with either counts.
    said = _sentences(subject)
    if len(said) != 1 or len(said[0].words) > 4:
        return "other"
    return _read_sentences(said, clear=clear)


def _sentences(text: str) -> Sequence[_Sentence]:
    text = _SOFT.sub(" ", normalize("NFC", text[:MOST_READ]).replace("\u2019", "'").replace("\uff1f", "?"))
    found = (_Sentence(match[0].casefold(), _split(match[0])) for match in _SENTENCE.finditer(text))
    return [each for each in found if each.words]


def _split(sentence: str) -> tuple[str, ...]:
    return tuple(word.strip("'") for word in _WORD.findall(sentence.casefold()) if word.strip("'"))


def _read_sentences(said: Sequence[_Sentence], *, clear: bool) -> PlainAnswer:
    agreeing = [each for each in said if each.yes(clear=clear)]
    refuses = any(each.no() for each in said)
    if agreeing and (refuses or any(_is_reserved(each, agreeing) for each in said)):
        return "unclear"
    if agreeing:
        return "yes"
    if clear and any(each.yes(clear=False) for each in said):
        return "unclear"
    if refuses:
        return "no"
    return "unclear" if any(map(_denies_yes, said)) else "other"


def _denies_yes(sentence: _Sentence) -> bool:
    """Return True for a word for yes beside a not."""
    return not (sentence.asks or _YES.isdisjoint(sentence.words) or _NOT.isdisjoint(sentence.words))


def _is_reserved(sentence: _Sentence, agreeing: Sequence[_Sentence]) -> bool:
    """Return True if a sentence takes back part of a yes: a condition in a statement, or a not beside the yes."""
    if sentence in agreeing:
        return sentence.is_conditional() or any(word in _NOT for word in sentence.words[1:])
    return not sentence.asks and sentence.is_conditional()
