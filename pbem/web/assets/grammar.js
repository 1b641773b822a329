import { fits, listed, longer, possible, ranges, typed } from "./forms.js";

/**
 * The orders of a game, as `pbem.ruleset.orders` writes them.
 *
 * @typedef {import("./forms.js").Form} Form
 * @typedef {{shown: string, expected: string, example: string, form: Form}} Kind
 * @typedef {object} Part one of a word, a field and what is optional
 * @property {string} [word]
 * @property {string} [field]
 * @property {string} [kind]
 * @property {boolean} [many]
 * @property {Part[]} [optional]
 * @property {number} [turn] of a field of many that has begun: whose turn it is
 * @typedef {object} Verb
 * @property {string} name
 * @property {string} word
 * @property {string[]} also
 * @property {string} usage
 * @property {string} help
 * @property {string[]} examples
 * @property {Part[]} parts
 * @property {string} [slot] of which a sheet has one line
 * @property {{shape: string, of?: string, at?: string, along?: string, label?: string}} [mark] how a line is drawn
 * @property {boolean} [grave]
 * @typedef {{verbs: Verb[], kinds: Record<string, Kind>}} Desk
 */

/**
 * What a line comes to so far.
 *
 * @typedef {object} Reading
 * @property {string[]} words
 * @property {Verb[]} verbs those that it may be of
 * @property {boolean} complete
 * @property {boolean} unfinished whether all words are known, and more must follow
 * @property {string} next what has to follow, "" if nothing has to
 * @property {string} fault "" if nothing is wrong, as far as a page can tell
 * @property {Offer[]} endings what the last word may become
 * @property {Offer[]} nexts what may follow it
 * @property {Range[]} ranges
 * @property {string[]} expected what may come next, in words
 * @property {boolean} typed whether that may be something which is not offered
 * @typedef {{line: string, value: string, label: string}} Offer a value, and the line with it
 * @typedef {{low: number, high: number, expected: string}} Range
 * @typedef {{verb: Verb, items: Part[], got?: Got}} Thread a verb, what of it may follow, and the words of its fields
 * @typedef {[string, string, Form][]} Got names of fields, and words
 */

const SHORTEST = 3;
const MANNERS = ["WAIT", "FINAL"];

/** Reads lines by the declarations of a game's orders. The receipt reads more, and is the judge. */
export class Grammar {
  /** @param {Desk} desk */
  constructor(desk) {
    this.kinds = desk.kinds;
    this.verbs = desk.verbs.filter((verb) => this.canBegin(verb.parts));
  }

  /**
   * @param {string} line
   * @param {boolean} [typing] whether its last word may be only begun
   * @returns {Reading}
   */
  read(line, typing = true) {
    const tokens = split(line);
    const words = tokens.map((token) => token.text);
    const open = tokens.length > 0 && tokens[tokens.length - 1].end === line.length;
    const before = open ? words.slice(0, -1) : words;
    const threads = this.follow(words);
    const start = open ? line.slice(0, tokens[tokens.length - 1].start) : line;
    const last = open ? words[words.length - 1] : "";
    const earlier = this.follow(before);
    const endings = open ? this.endings(earlier, before.length === 0, last, start, typing) : [];
    const cut = open && words.length === 1 && endings.length > 0 && !this.isVerb(last);
    const nexts = cut ? [] : this.nexts(threads, words.length === 0);
    const heads = threads.flatMap((thread) => [...headsOf(thread.items)]);
    const headsBefore = earlier.flatMap((thread) => [...headsOf(thread.items)]);
    const begun = typing && open && !heads.length && (endings.length > 0 || this.wanted(headsBefore).some(canBeTyped));
    const complete = heads.some((items) => !items.length);
    return {
      words,
      verbs: [...new Set(threads.map((thread) => thread.verb))],
      complete,
      unfinished: heads.length > 0 && !complete,
      next: complete ? "" : this.expected(begun ? headsBefore : heads).join(" or "),
      fault: words.length && !heads.length && !begun ? this.fault(words) : "",
      endings: distinct(endings),
      nexts: distinct(nexts.map((value) => offer(value, `${line.trimEnd()} ${quoted(value)}`))),
      ranges: this.wanted(heads).flatMap((kind) =>
        ranges(kind.form).map((range) => ({ ...range, expected: kind.expected })),
      ),
      expected: this.expected(heads),
      typed: this.wanted(heads).some((kind) => typed(kind.form)),
    };
  }

  /**
   * The lines that a line may become by a name on the map.
   * @param {string} line
   * @param {string[]} names
   * @returns {Offer[]}
   */
  named(line, names) {
    const words = split(line).map((token) => token.text);
    const starts = words.length ? [words] : this.beginnings();
    const found = starts.flatMap((start) =>
      names.flatMap((name) => this.takes(this.follow(start), name).map((more) => [...start, ...more])),
    );
    return distinct(found.map((all) => ({ line: written(all), value: names[0], label: written(all) })));
  }

