import { filled } from "./draft.js";
import { split } from "./grammar.js";
import { NONE, Offering, tokensOf } from "./offers.js";
import { lineOf } from "./tree.js";

/**
 * What a tap does: transitions from state to state, without a screen.
 *
 * @typedef {import("./offers.js").State} State
 * @typedef {import("./offers.js").Selection} Selection
 * @typedef {import("./offers.js").Candidate} Candidate
 * @typedef {import("./offers.js").Alternative} Alternative
 * @typedef {import("./draft.js").Survey} Survey
 * @typedef {import("./tree.js").Step} Step
 * @typedef {import("./tree.js").Need} Need
 */

const MANY_ENDINGS = 60;

/** The rules by which a draft is made. All methods are pure: they return the next state. */
export class Ordering extends Offering {
  /**
   * @param {string[]} lines
   * @returns {State}
   */
  begin(lines) {
    /** @type {State} */
    const state = { lines, begun: {}, selection: NONE, said: "", last: null };
    const [first] = this.open(state);
    return first ? this.selectNeed(state, first.slot, "page") : state;
  }

  /**
   * A tap on a place.
   * @param {State} state
   * @param {number} spot
   * @returns {State}
   */
  tap(state, spot) {
    const { selection } = state;
    const { lit } = this.offers(state);
    const here = this.standing(state).get(spot) || [];
    const taken = this.taken(state, spot);
    if (taken) return taken;
    const candidates = lit.get(spot);
    if (candidates) return this.give(state, candidates, spot);
    if (here.length) return this.selectUnit(state, this.turn(state, here));
    const again = selection.words.length && selection.slot ? this.selectNeed(state, selection.slot, "player") : null;
    const others = again && this.offers(again).lit.get(spot);
    if (again && others) return this.give(again, others, spot);
    const drawn = this.endingAt(state, spot);
    if (drawn) return { ...state, selection: { ...NONE, by: "player", order: drawn, spot }, said: this.sentence(drawn), last: null };
    if (this.verbsAt(spot).length) return this.selectPlace(state, spot);
    const kept = selection.by === "page" || !selection.units.length;
    const { title } = this.atlas.places[spot];
    return { ...state, said: title, last: null, selection: kept && !selection.words.length ? selection : kept && selection.slot ? selection : NONE };
  }

  /**
   * The unit that is meant among those at one place: the next one after that selected, else the first without orders.
   * @param {State} state
   * @param {string[]} here
   */
  turn(state, here) {
    const at = here.indexOf(state.selection.units[0] || "");
    if (at >= 0 && state.selection.by === "player") return here[(at + 1) % here.length];
    const open = this.open(state).map(({ unit }) => unit);
    return here.find((unit) => open.includes(unit)) || here[0];
  }

  /**
   * The state without a word that a tap takes back, from a line that takes several.
   * @param {State} state
   * @param {number} spot
   * @returns {State | null}
   */
  taken(state, spot) {
    const need = this.need(state, state.selection.slot);
    if (!need || state.selection.units.length) return null;
    const survey = this.survey(state);
    const at = survey.slots.get(need.slot.toUpperCase());
    const line = state.begun[need.slot] || (at === undefined ? "" : state.lines[at]);
    const step = line ? this.tree.follow(split(line).map(({ text }) => text), survey.sheet) : null;
    const root = step?.nodes.findIndex(({ takes }) => typeof takes === "number") ?? -1;
    if (!step || root < 0) return null;
    const index = step.nodes.findIndex((node, here) => here > root && this.atlas.find(this.drafts.placeOf(node, step.words[here])) === spot);
    if (index < 0) return null;
    const begun = { ...state.begun, [need.slot]: lineOf(step.words.toSpliced(index, 1)) };
    const lines = at === undefined ? state.lines : state.lines.toSpliced(at, 1);
    return { ...state, lines, begun, said: `${step.words[index]} is free again`, last: null };
  }

  /**
   * @param {State} state
   * @param {number} spot
   */
  endingAt(state, spot) {
    const { reads } = this.survey(state);
    const ends = reads.findLast(({ verb, step }) => verb?.mark && this.atlas.find(this.drafts.placesOf(step).at(-1) || "") === spot);
    return ends?.line || "";
  }

