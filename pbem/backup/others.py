"""Takes out of a copied database what goes nowhere with a campaign: where it is written, and again where it comes to.

For a file may come from anybody, whatever its manifest says.
"""

from __future__ import annotations

import sqlite3

_OTHERS = """
DELETE FROM campaign WHERE name != :name;
DELETE FROM seat WHERE campaign_id NOT IN (SELECT id FROM campaign);
DELETE FROM shelf WHERE campaign_id NOT IN (SELECT id FROM campaign);
DELETE FROM turn WHERE campaign_id NOT IN (SELECT id FROM campaign);
DELETE FROM press WHERE campaign_id NOT IN (SELECT id FROM campaign);
DELETE FROM gm_text WHERE campaign_id NOT IN (SELECT id FROM campaign);
DELETE FROM act WHERE campaign_id NOT IN (SELECT id FROM campaign);
DELETE FROM roll WHERE campaign_id NOT IN (SELECT id FROM campaign);
DELETE FROM enclosed WHERE campaign_id NOT IN (SELECT id FROM campaign);
DELETE FROM applicant;
DELETE FROM outgoing;
DELETE FROM deputy;
DELETE FROM absence WHERE seat_id NOT IN (SELECT id FROM seat);
DELETE FROM vote WHERE turn_id NOT IN (SELECT id FROM turn);
DELETE FROM report WHERE turn_id NOT IN (SELECT id FROM turn);
DELETE FROM sheet WHERE turn_id NOT IN (SELECT id FROM turn);
DELETE FROM report_copy;
DELETE FROM request;
DELETE FROM sealed_page;
DELETE FROM fact;
UPDATE sheet SET letter_id = NULL;
DELETE FROM letter;
UPDATE seat SET token_hash = '', dice_code = '';
UPDATE campaign SET gm_token_hash = '', status = 'running',
    hold_kind = 'none', hold_reason = '', moved_to = '';
DELETE FROM person WHERE id NOT IN (SELECT person_id FROM seat WHERE person_id IS NOT NULL);
"""
"""Takes all out of a copy that is another campaign's, or not to be had elsewhere: letters; tokens and codes, which are
drawn anew there; those who stand in or stand by, since they have agreed to it here alone. Mail is its home's own,
whether it has gone or not."""


def take_out_others(database: sqlite3.Connection, name: str) -> None:
    """Leaves the rows of one campaign, without what opens its seats and without mail to be sent."""
    for statement in filter(str.strip, _OTHERS.split(";")):
        database.execute(statement, {"name": name} if ":name" in statement else {})
