import { split } from "./grammar.js";

/**
 * The tree of an order form: all words that may follow each other, made by the host from `choices` of a game.
 *
 * @typedef {object} Node a word, or a number from `low` to `high`
 * @property {string} [word]
 * @property {number} [low]
 * @property {number} [high]
 * @property {string} [place]
 * @property {string} [path]
 * @property {Record<string, number>} [cost]
 * @property {string} [says]
 * @property {boolean} [ends]
 * @property {number | string} [takes]
 * @property {string} [after]
 * @property {string} [room]
 * @property {number} [makes]
 * @property {Next} [next]
 * @typedef {Node[] | number | string} Next
 * @typedef {object} Need
 * @property {string} slot
 * @property {string} start
 * @property {string} title
 * @property {string} [says]
 * @property {string} [unit]
 * @property {string} [place]
 * @property {string} [short]
 * @property {boolean} [must]
 * @property {string} [rest]
 * @typedef {{name: string, need: Need | null, tree: Node[]}} Made a unit that a line makes
 * @typedef {object} Form
 * @property {Node[]} [tree]
 * @property {Next[]} [shared]
 * @property {Made[]} [made]
 * @property {Need[]} [agenda]
 * @property {Record<string, {have: number, shown: string}>} [purses]
 */

/**
 * Where a line has come to in the tree.
 *
 * @typedef {object} Step
 * @property {string[]} words
 * @property {Node[]} nodes one for each word
 * @property {Node[]} options what may follow
 * @property {boolean} ends whether the line may stop here
 * @property {number} left how many words are still to be taken from the same options
 * @property {number} from the place among the words of the first that is taken so
 */

/**
 * What a sheet means to one of its lines.
 *
 * @typedef {object} Sheet
 * @property {(slot: string) => number} count how many words the line of a slot has behind its verb
 * @property {Map<string, number>} made units that lines make, by name
 */

/** @type {Node[]} */
const NOTHING = [];

/** @type {Sheet} */
export const EMPTY_SHEET = { count: () => 0, made: new Map() };

/** Walks the tree. */
export class Tree {
  /** @param {Form} form */
  constructor(form) {
    this.roots = form.tree || NOTHING;
    this.shared = form.shared || [];
    this.made = form.made || [];
    /** @type {Map<string | number, Node[]>} */
    this.unpacked = new Map();
    /** @type {Map<string, string[]>} */
    this.parts = new Map();
  }

  /**
   * The nodes of a branch.
   * @param {Next} [next]
   * @returns {Node[]}
   */
  list(next) {
    if (next === undefined) return NOTHING;
    if (Array.isArray(next)) return next;
    let nodes = this.unpacked.get(next);
    if (!nodes) {
      nodes = typeof next === "number" ? this.list(this.shared[next]) : next.split(" ").map((word) => ({ word }));
      this.unpacked.set(next, nodes);
    }
    return nodes;
  }

  /**
   * The beginning of every line.
   * @param {Sheet} sheet
   * @returns {Step}
   */
  start(sheet) {
    const words = new Set(this.roots.map(({ word }) => word));
    const more = [...sheet.made.values()].flatMap((at) => this.made[at].tree.filter(({ word }) => !words.has(word)));
    return { words: [], nodes: [], options: [...this.roots, ...more.map(({ word }) => ({ word }))], ends: false, left: 0, from: 0 };
  }

  /**
   * The step by one of its options.
   * @param {Step} step
   * @param {Node} node
   * @param {Sheet} sheet
   * @param {string} [word]
   * @returns {Step}
   */
  go(step, node, sheet, word = node.word ?? String(node.low)) {
    const words = [...step.words, word];
    const nodes = [...step.nodes, node];
    if (step.left > 1) return { ...step, words, nodes, left: step.left - 1 };
    if (step.left === 1) return { ...step, words, nodes, options: NOTHING, ends: true, left: 0 };
    let options = this.list(node.next);
    if (nodes.length === 1 && sheet.made.size) options = [...options, ...this.madeBy(word, sheet)];
    if (node.takes !== undefined) {
      const left = typeof node.takes === "number" ? node.takes : sheet.count(node.takes);
      return { words, nodes, options: left ? options : NOTHING, ends: Boolean(node.ends), left, from: words.length };
    }
    return { words, nodes, options, ends: !options.length || Boolean(node.ends), left: 0, from: 0 };
  }

  /**
   * What a verb can be given of units that the sheet makes.
   * @param {string} verb
   * @param {Sheet} sheet
   * @returns {Node[]}
   */
  madeBy(verb, sheet) {
    return [...sheet.made].flatMap(([name, at]) =>
      this.made[at].tree.filter(({ word }) => word === verb).map((node) => ({ ...node, word: name })),
    );
  }

  /**
   * Where words lead, in the tree's own spelling; null if it does not have them.
   * @param {string[]} tokens words as `split` parts them
   * @param {Sheet} sheet
   * @param {(node: Node) => boolean} [allows] which of several nodes with one word are meant
   * @returns {Step | null}
   */
  follow(tokens, sheet, allows = () => true) {
    let step = this.start(sheet);
    for (let at = 0; at < tokens.length; ) {
      const found = this.match(step.options.filter(allows), tokens, at);
      if (!found) return null;
      step = this.go(step, found.node, sheet, found.word);
      at += found.length;
    }
    return step;
  }

  /**
   * @param {Node[]} options
   * @param {string[]} tokens
   * @param {number} at
   * @returns {{node: Node, word: string, length: number} | null}
   */
  match(options, tokens, at) {
    const token = tokens[at];
    for (const node of options) {
      if (node.word === undefined) {
        const number = Number(token);
        if (/^[+-]?[0-9]{1,9}$/.test(token) && number >= (node.low ?? 0) && number <= (node.high ?? 0)) {
          return { node, word: String(number), length: 1 };
        }
      } else if (node.makes !== undefined) {
        const [number] = /[0-9]+$/.exec(token) || [];
        if (number && stem(token) === stem(node.word)) return { node, word: node.word.replace(/[0-9]*$/, number), length: 1 };
      } else {
        const parts = this.partsOf(node.word);
        if (parts.every((part, index) => part === (tokens[at + index] ?? "").toLowerCase())) {
          return { node, word: node.word, length: parts.length };
        }
      }
    }
    return null;
  }

  /** @param {string} word */
  partsOf(word) {
    let parts = this.parts.get(word);
    if (!parts) {
      parts = /[\s"';#%]|\/[/*]/.test(word) ? [word.toLowerCase()] : split(word).map(({ text }) => text.toLowerCase());
      this.parts.set(word, parts);
    }
    return parts;
  }
}

/**
 * A name without the number at its end.
 * @param {string} name
 */
export function stem(name) {
  return name.toUpperCase().replace(/[0-9]+$/, "");
}

/**
 * A line as it is sent.
 * @param {string[]} words
 */
export function lineOf(words) {
  return words.map((word) => (!word || /[\s;#%]|\/[/*]/.test(word) ? `"${word}"` : word)).join(" ");
}
