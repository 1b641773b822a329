import { split } from "./grammar.js";
import { EMPTY_SHEET, lineOf, stem } from "./tree.js";

/**
 * @typedef {import("./tree.js").Node} TreeNode
 * @typedef {import("./tree.js").Step} Step
 * @typedef {import("./tree.js").Need} Need
 * @typedef {import("./tree.js").Sheet} Sheet
 * @typedef {import("./grammar.js").Verb} Verb
 * @typedef {object} Read a line, as the grammar and the tree have it
 * @property {string} line
 * @property {Verb | null} verb
 * @property {Record<string, string[]>} fields
 * @property {string[]} slots
 * @property {Step | null} step
 * @property {Record<string, number>} cost
 * @typedef {object} Survey what a sheet comes to
 * @property {Read[]} reads
 * @property {Map<string, number>} slots the line of each slot
 * @property {Record<string, number>} left of each purse
 * @property {Sheet} sheet
 * @property {Map<string, string>} births the place of each unit that a line makes
 * @property {Need[]} needs
 * @property {Set<string>} ends where the sheet leaves units
 */

/** Reads drafts, which are kept as lines of words. */
export class Drafts {
  /**
   * @param {import("./tree.js").Form} form
   * @param {import("./grammar.js").Grammar} grammar
   * @param {import("./tree.js").Tree} tree
   * @param {(word: string) => boolean} isPlace
   */
  constructor(form, grammar, tree, isPlace) {
    this.agenda = form.agenda || [];
    this.purses = form.purses || {};
    this.grammar = grammar;
    this.tree = tree;
    this.isPlace = isPlace;
    /** @type {WeakMap<string[], Survey>} */
    this.surveys = new WeakMap();
    /** @type {Map<string, Pick<Read, "verb" | "fields" | "slots">>} */
    this.parsed = new Map();
  }

  /**
   * What a sheet comes to. Of two lines with one slot the later counts.
   * @param {string[]} lines
   * @returns {Survey}
   */
  survey(lines) {
    const known = this.surveys.get(lines);
    if (known) return known;
    const parsed = lines.map((line) => this.parse(line));
    const slots = new Map(parsed.flatMap((each, at) => each.slots.map((slot) => /** @type {[string, number]} */ ([slot, at]))));
    /** @type {Sheet} */
    const sheet = { count: (slot) => countOf(lines[slots.get(slot.toUpperCase()) ?? -1] || ""), made: new Map() };
    const births = new Map();
    const needs = [...this.agenda];
    const steps = lines.map((line) => this.follow(line, { ...sheet, made: EMPTY_SHEET.made }));
    for (const step of steps) {
      const node = step?.nodes.find(({ makes }) => makes !== undefined);
      if (!step || !node) continue;
      const name = step.words[step.nodes.indexOf(node)];
      const made = this.tree.made[node.makes ?? 0];
      const place = step.nodes.map((each, at) => this.placeOf(each, step.words[at])).findLast(Boolean) || "";
      sheet.made.set(name, node.makes ?? 0);
      births.set(name, place);
      if (made.need) needs.push(renamed(made.need, made.name, name, place));
    }
    const reads = lines.map((line, at) => {
      const step = steps[at] || (sheet.made.size ? this.follow(line, sheet) : null);
      return { line, ...parsed[at], step, cost: step ? costOf(step) : {} };
    });
    /** @type {Record<string, number>} */
    const left = Object.fromEntries(Object.entries(this.purses).map(([name, { have }]) => [name, have]));
    for (const { cost } of reads) for (const [name, sum] of Object.entries(cost)) left[name] = (left[name] ?? 0) - sum;
    const ends = this.ends(reads, needs);
    const found = { reads, slots, left, sheet, births, needs, ends };
    for (const read of reads) {
      if (read.step?.nodes.some(({ after }) => after && !ends.has(after))) {
        // One word can stand for several nodes, each for another place at which the unit is left.
        read.step = this.follow(read.line, sheet, ({ after }) => !after || ends.has(after)) || read.step;
      }
    }
    this.surveys.set(lines, found);
    return found;
  }