  /**
   * Gives what candidates at one place are, the first of them; the others become its alternatives.
   * @param {State} state
   * @param {Candidate[]} candidates
   * @param {number} [spot]
   * @returns {State}
   */
  give(state, candidates, spot = -1) {
    if (state.selection.units.length > 1) {
      return this.order(state, candidates.map(({ step, unit }) => lineOf(this.finished(state, step, unit).words)), []);
    }
    const chosen = candidates.find(({ affordable }) => affordable);
    if (!chosen) return { ...state, said: `Too dear: ${candidates[0].word}`, last: null };
    const step = chosen.spot < 0 ? this.forced(state, chosen.step, chosen.unit) : this.finished(state, chosen.step, chosen.unit);
    if (!step.ends) return this.go(state, step, chosen);
    const line = lineOf(step.words);
    const others = candidates.flatMap((each) => this.endings(state, each)).filter((other) => other.line !== line);
    const here = this.standing(state).get(spot)?.[0] || "";
    return this.order(state, [line], this.labelled(line, others), step, here);
  }

  /**
   * A line that is not at its end: it is the one that is being written.
   * @param {State} state
   * @param {Step} step
   * @param {Candidate} chosen
   * @returns {State}
   */
  go(state, step, chosen) {
    const root = step.nodes[0];
    const need = this.needOf(state, step.words);
    if (need && step.left && root) {
      const survey = this.survey(state);
      const at = survey.slots.get(need.slot.toUpperCase());
      const lines = at === undefined ? state.lines : state.lines.toSpliced(at, 1);
      const selection = state.selection.slot ? state.selection : { ...NONE, slot: need.slot };
      return { ...state, lines, begun: { ...state.begun, [need.slot]: lineOf(step.words) }, selection, said: "", last: null };
    }
    const selection = { ...state.selection, by: /** @type {"player"} */ ("player"), words: step.words, units: chosen.unit ? [chosen.unit] : state.selection.units };
    return { ...state, selection, said: "", last: null };
  }

  /**
   * The need that a line begins to meet.
   * @param {State} state
   * @param {string[]} words
   */
  needOf(state, words) {
    const line = `${lineOf(words)} `;
    return this.needs(state).find(({ start }) => start.split("|").some((each) => line.startsWith(`${each} `))) || null;
  }

  /**
   * All lines that a candidate can come to without another place.
   * @param {State} state
   * @param {Candidate} candidate
   * @returns {Alternative[]}
   */
  endings(state, candidate) {
    /** @type {Alternative[]} */
    const found = [];
    const visit = (/** @type {Step} */ step, /** @type {string} */ says) => {
      step = this.forced(state, step, candidate.unit);
      if (step.ends) found.push({ line: lineOf(step.words), label: says });
      if (step.ends || step.left) return;
      for (const each of this.candidates(state, step, candidate.unit)) {
        if (found.length < MANY_ENDINGS && each.spot < 0 && each.affordable) visit(each.step, each.node.says || says);
      }
    };
    if (candidate.affordable) visit(candidate.step, candidate.node.says || "");
    return found;
  }

  /**
   * Alternatives with what tells them from the line that was given.
   * @param {string} line
   * @param {Alternative[]} others
   */
  labelled(line, others) {
    const words = tokensOf([line]);
    return others.map((other) => {
      if (other.label) return other;
      const theirs = tokensOf([other.line]);
      if (theirs[0] !== words[0]) return { ...other, label: this.phrase(theirs, words[1]) };
      const fresh = theirs.filter((word, at) => word !== words[at]);
      return { ...other, label: fresh.map((word) => short(word, words[theirs.indexOf(word)] || "")).join(" ") || other.line };
    });
  }

  /**
   * Puts lines into the sheet; each replaces the one of its slot.
   * @param {State} state
   * @param {string[]} given
   * @param {Alternative[]} others
   * @param {Step} [step] where the line has come to, if it may grow
   * @param {string} [unit] own unit at the place, which may have been meant
   * @returns {State}
   */
  order(state, given, others, step, unit = "") {
    const { lines, said, begun } = this.placed(state, state.lines, given);
    const text = given.length > 1 ? `${given.length} orders: ${this.sentence(given[0])} …` : this.sentence(given[0]);
    /** @type {State} */
    const next = { lines, begun, said: [text, ...said].join("; "), last: given.length > 1 ? null : { line: given[0], others, unit }, selection: state.selection };
    return this.goOn(state, next, given, step);
  }