  /**
   * The words, if any, by which a name can follow.
   * @param {Thread[]} threads
   * @param {string} name
   * @returns {string[][]}
   */
  takes(threads, name) {
    const fields = this.wanted(threads.flatMap((thread) => [...headsOf(thread.items)]));
    if (fields.some((kind) => listed(kind.form).some((value) => value.toLowerCase() === name.toLowerCase()))) {
      return [[name]];
    }
    const parts = name.split(",");
    if (parts.length > 1 && parts.every((part, at) => this.advance(threads, parts.slice(0, at + 1)).length)) {
      return [parts]; // a sheet reads commas as blanks
    }
    return fields.some((kind) => typed(kind.form) && fits(kind.form, name)) ? [[name]] : [];
  }

  /**
   * The verb of a whole line and the words of its fields; null if the line is not whole.
   * @param {string[]} words
   * @returns {{verb: Verb, fields: Record<string, string[]>} | null}
   */
  fieldsOf(words) {
    const whole = this.follow(words).find(({ items }) => [...headsOf(items)].some((rest) => !rest.length));
    if (!whole) return null;
    /** @type {Record<string, string[]>} */
    const fields = {};
    for (const [name, word, form] of whole.got || []) {
      const parts = form.type === "several" ? word.split(form.glue || "/") : [word];
      fields[name] = [...(fields[name] || []), ...parts];
    }
    return { verb: whole.verb, fields };
  }

  /**
   * Verbs with the words that must stand before their first field.
   * @returns {string[][]}
   */
  beginnings() {
    return this.verbs.map((verb) => {
      const fixed = verb.parts.findIndex((part) => !part.word);
      return verb.parts.slice(0, fixed < 0 ? verb.parts.length : fixed).map((part) => part.word || "");
    });
  }

  /**
   * @param {string[]} words
   * @returns {Thread[]}
   */
  follow(words) {
    if (!words.length) return this.unnamed();
    const threads = this.find(words[0]).map((verb) => ({ verb, items: verb.parts.slice(1) }));
    return threads.length ? this.advance(threads, words.slice(1)) : this.advance(this.unnamed(), words);
  }

  /**
   * Whether a word is the whole word of a verb.
   * @param {string} word
   */
  isVerb(word) {
    return this.verbs.some((verb) => [verb.word, ...verb.also].includes(word.toUpperCase()));
  }

  /**
   * What a line may be that begins with no verb: in a game of free words alone, its last verb need not be written.
   * @returns {Thread[]}
   */
  unnamed() {
    const free = this.verbs.every(({ parts }) => parts.length === 2 && this.kinds[parts[1].kind || ""]?.form.verbatim);
    return free ? this.verbs.slice(-1).map((verb) => ({ verb, items: verb.parts.slice(1) })) : [];
  }

  /**
   * What threads come to by some words. Two of them may be one, as commas part words: 3,-2.
   * @param {Thread[]} threads
   * @param {string[]} words
   * @returns {Thread[]}
   */
  advance(threads, words) {
    /** @type {Thread[][]} */
    const reached = [threads, ...words.map(() => [])];
    for (const [at, word] of words.entries()) {
      for (const thread of reached[at]) {
        const found = this.step(thread, word);
        reached[at + 1].push(...found);
        if (!found.length && at + 1 < words.length) {
          reached[at + 2].push(...this.step(thread, `${word},${words[at + 1]}`));
        }
      }
    }
    return reached[words.length];
  }

  /**
   * @param {Thread} thread
   * @param {string} word
   * @returns {Thread[]}
   */
  step({ verb, items, got = [] }, word) {
    const found = [];
    for (const [first, ...rest] of headsOf(items)) {
      if (!first) continue;
      if (first.word) {
        if (first.word.toLowerCase() === word.toLowerCase()) found.push({ verb, items: rest, got });
        continue;
      }
      const form = this.formOf(first);
      if (!form.verbatim && !fits(form, word)) continue;
      const more = /** @type {Got} */ ([...got, [first.field || "", word, form]]);
      if (form.verbatim || first.many) {
        found.push({ verb, items: [{ ...first, turn: this.turnAfter(first) }, ...rest], got: more });
      } else {
        found.push({ verb, items: rest, got: more });
      }
    }
    return found;
  }

  /**
   * The form of a field's next word.
   * @param {Part} field
   * @returns {Form}
   */
  formOf(field) {
    const form = this.kinds[field.kind || ""].form;
    return form.type === "in-turn" ? form.of[field.turn || 0] : form;
  }

  /** @param {Part} field */
  turnAfter(field) {
    const form = this.kinds[field.kind || ""].form;
    return form.type === "in-turn" ? ((field.turn || 0) + 1) % form.of.length : 0;
  }

  /**
   * The verbs that a word may mean: by all of it, or by its beginning if no other has that.
   * @param {string} word
   * @returns {Verb[]}
   */
  find(word) {
    const upper = word.toUpperCase();
    /** @type {(verb: Verb) => string[]} */
    const wordsOf = (verb) => [verb.word, ...verb.also];
    const exact = this.verbs.filter((verb) => wordsOf(verb).includes(upper));
    if (exact.length || upper.length < SHORTEST) return exact;
    const meant = this.verbs.flatMap(wordsOf).filter((known) => known.startsWith(upper));
    return new Set(meant).size === 1 ? this.verbs.filter((verb) => wordsOf(verb).includes(meant[0])) : [];
  }