  /** @param {string} line */
  parse(line) {
    let found = this.parsed.get(line);
    if (!found) {
      const words = split(line).map(({ text }) => text);
      const got = words.length ? this.grammar.fieldsOf(words) : null;
      found = { verb: got?.verb || null, fields: got?.fields || {}, slots: got ? filled(got.verb.slot || "", got.fields) : [] };
      this.parsed.set(line, found);
    }
    return found;
  }

  /**
   * @param {string} line
   * @param {Sheet} sheet
   * @param {(node: TreeNode) => boolean} [allows]
   * @returns {Step | null} the step of a whole line
   */
  follow(line, sheet, allows) {
    const tokens = split(line).map(({ text }) => text);
    const [verb] = tokens.length ? this.grammar.find(tokens[0]) : [];
    const step = verb ? this.tree.follow([verb.word, ...tokens.slice(1)], sheet, allows) : null;
    return step?.ends ? step : null;
  }

  /**
   * The place that stands for a word, "" for none.
   * @param {TreeNode} node
   * @param {string} [word]
   */
  placeOf(node, word = node.word || "") {
    return node.place || (node.word !== undefined && this.isPlace(word) ? word : "");
  }

  /**
   * Where a sheet leaves a unit, or all units.
   * @param {Read[]} reads
   * @param {Need[]} needs
   * @returns {Set<string>}
   */
  ends(reads, needs) {
    const ways = reads.filter(({ verb, step }) => verb?.mark?.shape === "path" && step);
    const moved = new Set(ways.flatMap(({ slots }) => slots));
    const ends = ways.map(({ step }) => this.placesOf(step).at(-1) || "");
    const still = needs.filter(({ slot }) => !moved.has(slot.toUpperCase())).map(({ unit, place }) => place || unit || "");
    return new Set([...ends, ...still].filter(Boolean));
  }

  /**
   * The places of the words of a line.
   * @param {Step | null} step
   */
  placesOf(step) {
    return step ? step.nodes.map((node, at) => this.placeOf(node, step.words[at])).filter(Boolean) : [];
  }

  /**
   * The lines of a sheet after a change, without what no longer holds, and what is to be said of that.
   * @param {string[]} before
   * @param {string[]} after
   * @returns {{lines: string[], begun: [string, string][], said: string[]}} with lines that now want more words, by slots
   */
  reread(before, after) {
    let lines = this.renumber(before, after);
    /** @type {[string, string][]} */
    const begun = [];
    const said = [];
    const earlier = this.survey(before);
    const held = new Set(earlier.reads.filter((read) => read.step && this.holds(read, earlier)).map(({ line }) => line));
    for (;;) {
      const survey = this.survey(lines);
      const broken = survey.reads.findIndex((read) => held.has(read.line) && !(read.step && this.holds(read, survey)));
      if (broken < 0) return { lines, begun, said };
      const { line, slots } = survey.reads[broken];
      const short = this.cut(line, survey);
      held.add(short);
      if (short && this.follow(short, survey.sheet)) {
        lines = lines.with(broken, short);
        said.push(`${line} becomes ${short}`);
      } else {
        lines = lines.toSpliced(broken, 1);
        if (short) begun.push([slots[0] || "", short]);
        else said.push(`${line} goes, as it no longer holds`);
      }
    }
  }

  /**
   * The line with as many words as another line lets it have; "" if it does not hold otherwise either.
   * @param {string} line
   * @param {Survey} survey
   */
  cut(line, { sheet }) {
    const tokens = split(line).map(({ text }) => text);
    const root = this.tree.roots.find(({ word, takes }) => word === tokens[0].toUpperCase() && typeof takes === "string");
    const most = root ? sheet.count(String(root.takes)) : 0;
    if (!most) return "";
    const short = tokens.slice(0, most + 1);
    return this.tree.follow(short, sheet) ? lineOf(short) : "";
  }

