import { costOf } from "./draft.js";
import { split } from "./grammar.js";
import { lineOf } from "./tree.js";

/**
 * States of the page, and what can be ordered in each, without a screen.
 *
 * @typedef {import("./draft.js").Survey} Survey
 * @typedef {import("./tree.js").Node} TreeNode
 * @typedef {import("./tree.js").Step} Step
 * @typedef {import("./tree.js").Need} Need
 * @typedef {object} Selection
 * @property {"player" | "page"} by
 * @property {string[]} units
 * @property {string} slot of the need
 * @property {string[]} words of the line that is begun
 * @property {number} spot the place at which something is ordered, -1 for none
 * @property {string} order the drawn order that is looked at
 * @typedef {{line: string, label: string}} Alternative
 * @typedef {object} State
 * @property {string[]} lines
 * @property {Record<string, string>} begun lines that want more words, by slot
 * @property {Selection} selection
 * @property {string} said
 * @property {{line: string, others: Alternative[], unit: string} | null} last
 * @typedef {object} Candidate a word that can be given now
 * @property {Step} step with the word
 * @property {TreeNode} node
 * @property {string} word
 * @property {number} spot
 * @property {string} unit
 * @property {boolean} affordable
 * @property {Record<string, number>} cost
 * @typedef {object} Offers
 * @property {Map<number, Candidate[]>} lit
 * @property {Candidate[]} chips choices without a place
 * @property {string} wants how far a line is that takes several words, such as "4 of 7"
 */

/** @type {Selection} */
export const NONE = { by: "page", units: [], slot: "", words: [], spot: -1, order: "" };

/** What can be ordered in a state: needs, units, and the words that can be given. */
export class Offering {
  /**
   * @param {import("./grammar.js").Grammar} grammar
   * @param {import("./tree.js").Tree} tree
   * @param {import("./draft.js").Drafts} drafts
   * @param {import("./atlas.js").Atlas} atlas
   */
  constructor(grammar, tree, drafts, atlas) {
    this.grammar = grammar;
    this.tree = tree;
    this.drafts = drafts;
    this.atlas = atlas;
    this.keywords = new Set(grammar.verbs.flatMap(({ parts }) => wordsOf(parts)));
    const asked = new Set(drafts.agenda.flatMap(({ start }) => start.split("|")));
    /** Words behind verbs that are names on the picture. A verb asked for by itself has places there, not units. */
    this.ownUnits = new Set(
      tree.roots.flatMap((root) =>
        asked.has(root.word || "") || root.takes !== undefined
          ? []
          : tree.list(root.next).filter(({ word, next, place }) => word && !place && next !== undefined && atlas.has(word)).map(({ word }) => word || ""),
      ),
    );
    for (const { unit } of drafts.agenda) if (unit) this.ownUnits.add(unit);
    this.guided = drafts.agenda.length > 1 && drafts.agenda.some(({ short }) => short);
    /** @type {WeakMap<State, Offers>} */
    this.known = new WeakMap();
    /** @type {Map<string, Set<number>>} */
    this.reached = new Map();
  }

  /** @param {State} state */
  survey(state) {
    return this.drafts.survey(state.lines);
  }

  /**
   * @param {State} state
   * @returns {Need[]}
   */
  needs(state) {
    return this.survey(state).needs;
  }

  /**
   * @param {State} state
   * @param {Need} need
   */
  met(state, need) {
    return this.survey(state).slots.has(need.slot.toUpperCase());
  }

  /**
   * The needs without orders.
   * @param {State} state
   */
  open(state) {
    return this.needs(state).filter((need) => !this.met(state, need));
  }

  /**
   * @param {State} state
   * @param {string} slot
   */
  need(state, slot) {
    return this.needs(state).find((each) => each.slot === slot) || null;
  }

  /**
   * Where a unit stands.
   * @param {State} state
   * @param {string} unit
   */
  spotOf(state, unit) {
    const survey = this.survey(state);
    const need = survey.needs.find((each) => each.unit === unit);
    return this.atlas.find(survey.births.get(unit) || need?.place || unit);
  }

  /**
   * @param {State} state
   * @param {Need} need
   */
  spotOfNeed(state, need) {
    if (need.place) return this.atlas.find(need.place);
    return need.unit ? this.spotOf(state, need.unit) : -1;
  }

  /**
   * Own units by the place where they stand.
   * @param {State} state
   * @returns {Map<number, string[]>}
   */
  standing(state) {
    /** @type {Map<number, string[]>} */
    const found = new Map();
    const order = this.needs(state).map(({ unit }) => unit || "");
    const rank = (/** @type {string} */ unit) => (order.includes(unit) ? order.indexOf(unit) : order.length);
    const units = [...new Set([...this.ownUnits, ...this.survey(state).births.keys()])].sort((one, other) => rank(one) - rank(other));
    for (const unit of units) {
      const spot = this.spotOf(state, unit);
      if (spot >= 0) found.set(spot, [...(found.get(spot) || []), unit]);
    }
    return found;
  }

