"""The events of The Singularity Trap: every kind, its data, and the players who hear of it.

A view's `events` list holds `{"kind": …, **data}`. Ships, spaces, colours and
types stand as players read them. `who` is a colour.

| kind | data | heard by |
|---|---|---|
| no-sheet | – | its player |
| income | points, planets, saved | its player |
| scrapped | ship, type, space, why ("order", "unpaid", "resigned") | its player |
| maintained | ships, cost | its player |
| repaired | ship, units (list of names), cost | its player |
| hidden | ship | its player |
| built | ship, type, space, cost | its player |
| saved | points | its player |
| refused | line (the order as a line), why (one sentence) | its player |
| moved | ship, legs (list of {how: "slip"/"warp"/"jump"/"stay", space}), end | its player |
| stopped | ship, space, why ("static" or "invalid") | its player |
| charted | entry, exit | its player |
| sensed | after ("economic", "movement", "combat"), contacts, unknown, allied (as SensorsView) | its player |
| combat | space, round, ships (list of {id, owner, type, damage, and of own ships weapons, armor}), shots (list of {by, at, need, of, die, hit, unit}), lost (list of {ship, how: "dark"/"destroyed" of own ships, "vanished" of others}) | players with a non-dark ship there at its start |
| captured | space, name, was (colour or null), now (colour or null) | all |
| terraformed | space, name, was, now | all |
| alliance | who, on (bool) | the two concerned |
| declared | kind_of ("faction"/"empire"), members, dominant (or null) | all |
| faction-held | members, held, needed | all |
| dissolved | members, why | all |
| holding | who, held, needed: a single player at the winning number of planets | all |
| resigned | who, how ("resigned", "removed", "eliminated": no planet and no ship left) | all |
| victory | winners, reason | all |

`shots`: a shot hits when `die` ≤ `need` out of `of` (TE of AE + TE); `unit` is what the hit took out of an own ship, or null.
In `income`, `saved` is what was there before. `sensed` is told only where something was sensed.
"""
