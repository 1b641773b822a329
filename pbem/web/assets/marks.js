import { makeSvg } from "./dom.js";
import { filled } from "./draft.js";
import { split } from "./grammar.js";

/**
 * The draft as it is drawn on the map: in an SVG of its own, so that marks keep their size.
 *
 * @typedef {import("./selection.js").Ordering} Ordering
 * @typedef {import("./offers.js").State} State
 * @typedef {object} Drawn
 * @property {"path" | "target" | "piece" | "cross" | "note" | "dot" | "ring"} shape
 * @property {number[]} spots from the unit to the end
 * @property {string[]} lines
 * @property {string} label
 * @property {boolean} [begun] whether the line is unfinished
 * @property {boolean} [beside] whether own units stand there
 */

/**
 * What is drawn of a state.
 * @param {Ordering} ordering
 * @param {State} state
 * @returns {Drawn[]}
 */
export function marksOf(ordering, state) {
  const survey = ordering.survey(state);
  const standing = ordering.standing(state);
  /** @type {Map<string, Drawn>} */
  const found = new Map();
  const add = (/** @type {Drawn} */ drawn) => {
    if (drawn.spots.some((spot) => spot < 0) || !drawn.spots.length) return;
    const beside = standing.has(drawn.spots[drawn.spots.length - 1]);
    const key = drawn.shape === "path" ? `path ${drawn.spots}` : `${drawn.shape} ${drawn.spots} ${drawn.label} ${drawn.lines}`;
    const same = found.get(key);
    if (same) same.lines.push(...drawn.lines);
    else found.set(key, { ...drawn, beside });
  };
  for (const line of state.lines) for (const drawn of marksOfLine(ordering, state, line)) add(drawn);
  for (const line of Object.values(state.begun)) for (const drawn of marksOfLine(ordering, state, line)) add({ ...drawn, begun: true });
  /** @type {Map<number, number>} */
  const waiting = new Map();
  for (const need of ordering.open(state)) {
    const spot = ordering.spotOfNeed(state, need);
    if (spot >= 0 && need.unit) waiting.set(spot, (waiting.get(spot) || 0) + 1);
  }
  const dots = [...waiting].map(([spot, count]) => dot(spot, count));
  const { selection } = state;
  const need = ordering.need(state, selection.slot);
  const units = selection.units.map((unit) => ordering.spotOf(state, unit));
  const line = selection.words.join(" ");
  const step = state.lines.includes(line) ? null : ordering.tree.follow(split(line).map(({ text }) => text), survey.sheet);
  const begun = selection.units.length ? [] : ordering.drafts.placesOf(step).map((name) => ordering.atlas.find(name));
  const around = new Set([...units, ...begun, selection.spot, need ? ordering.spotOfNeed(state, need) : -1].filter((spot) => spot >= 0));
  const rings = [...around].map((spot) => /** @type {Drawn} */ ({ shape: "ring", spots: [spot], lines: [], label: "" }));
  return [...rings, ...found.values(), ...dots];
}

/** @type {(spot: number, count: number) => Drawn} */
const dot = (spot, count) => ({ shape: "dot", spots: [spot], lines: [], label: count > 1 ? String(count) : "" });

/**
 * @param {Ordering} ordering
 * @param {State} state
 * @param {string} line
 * @returns {Drawn[]}
 */