  /**
   * The beginnings of lines of a unit, by verbs that are not grave.
   * @param {State} state
   * @param {string} unit
   * @param {boolean} [grave]
   * @returns {Step[]}
   */
  bases(state, unit, grave = false) {
    const { sheet } = this.survey(state);
    const start = this.tree.start(sheet);
    const found = [];
    for (const root of start.options) {
      if (Boolean(this.verb(root.word || "")?.grave) !== grave) continue;
      const step = this.tree.go(start, root, sheet);
      const node = step.options.find(({ word }) => word === unit);
      if (node) found.push(this.tree.go(step, node, sheet));
    }
    return found;
  }

  /** @param {string} word */
  verb(word) {
    return this.grammar.verbs.find((verb) => verb.word === word) || null;
  }

  /**
   * The line that a selection is about, and would replace.
   * @param {State} state
   * @param {string} unit
   */
  own(state, unit) {
    const survey = this.survey(state);
    const { slot } = state.selection;
    const at = slot ? survey.slots.get(slot.toUpperCase()) : undefined;
    if (at !== undefined) return survey.reads[at];
    if (!unit) return null;
    const has = survey.needs.find((each) => each.unit === unit)?.slot.toUpperCase();
    return survey.reads.find(({ slots }) => has && slots.includes(has)) || null;
  }

  /**
   * What may follow a step now, beside the other lines of the sheet.
   * @param {State} state
   * @param {Step} step
   * @param {string} unit
   * @returns {Candidate[]}
   */
  candidates(state, step, unit) {
    const survey = this.survey(state);
    const own = this.own(state, unit);
    const near = unit ? this.spotOf(state, unit) : -1;
    const spent = costOf(step);
    const taken = step.left ? new Set(step.words.slice(step.from)) : null;
    const found = [];
    for (const node of step.options) {
      const word = node.makes === undefined ? node.word ?? String(node.low) : this.drafts.fresh(node, survey);
      if (!this.drafts.allowed(node, word, survey, own?.line)) continue;
      const place = this.drafts.placeOf(node, word);
      if (taken && place && taken.has(word)) continue;
      const cost = node.cost || {};
      // A line that was begun before another was given may have become too dear since.
      const affordable = Object.keys({ ...spent, ...cost }).every(
        (name) => (spent[name] || 0) + (cost[name] || 0) <= (survey.left[name] ?? 0) + (own?.cost[name] || 0),
      );
      found.push({ step: this.tree.go(step, node, survey.sheet, word), node, word, spot: place ? this.atlas.find(place, near) : -1, unit, affordable, cost });
    }
    return found;
  }

  /**
   * A step with all words that are forced: only one may follow, and it is no place and no number to choose.
   * @param {State} state
   * @param {Step} step
   * @param {string} unit
   * @returns {Step}
   */
  forced(state, step, unit) {
    const { spot } = state.selection;
    while (!step.ends && !step.left) {
      const options = this.candidates(state, step, unit);
      const here = spot >= 0 ? options.find((each) => each.spot === spot) : undefined;
      const [only] = options.length === 1 && options[0].spot < 0 && options[0].node.low === options[0].node.high ? options : [here];
      if (!only) break;
      step = only.step;
    }
    return step;
  }

  /**
   * A step finished by what the game names first; it is not at an end if a place is wanted, or more than one word.
   * @param {State} state
   * @param {Step} step
   * @param {string} unit
   */
  finished(state, step, unit) {
    step = this.forced(state, step, unit);
    while (!step.ends && !step.left) {
      const first = this.candidates(state, step, unit).find(({ affordable }) => affordable);
      if (!first || (first.spot >= 0 && first.spot !== state.selection.spot)) break;
      step = this.forced(state, first.step, unit);
    }
    return step;
  }

  /**
   * All that can be given now.
   * @param {State} state
   * @returns {Offers}
   */
  offers(state) {
    let offers = this.known.get(state);
    if (!offers) this.known.set(state, (offers = this.makeOffers(state)));
    return offers;
  }

  /**
   * @param {State} state
   * @returns {Offers}
   */
  makeOffers(state) {
    const { units, words, slot } = state.selection;
    if (units.length > 1) return { ...NO_OFFERS, lit: this.litForAll(state, units) };
    const steps = this.steps(state);
    const unit = units[0] || "";
    /** @type {Map<number, Candidate[]>} */
    const lit = new Map();
    const chips = [];
    const home = unit && !words.length ? this.spotOf(state, unit) : -1;
    for (const [index, base] of steps.entries()) {
      const step = this.forced(state, base, unit);
      const found = step.ends && !step.options.length ? [whole(step, unit)] : this.candidates(state, step, unit);
      for (const each of found) {
        if (each.spot < 0) chips.push(each);
        else if (each.spot !== home) lit.set(each.spot, [...(lit.get(each.spot) || []), each]);
        else if (index) chips.push(each);
      }
    }
    const partner = this.partner(state);
    const along = partner ? this.stepsOf(state, partner).flatMap((step) => this.candidates(state, this.forced(state, step, ""), "")) : [];
    const counted = partner || this.need(state, slot);
    const [taking] = counted && (partner || !unit) ? this.stepsOf(state, counted) : [];
    const done = taking?.left ? taking.words.length - taking.from : 0;
    return { lit, chips: [...chips, ...along], wants: taking?.left ? `${done} of ${done + taking.left}` : "" };
  }

