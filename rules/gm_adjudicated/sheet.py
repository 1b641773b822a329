"""The sheet a report brings along."""

from __future__ import annotations

from pbem.ruleset import View


def template(view: View) -> list[str]:
    """Comments only: a reminder of the verbs, for nothing is decided yet."""
    if view["over"]:
        return []
    if not view["verbs"]:
        return ["; Write in your own words what you want done, one thing a line."]
    width = max(len(verb["verb"]) for verb in view["verbs"])
    verbs = [f"; {verb['verb']:<{width}}  {verb['help']}".rstrip()[:76] for verb in view["verbs"]]
    return ["; A line begins with a verb, and goes on in your own words:", *verbs]