function marksOfLine(ordering, state, line) {
  const { drafts, atlas, tree, grammar } = ordering;
  const survey = ordering.survey(state);
  const words = split(line).map(({ text }) => text);
  if (!words.length) return [];
  const step = tree.follow(words, survey.sheet);
  const read = drafts.parse(line);
  const verb = read.verb || grammar.find(words[0])[0] || null;
  const mark = verb?.mark;
  if (!mark) return [];
  const need = survey.needs.find(({ slot }) => read.slots.includes(slot.toUpperCase()));
  const units = mark.of ? read.fields[mark.of] || [] : [need?.unit || ""];
  const home = (/** @type {string} */ unit) => {
    const stands = unit ? ordering.spotOf(state, unit) : -1;
    if (stands >= 0 || !need) return stands;
    // A word that is possible after a move alone is drawn from the end of that move.
    const after = step?.nodes.find((node) => node.after)?.after;
    return after ? atlas.find(after) : ordering.spotOfNeed(state, need);
  };
  const label = mark.label ? filledLabel(mark.label, read.fields, words) : "";
  const named = mark.at && read.fields[mark.at] ? read.fields[mark.at].filter((word) => atlas.has(word)) : [];
  return units.flatMap((unit) => {
    const from = home(unit);
    const places = step ? step.nodes.map((node, at) => drafts.placeOf(node, step.words[at])) : [];
    const own = unit && step ? step.words.indexOf(unit) : -1;
    const ends = (step ? places.filter((place, at) => place && at !== own) : named).map((name) => atlas.find(name, from));
    if (!ends.length) ends.push(...named.map((name) => atlas.find(name, from)));
    /** @type {(shape: Drawn["shape"], spots: number[], text?: string) => Drawn} */
    const drawn = (shape, spots, text = label) => ({ shape, spots, lines: [line], label: text });
    switch (mark.shape) {
      case "path": {
        const via = step ? step.nodes.flatMap((node, at) => (at === own ? [] : [...(node.path || "").split(" "), places[at]])) : [];
        const names = via.filter(Boolean);
        const spots = names.length ? names.map((name) => atlas.find(name, from)).filter((spot) => spot >= 0) : ends;
        const way = [from, ...spots].filter((spot, at, all) => spot >= 0 && spot !== all[at - 1]);
        const last = names.at(-1) || named.at(-1) || "";
        if (way.length > 1) return [drawn("path", way)];
        return way.length ? [drawn("note", way, `to ${last || words.at(-1)}`)] : [];
      }
      case "target":
        return ends.length ? [drawn("target", from >= 0 ? [from, ends[ends.length - 1]] : ends.slice(-1))] : [];
      case "piece": {
        if (!mark.along) return ends.map((spot, at) => drawn("piece", [spot], label || words[at + 1] || words[0]));
        const along = survey.slots.get(mark.along.toUpperCase());
        const way = along === undefined ? [] : drafts.placesOf(survey.reads[along].step).map((name) => atlas.find(name));
        return words.slice(1).flatMap((word, at) => (way[at] === undefined ? [] : [drawn("piece", [way[at]], label || word)]));
      }
      case "cross":
        return [drawn("cross", [from])];
      default:
        return [drawn("note", [from >= 0 ? from : ends[0] ?? -1], label || words.filter((word) => word !== unit).join(" "))];
    }
  });
}

/**
 * @param {string} label
 * @param {Record<string, string[]>} fields
 * @param {string[]} words
 */
function filledLabel(label, fields, words) {
  const name = /\{(\w+)\}/.exec(label)?.[1];
  if (!name) return label;
  return fields[name]?.length ? label.replace(`{${name}}`, () => fields[name].join(" ")) : filled(words[1] || "", {})[0] || "";
}

const HEAD = 11;

/**
 * Draws marks onto the overlay of a board.
 * @param {import("./board.js").Board} board
 * @param {Drawn[]} marks
 */
export function drawMarks(board, marks) {
  board.overlay.replaceChildren(...marks.map((each) => drawMark(board, each)));
}

/**
 * @param {import("./board.js").Board} board
 * @param {Drawn} drawn
 */