  /**
   * Values that may come next.
   * @param {Thread[]} threads
   * @param {boolean} first
   * @returns {string[]}
   */
  nexts(threads, first) {
    const heads = threads.flatMap((thread) => [...headsOf(thread.items)]);
    const words = first ? this.verbs.map((verb) => verb.word) : heads.flatMap(([item]) => (item?.word ? [item.word] : []));
    return [...new Set([...words, ...this.wanted(heads).flatMap((kind) => listed(kind.form))])];
  }

  /**
   * What the last word, not yet closed, may become.
   * @param {Thread[]} threads those before it
   * @param {boolean} first
   * @param {string} last
   * @param {string} start
   * @param {boolean} typing
   * @returns {Offer[]}
   */
  endings(threads, first, last, start, typing) {
    const heads = threads.flatMap((thread) => [...headsOf(thread.items)]);
    const begun = this.nexts(threads, first).filter(
      (value) => typing && value.length > last.length && value.toLowerCase().startsWith(last.toLowerCase()),
    );
    const whole = !first && this.advance(threads, [last]).length > 0;
    const more = this.wanted(heads).flatMap((kind) => longer(kind.form, last));
    return [
      ...begun.map((value) => ({ ...offer(value, start + quoted(value)), label: whole ? `${value} for ${last}` : value })),
      ...more.map((value) => ({ ...offer(value, start + quoted(value)), label: `with ${value.slice(last.length + 1)}` })),
    ];
  }

  /**
   * The kinds of the fields that may come next, each with the form of its next word.
   * @param {Part[][]} heads
   * @returns {Kind[]}
   */
  wanted(heads) {
    return heads.flatMap(([item]) =>
      item?.field ? [{ ...this.kinds[item.kind || ""], form: this.formOf(item) }] : [],
    );
  }

  /** @param {Part[][]} heads */
  expected(heads) {
    const words = heads.flatMap(([item]) => (item?.word ? [item.word] : []));
    return [...new Set([...words, ...this.wanted(heads).map((kind) => kind.expected)])];
  }

  /**
   * Why words cannot be read to their end.
   * @param {string[]} words
   */
  fault(words) {
    if (words.length === 1 && MANNERS.includes(words[0].toUpperCase())) return "";
    if (!this.find(words[0]).length) return `there is no order "${words[0]}" that can be given now`;
    let known = words.length - 1;
    while (known > 1 && !this.follow(words.slice(0, known)).length) known -= 1;
    const after = this.follow(words.slice(0, known)).flatMap((thread) => [...headsOf(thread.items)]);
    const expected = this.expected(after).join(" or ");
    return `"${words[known]}" ` + (expected ? `stands where ${expected} belongs` : "is more than it takes");
  }

  /**
   * Whether all that a verb needs is possible now.
   * @param {Part[]} parts
   * @returns {boolean}
   */
  canBegin(parts) {
    return parts.every((part) => !part.kind || possible(this.kinds[part.kind].form));
  }
}

/** @param {Kind} kind */
const canBeTyped = ({ form }) => typed(form) || ranges(form).length > 0;

/**
 * All ways to go on: lists of parts of which the first must be used now; an empty one is the end.
 * @param {Part[]} items
 * @returns {Generator<Part[]>}
 */
function* headsOf(items) {
  const [first, ...rest] = items;
  if (first?.optional) {
    yield* headsOf([...first.optional, ...rest]);
    yield* headsOf(rest);
  } else {
    yield items;
    if (first?.turn === 0) yield* headsOf(rest);
  }
}

/**
 * The words of a line, and where they stand: blanks and commas part them, quotes hold them together, comments are none.
 * @param {string} line
 * @returns {{text: string, start: number, end: number}[]}
 */
export function split(line) {
  const found = [];
  for (const match of line.matchAll(/"([^"]*)"?|([;#%].*|\/\/.*|\/\*.*?(?:\*\/|$))|([^\s,";]+)/g)) {
    if (match[2] !== undefined) continue;
    found.push({ text: match[3] ?? match[1], start: match.index ?? 0, end: (match.index ?? 0) + match[0].length });
  }
  return found;
}

/**
 * A word as it is written in a line.
 * @param {string} word
 */
function quoted(word) {
  return !word || /[\s,;#%]|\/[/*]/.test(word) ? `"${word}"` : word;
}

/** @param {string[]} words */
function written(words) {
  return words.map(quoted).join(" ");
}

/** @type {(value: string, line: string) => Offer} */
const offer = (value, line) => ({ value, line: line.trimStart(), label: value });

/**
 * @param {Offer[]} offers
 * @returns {Offer[]}
 */
function distinct(offers) {
  return [...new Map(offers.map((each) => [each.line, each])).values()];
}