  /**
   * Whether what a line asks of others is so.
   * @param {Read} read
   * @param {Survey} survey
   */
  holds({ line, step }, survey) {
    return (step?.nodes || []).every((node, at) => this.allowed(node, step?.words[at], survey, line));
  }

  /**
   * Whether a word is possible beside the other lines of a sheet.
   * @param {TreeNode} node
   * @param {string | undefined} word
   * @param {Survey} survey
   * @param {string} [own] the line that it is in, or that it replaces
   */
  allowed(node, word, survey, own) {
    if (node.after && !survey.ends.has(node.after)) return false;
    if (!node.room) return true;
    const place = this.placeOf(node, word);
    return !survey.reads.some(({ line, step }) =>
      line !== own && step?.nodes.some((other, at) =>
        other.room && (node.room === "alone" || other.room === "alone") && this.placeOf(other, step.words[at]) === place),
    );
  }

  /**
   * The units that lines make are numbered in the order of these lines.
   * @param {string[]} before
   * @param {string[]} after
   */
  renumber(before, after) {
    const kept = [...this.survey(before).sheet.made.keys()];
    if (!kept.length) return after;
    /** @type {Map<string, string>} */
    const names = new Map();
    const count = new Map();
    const lines = after.map((line) => {
      const step = this.follow(line, EMPTY_SHEET);
      const at = step ? step.nodes.findIndex(({ makes }) => makes !== undefined) : -1;
      if (!step || at < 0) return line;
      const first = this.tree.made[step.nodes[at].makes ?? 0].name;
      const index = count.get(stem(first)) || 0;
      count.set(stem(first), index + 1);
      names.set(step.words[at], counted(first, index));
      return lineOf(step.words.with(at, counted(first, index)));
    });
    return lines.map((line, at) =>
      line === after[at] && ![...names].every(([old, name]) => old === name)
        ? lineOf(split(line).map(({ text }) => names.get(text) || text))
        : line,
    );
  }

  /**
   * The name of the next unit that a word makes.
   * @param {TreeNode} node
   * @param {Survey} survey
   */
  fresh(node, { sheet }) {
    const first = this.tree.made[node.makes ?? 0].name;
    return counted(first, [...sheet.made.keys()].filter((name) => stem(name) === stem(first)).length);
  }
}

/** @type {(first: string, index: number) => string} */
const counted = (first, index) => first.replace(/[0-9]+$/, (number) => String(Number(number) + index));

/** @type {(line: string) => number} */
const countOf = (line) => (line ? split(line).length - 1 : 0);

/**
 * What a line costs.
 * @param {Step} step
 */
export function costOf(step) {
  /** @type {Record<string, number>} */
  const sum = {};
  for (const [at, node] of step.nodes.entries()) {
    const times = node.word === undefined ? Number(step.words[at]) : 1;
    for (const [name, each] of Object.entries(node.cost || {})) sum[name] = (sum[name] || 0) + each * times;
  }
  return sum;
}

/**
 * A slot with the words of fields put in: one for each of several ships.
 * @param {string} slot
 * @param {Record<string, string[]>} fields
 * @returns {string[]}
 */
export function filled(slot, fields) {
  if (!slot) return [];
  const name = /\{(\w+)\}/.exec(slot)?.[1];
  if (!name) return [slot.toUpperCase()];
  return (fields[name] || []).map((word) => slot.replace(`{${name}}`, () => word).toUpperCase());
}

/**
 * The need of a unit that a line makes, under the unit's own name.
 * @param {Need} need
 * @param {string} old
 * @param {string} name
 * @param {string} place
 * @returns {Need}
 */
function renamed(need, old, name, place) {
  const change = (/** @type {string} */ text) => text.replaceAll(old, name);
  return { ...need, slot: change(need.slot), start: change(need.start), title: change(need.title), unit: name, place };
}