function drawMark(board, { shape, spots, lines, label, begun, beside }) {
  const group = makeSvg("g", { class: `mark ${shape}${begun ? " begun" : ""}` });
  if (lines.length) group.setAttribute("data-draft", [...new Set(lines)].join("|"));
  const points = spots.map((spot) => board.onScreen(board.atlas.places[spot]));
  const end = points[points.length - 1];
  const { box } = board.atlas.places[spots[spots.length - 1]];
  const size = Math.min(box.w, box.h) * board.view.scale;
  const radius = Math.max(9, Math.min(17, size * 0.34));
  if (shape === "path" || shape === "target") {
    group.append(...arrow(points, shape === "target" ? 9 : 0));
    if (shape === "target") group.append(makeSvg("circle", { cx: end.x, cy: end.y, r: radius, class: "hit" }));
    if (lines.length > 1) group.append(...badge(between(points), String(lines.length)));
    else if (label) group.append(...badge(between(points), label));
  } else if (shape === "piece") {
    const [right, down] = size > 60 ? [0.24, 0.24] : beside ? [-0.6, 0.45] : [0, 0];
    const at = { x: end.x + right * size, y: end.y + down * size };
    group.append(makeSvg("circle", { cx: at.x, cy: at.y, r: radius }), text(at.x, at.y, brief(label), radius));
  } else if (shape === "cross") {
    const r = radius * 0.8;
    for (const way of [1, -1]) group.append(...twice(`M${end.x - r} ${end.y - r * way}L${end.x + r} ${end.y + r * way}`));
  } else if (shape === "note") {
    group.append(...badge({ x: end.x, y: end.y + size / 2 + 2 }, label.slice(0, 24)));
  } else if (shape === "ring") {
    for (const style of ["edge", "line"]) group.append(makeSvg("circle", { cx: end.x, cy: end.y, r: Math.max(14, size * 0.5), class: style }));
  } else {
    const at = { x: end.x + size * 0.34, y: end.y - size * 0.34 };
    group.append(makeSvg("circle", { cx: at.x, cy: at.y, r: label ? 8 : 6 }));
    if (label) group.append(text(at.x, at.y, label, 9));
  }
  return group;
}

/**
 * A label for a disc: words in capitals, and long ones, by their first letter.
 * @param {string} label
 */
const brief = (label) => (/^[A-Z]{3,}$|^[a-z]{7,}$/.test(label) ? label[0] : label.slice(0, 6));

/**
 * @param {{x: number, y: number}[]} points
 * @param {number} short how much before its end the arrow stops
 */
function arrow(points, short) {
  if (points.length < 2) return [];
  const [before, end] = points.slice(-2);
  const far = Math.hypot(end.x - before.x, end.y - before.y) || 1;
  const way = { x: (end.x - before.x) / far, y: (end.y - before.y) / far };
  const tip = { x: end.x - way.x * short, y: end.y - way.y * short };
  const neck = { x: tip.x - way.x * HEAD, y: tip.y - way.y * HEAD };
  const first = points[0];
  const next = points.length > 2 ? points[1] : neck;
  const off = Math.hypot(next.x - first.x, next.y - first.y) || 1;
  const gap = Math.min(9, off / 3);
  const start = { x: first.x + ((next.x - first.x) / off) * gap, y: first.y + ((next.y - first.y) / off) * gap };
  const d = [start, ...points.slice(1, -1), neck].map(({ x, y }, at) => `${at ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
  const wing = HEAD * 0.6;
  const head = `M${tip.x} ${tip.y}L${neck.x - way.y * wing} ${neck.y + way.x * wing}L${neck.x + way.y * wing} ${neck.y - way.x * wing}Z`;
  return [...twice(d), makeSvg("path", { d: head, class: "head" })];
}

/** @type {(points: {x: number, y: number}[]) => {x: number, y: number}} */
function between(points) {
  const [one, other] = points.slice(-2);
  return other ? { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 } : one;
}

/**
 * A line with its white edge below it.
 * @param {string} d
 */
function twice(d) {
  return ["edge", "line"].map((style) => makeSvg("path", { d, class: style }));
}

/**
 * @param {{x: number, y: number}} at
 * @param {string} label
 */
function badge(at, label) {
  const width = label.length * 6.6 + 10;
  return [
    makeSvg("rect", { x: at.x - width / 2, y: at.y - 8, width, height: 16, rx: 5, class: "badge" }),
    text(at.x, at.y, label, 100),
  ];
}

/**
 * @param {number} x
 * @param {number} y
 * @param {string} label
 * @param {number} radius of the disc that it stands in
 */
function text(x, y, label, radius) {
  const size = Math.max(7, Math.min(11, (radius * 3.1) / Math.max(1, label.length)));
  const found = makeSvg("text", { x, y, "font-size": size });
  found.textContent = label;
  return found;
}
