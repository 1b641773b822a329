"""What acts and questions come to, in words: the same facts in the same words, through whatever door."""

from pbem.telling.answers import told
from pbem.telling.door import ASKED, LOOKED, SCREEN, Door, mail_door

__all__ = ["ASKED", "LOOKED", "SCREEN", "Door", "mail_door", "told"]
