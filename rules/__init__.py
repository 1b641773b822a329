"""The games. They know the ruleset contract and nothing of the host."""

from pbem.ruleset import AnyRuleset
from rules.bubble_singularity import RULESET as BUBBLE_SINGULARITY
from rules.dueling_masters import RULESET as DUELING_MASTERS
from rules.gm_adjudicated import RULESET as GM_ADJUDICATED
from rules.harvester import RULESET as HARVESTER
from rules.singularity import RULESET as SINGULARITY
from rules.singularity_trap import RULESET as SINGULARITY_TRAP

RULESETS: tuple[AnyRuleset, ...] = (
    SINGULARITY_TRAP,
    SINGULARITY,
    HARVESTER,
    DUELING_MASTERS,
    BUBBLE_SINGULARITY,
    GM_ADJUDICATED,
)
"""Every game this program plays."""
