"""Deprecated alias of `pbem.testing`, kept for one version."""

from pbem.testing import RulesetSuite, RulesetTests, SecrecySpec, rules

__all__ = ["RulesetSuite", "RulesetTests", "SecrecySpec", "rules"]