  /**
   * @param {State} state
   * @param {string[]} before
   * @param {string[]} given
   */
  placed(state, before, given) {
    let lines = before;
    const gone = [];
    const begun = { ...state.begun };
    for (const line of given) {
      const { slots } = this.drafts.parse(line);
      for (const slot of Object.keys(begun)) if (slots.includes(slot.toUpperCase())) delete begun[slot];
      const at = lines.findIndex((other) => this.drafts.parse(other).slots.some((slot) => slots.includes(slot)));
      if (at >= 0 && lines[at] !== line && !line.startsWith(lines[at])) gone.push(lines[at]);
      lines = at < 0 ? [...lines, line] : lines.with(at, line);
    }
    const read = this.drafts.reread(state.lines, lines);
    const slotted = read.begun.flatMap(([slot, line]) => {
      const need = this.drafts.agenda.find((each) => each.slot.toUpperCase() === slot);
      return need ? [[need.slot, line]] : [];
    });
    for (const slot of Object.keys(begun)) {
      const kept = this.tree.follow(split(begun[slot]).map(({ text }) => text), this.drafts.survey(read.lines).sheet);
      if (!kept) delete begun[slot];
    }
    const instead = gone.length ? [`instead of ${gone.length > 1 ? `${gone.length} others` : gone[0]}`] : [];
    return { lines: read.lines, begun: { ...begun, ...Object.fromEntries(slotted) }, said: [...instead, ...read.said] };
  }

  /**
   * What is selected after an order.
   * @param {State} before
   * @param {State} state
   * @param {string[]} given
   * @param {Step} [step]
   * @returns {State}
   */
  goOn(before, state, given, step) {
    const { selection } = before;
    const { verb, slots } = this.drafts.parse(given[0]);
    if (step?.options.length && selection.slot && !selection.units.length) {
      const grown = { ...state, selection: { ...selection, words: step.words } };
      if (this.offers(grown).lit.size || this.partner(grown)) return grown;
    }
    const partnered = before.selection.words.length && this.partner(before);
    if (partnered && this.partner(state)) return { ...state, selection: before.selection };
    if (verb && !verb.slot && selection.words.length) {
      const stays = { ...state, selection: { ...selection, by: /** @type {"player"} */ ("player") } };
      const { chips, lit } = this.offers(stays);
      if ([...chips, ...[...lit.values()].flat()].some(({ affordable }) => affordable)) return stays;
    }
    const needs = this.needs(state);
    if (needs.length === 1 && !this.isUnits(state, needs[0]) && slots.includes(needs[0].slot.toUpperCase())) {
      return { ...state, selection: { ...NONE, slot: needs[0].slot } };
    }
    return this.toNext(state, selection);
  }

  /**
   * The state with the next need without orders selected: of the same place, else the nearest on the map.
   * @param {State} state
   * @param {Selection} from
   * @returns {State}
   */
  toNext(state, from) {
    const needs = this.needs(state);
    const open = this.open(state).filter(({ slot }) => slot !== from.slot);
    if (!open.length) return { ...state, selection: NONE };
    const at = needs.findIndex(({ slot }) => slot === from.slot);
    const behind = [...needs.slice(at + 1), ...needs.slice(0, at + 1)].filter((need) => open.includes(need));
    const spot = from.units.length ? this.spotOf(state, from.units[0]) : from.spot;
    const far = (/** @type {Need} */ need) => {
      const place = this.spotOfNeed(state, need);
      return spot < 0 || place < 0 ? 0 : this.atlas.distance(spot, place);
    };
    const next = this.guided ? behind[0] : behind.reduce((best, need) => (far(need) < far(best) ? need : best));
    return { ...this.selectNeed(state, next.slot, "page") };
  }

  /**
   * The next need, at the player's wish.
   * @param {State} state
   * @returns {State}
   */
  next(state) {
    return this.toNext({ ...state, said: "", last: null }, state.selection);
  }

  /**
   * Whether a need is about a unit that can be given orders.
   * @param {State} state
   * @param {Need} need
   */
  isUnits(state, need) {
    return Boolean(need.unit) && need.start.split("|").some((start) => split(start)[1]?.text === need.unit);
  }

  /**
   * @param {State} state
   * @param {string} slot
   * @param {"player" | "page"} by
   * @returns {State}
   */
  selectNeed(state, slot, by) {
    const need = this.need(state, slot);
    if (!need) return state;
    const units = need.unit && this.isUnits(state, need) ? [need.unit] : [];
    return { ...state, selection: { ...NONE, by, units, slot } };
  }

  /**
   * @param {State} state
   * @param {string} unit
   * @returns {State}
   */
  selectUnit(state, unit) {
    const need = this.needs(state).find((each) => each.unit === unit);
    const cleared = { ...state, said: "", last: null };
    if (need) return this.selectNeed(cleared, need.slot, "player");
    return { ...cleared, selection: { ...NONE, by: "player", units: [unit] } };
  }

  /**
   * @param {State} state
   * @param {string[]} units
   * @returns {State}
   */
  selectAll(state, units) {
    return { ...state, said: "", last: null, selection: { ...NONE, by: "player", units } };
  }