  /**
   * What all of several units can do.
   * @param {State} state
   * @param {string[]} units
   */
  litForAll(state, units) {
    const each = units.map((unit) => this.offers({ ...state, selection: { ...NONE, units: [unit] } }).lit);
    const shared = [...(each[0] || new Map())].filter(([spot]) => each.every((lit) => lit.has(spot)));
    return new Map(shared.map(([spot]) => [spot, each.flatMap((lit) => lit.get(spot)?.slice(0, 1) || [])]));
  }

  /**
   * The beginnings of lines that a selection is about.
   * @param {State} state
   * @returns {Step[]}
   */
  steps(state) {
    const { units, slot, words } = state.selection;
    const { sheet } = this.survey(state);
    if (words.length) {
      const step = this.tree.follow(tokensOf(words), sheet);
      return step ? [step] : [];
    }
    if (units.length) return this.bases(state, units[0]);
    const need = this.need(state, slot);
    return need ? this.stepsOf(state, need) : [];
  }

  /**
   * @param {State} state
   * @param {Need} need
   * @returns {Step[]}
   */
  stepsOf(state, need) {
    const { sheet } = this.survey(state);
    const starts = state.begun[need.slot] ? [state.begun[need.slot]] : need.start.split("|");
    return starts.flatMap((start) => this.tree.follow(split(start).map(({ text }) => text), sheet) || []);
  }

  /**
   * The need without an order that goes with the line that is growing: it takes as many words.
   * @param {State} state
   */
  partner(state) {
    const { slot, words } = state.selection;
    if (!words.length || !slot) return null;
    const takes = (/** @type {Need} */ { start }) =>
      this.tree.roots.some(({ word, takes: of }) => typeof of === "string" && of === slot && start.split("|").includes(word || ""));
    return this.open(state).find(takes) || null;
  }

  /**
   * Whether a line can be given at a place, by verbs that have no unit; and these verbs.
   * @param {number} spot
   * @returns {string[]}
   */
  verbsAt(spot) {
    return this.tree.roots
      .filter(({ word }) => word && !this.verb(word)?.grave && !this.isAsked(word) && this.reach(word).has(spot))
      .map(({ word }) => word || "");
  }

  /**
   * The verbs of what can still be bought from the one purse: words with a price, not amounts that are given away.
   * @param {State} state
   */
  buying(state) {
    const { left } = this.survey(state);
    const [purse, ...others] = Object.keys(this.drafts.purses);
    if (!purse || others.length) return [];
    const affordable = (/** @type {TreeNode} */ { word, cost }) => word !== undefined && (cost?.[purse] || Infinity) <= left[purse];
    return this.tree.roots.filter(({ word, next }) => word && !this.verb(word)?.grave && this.tree.list(next).some(affordable)).map(({ word }) => word || "");
  }

  /** @param {string} word */
  isAsked(word) {
    return this.drafts.agenda.some(({ start }) => start.split("|").includes(word));
  }

  /**
   * The places at which a verb without a unit can be ordered.
   * @param {string} verb
   */
  reach(verb) {
    const known = this.reached.get(verb);
    if (known) return known;
    /** @type {Set<number>} */
    const found = new Set();
    const seen = new Set();
    const root = this.tree.roots.find(({ word }) => word === verb);
    const visit = (/** @type {TreeNode[]} */ nodes, /** @type {number} */ depth) => {
      if (depth > 5 || seen.has(nodes)) return;
      seen.add(nodes);
      for (const node of nodes) {
        if (depth === 0 && this.ownUnits.has(node.word || "")) continue;
        const place = this.drafts.placeOf(node);
        if (place) found.add(this.atlas.find(place));
        else visit(this.tree.list(node.next), depth + 1);
      }
    };
    if (root) visit(this.tree.list(root.next), 0);
    this.reached.set(verb, found);
    return found;
  }
}


/** @type {Offers} */
const NO_OFFERS = { lit: new Map(), chips: [], wants: "" };

/** @type {(step: Step, unit: string) => Candidate} */
const whole = (step, unit) => ({
  step,
  node: step.nodes[step.nodes.length - 1],
  word: step.words[step.words.length - 1],
  spot: -1,
  unit,
  affordable: true,
  cost: costOf(step),
});

/** @type {(words: string[]) => string[]} */
export const tokensOf = (words) => split(lineOf(words.flatMap((word) => word.split(" ")))).map(({ text }) => text);

/**
 * @param {import("./grammar.js").Part[]} parts
 * @returns {string[]}
 */
function wordsOf(parts) {
  return parts.flatMap(({ word, optional }) => (word ? [word] : optional ? wordsOf(optional) : []));
}
