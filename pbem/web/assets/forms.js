/**
 * Forms: what a word of an order may be, as `pbem.ruleset.fields` writes them.
 *
 * @typedef {object} Form
 * @property {"choice" | "number" | "several" | "either" | "in-turn" | "free"} type
 * @property {string[]} [values] of a choice
 * @property {number} [low] of a number
 * @property {number} [high]
 * @property {any} [of] of several: a form; of either and in turn: a list of forms
 * @property {string} [glue] of several
 * @property {number} [least]
 * @property {string} [pattern] of what is free
 * @property {string[]} [samples]
 * @property {boolean} [verbatim]
 */

/** @type {(one: string, other: string) => boolean} */
const same = (one, other) => one.toLowerCase() === other.toLowerCase();

/**
 * Whether a word is of a form, without regard to case.
 * @param {Form} form
 * @param {string} word
 * @returns {boolean}
 */
export function fits(form, word) {
  switch (form.type) {
    case "choice":
      return (form.values || []).some((value) => same(value, word));
    case "number":
      return /^[+-]?[0-9]{1,9}$/.test(word) && Number(word) >= (form.low ?? 0) && Number(word) <= (form.high ?? 0);
    case "several": {
      const parts = word.split(form.glue || "/");
      return parts.length >= (form.least ?? 1) && parts.every((part) => fits(form.of, part));
    }
    case "free":
      return !form.pattern || new RegExp(`^(?:${form.pattern})$`, "i").test(word);
    default:
      return form.of.some((/** @type {Form} */ each) => fits(each, word));
  }
}

/**
 * The words that a form lists, all or some; numbers are listed where they are few.
 * @param {Form} form
 * @returns {string[]}
 */
export function listed(form) {
  switch (form.type) {
    case "choice":
      return form.values || [];
    case "number": {
      const [low, high] = [form.low ?? 0, form.high ?? 0];
      return high - low < FEW ? Array.from({ length: high - low + 1 }, (_, index) => String(low + index)) : [];
    }
    case "several":
      return (form.least ?? 1) > 1 ? [] : listed(form.of);
    case "free":
      return form.verbatim ? [] : form.samples || [];
    default:
      return [...new Set(form.of.flatMap(listed))];
  }
}

const FEW = 13;

/**
 * The words by which a word may be made longer: with one more of what it is made of, or finished.
 * @param {Form} form
 * @param {string} word
 * @returns {string[]}
 */
export function longer(form, word) {
  if (form.type === "several") {
    const glue = form.glue || "/";
    const parts = word.split(glue);
    const whole = parts.every((part) => fits(form.of, part));
    const kept = whole ? parts : parts.slice(0, -1);
    const begun = whole ? "" : parts[parts.length - 1].toLowerCase();
    if (!kept.length || !kept.every((part) => fits(form.of, part))) return [];
    return listed(form.of)
      .filter((value) => value.toLowerCase().startsWith(begun) && !kept.some((part) => same(part, value)))
      .map((value) => [...kept, value].join(glue));
  }
  return form.type === "either" ? form.of.flatMap((/** @type {Form} */ each) => longer(each, word)) : [];
}

/**
 * The bounds of numbers too many to be listed.
 * @param {Form} form
 * @returns {{low: number, high: number}[]}
 */
export function ranges(form) {
  if (form.type === "number") {
    const [low, high] = [form.low ?? 0, form.high ?? 0];
    return high - low < FEW ? [] : [{ low, high }];
  }
  return form.type === "either" || form.type === "in-turn" ? form.of.flatMap(ranges) : [];
}

/**
 * Whether words may be typed that are not listed.
 * @param {Form} form
 * @returns {boolean}
 */
export function typed(form) {
  if (form.type === "free") return true;
  if (form.type === "several") return typed(form.of);
  return form.type === "either" || form.type === "in-turn" ? form.of.some(typed) : false;
}

/**
 * Whether any word is possible at all.
 * @param {Form} form
 * @returns {boolean}
 */
export function possible(form) {
  if (form.type === "several") return possible(form.of);
  return listed(form).length > 0 || ranges(form).length > 0 || typed(form);
}