  /**
   * @param {State} state
   * @param {number} spot
   * @returns {State}
   */
  selectPlace(state, spot) {
    const verbs = this.verbsAt(spot);
    const placed = { ...state, said: this.atlas.places[spot].title, last: null, selection: { ...NONE, by: /** @type {"player"} */ ("player"), spot } };
    return verbs.length === 1 ? { ...this.write(placed, verbs, spot), said: placed.said } : placed;
  }

  /**
   * Begins a line.
   * @param {State} state
   * @param {string[]} words
   * @param {number} [spot]
   * @returns {State}
   */
  write(state, words, spot = -1) {
    const { sheet } = this.survey(state);
    const step = this.tree.follow(tokensOf(words), sheet);
    if (!step) return state;
    const unit = words.length > 1 && this.ownUnits.has(words[1]) ? [words[1]] : [];
    const slot = this.needOf(state, words)?.slot || "";
    const begun = { ...state, said: "", last: null, selection: { ...NONE, by: /** @type {"player"} */ ("player"), units: unit, slot, words, spot } };
    const full = this.forced(begun, step, unit[0] || "");
    if (full.ends && !full.options.length) return this.order(begun, [lineOf(full.words)], []);
    return { ...begun, selection: { ...begun.selection, words: full.words } };
  }

  /**
   * The last order, replaced by one of its alternatives.
   * @param {State} state
   * @param {Alternative} other
   * @returns {State}
   */
  replace(state, other) {
    const { last } = state;
    if (!last) return state;
    const { lines, begun, said } = this.placed(state, state.lines.filter((line) => line !== last.line), [other.line]);
    const back = { line: last.line, label: "" };
    const others = this.labelled(other.line, [back, ...last.others.filter(({ line }) => line !== other.line).map(({ line }) => ({ line, label: "" }))]);
    return { ...state, lines, begun, said: [this.sentence(other.line), ...said.filter((text) => !text.startsWith("instead"))].join("; "), last: { ...last, line: other.line, others } };
  }

  /**
   * @param {State} state
   * @param {string} line
   * @returns {State}
   */
  remove(state, line) {
    const { lines, begun, said } = this.placed(state, state.lines.filter((each) => each !== line), []);
    return { lines, begun, selection: state.selection.order ? NONE : state.selection, last: null, said: [`Removed: ${line}`, ...said].join("; ") };
  }

  /**
   * Lines as they were typed; those that hang on others follow them, unless they are being typed themselves.
   * @param {State} state
   * @param {string[]} typed
   * @param {boolean} whole
   * @returns {State}
   */
  type(state, typed, whole) {
    const { lines, begun, said } = whole ? this.placed(state, typed, []) : { ...state, lines: typed, said: [] };
    return { ...state, lines, begun, last: null, said: said.join("; "), selection: state.selection.order ? NONE : state.selection };
  }

  /**
   * @param {State} state
   * @returns {State}
   */
  leave(state) {
    return { ...state, said: "", last: null, selection: NONE };
  }

  /**
   * A line in words, as far as its mark tells them.
   * @param {string} line
   */
  sentence(line) {
    const { verb, fields } = this.drafts.parse(line);
    const [unit] = filled(`{${verb?.mark?.of || "_"}}`, fields);
    const places = this.drafts.follow(line, this.drafts.survey([line]).sheet);
    const to = verb?.mark?.at ? (fields[verb.mark.at] || []).join(" ") : this.drafts.placesOf(places).at(-1);
    if (verb?.mark?.shape !== "path" || verb.mark.label || !unit || !to) return line;
    const word = verb.word.toLowerCase();
    return `${unit} ${word}${/(?:s|sh|ch|x)$/.test(word) ? "es" : "s"} to ${to}`;
  }

  /**
   * A line as the text of a button: "Fire at G447".
   * @param {string[]} words
   * @param {string} [unit] left out
   */
  phrase(words, unit = "") {
    const said = words.filter((word, at) => at === 0 || word !== unit).map((word) => (this.keywords.has(word) ? word.toLowerCase() : word));
    return capital([words[0].toLowerCase(), ...said.slice(1)].join(" "));
  }
}

/**
 * What a word has that another has not: "+3" of "P7+3" beside "P7+0".
 * @param {string} word
 * @param {string} other
 */
function short(word, other) {
  const [, place, level] = /^(\w+)([+-]\d+)$/.exec(word) || [];
  return place && other.startsWith(place) && /^[+-]/.test(other.slice(place.length)) ? level : word;
}

/** @type {(text: string) => string} */
export const capital = (text) => text && text[0].toUpperCase() + text.slice(1);
