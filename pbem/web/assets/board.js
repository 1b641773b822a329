import { make, makeSvg } from "./dom.js";

/**
 * @typedef {import("./atlas.js").Point} Point
 * @typedef {import("./atlas.js").Box} Box
 * @typedef {object} Acts what the board tells
 * @property {(spot: number) => void} tap
 * @property {(spot: number) => void} hold a long press
 * @property {() => void} moved
 * @property {() => {bottom: number}} covered how much of the board lies behind the sheet
 */

const SLIDE = 8;
const REST = 130;
const HOLD = 500;
const REACH = 26;
const LEAST = 26;
const FIRST = 28;
const NEAR = 44;
const GLIDE = 220;
const WIDEST = 150;

/** The map for ordering: it is moved and zoomed by fingers, mouse and keys, and tells which place is meant. */
export class Board {
  /**
   * @param {SVGSVGElement} svg
   * @param {import("./atlas.js").Atlas} atlas
   * @param {Acts} acts
   */
  constructor(svg, atlas, acts) {
    this.svg = svg;
    this.atlas = atlas;
    this.acts = acts;
    this.view = { x: 0, y: 0, scale: 1 };
    this.picture = { w: svg.viewBox.baseVal.width || 1, h: svg.viewBox.baseVal.height || 1 };
    /** @type {Set<number>} */
    this.lit = new Set();
    /** @type {Set<number>} */
    this.meant = new Set();
    /** @type {Map<number, Point>} */
    this.fingers = new Map();
    this.begun = { x: 0, y: 0 };
    /** @type {"" | "wait" | "aim" | "drag" | "over"} */
    this.doing = "";
    this.aimed = -1;
    this.cursor = -1;
    this.focus = -1;
    /** @type {ReturnType<typeof setTimeout>[]} */
    this.timers = [];
    this.frame = 0;
    this.overlay = makeSvg("svg", { class: "marks", "aria-hidden": "true" });
    this.told = make("p", { class: "aimed", "aria-hidden": "true" });
    this.fitting = make("button", { type: "button", class: "fit", "aria-label": "Whole map, or near", click: () => this.toggle() }, "⤢");
    this.surface = make("div", { class: "surface", tabindex: "0", role: "group", "data-role": "map", "aria-label": MAP });
    this.element = make("div", { class: "board-map" }, this.surface, this.told, this.fitting);
    this.dress();
    this.listen();
  }

  /** The picture is for eyes; its places are buttons in the list. */
  dress() {
    this.svg.setAttribute("aria-hidden", "true");
    this.svg.querySelector("title")?.remove();
    this.svg.setAttribute("preserveAspectRatio", "xMinYMin meet");
    for (const { element, names } of this.atlas.places) {
      for (const name of ["tabindex", "role", "aria-label"]) element?.removeAttribute(name);
      element?.setAttribute("data-place", names[0]);
    }
    this.surface.append(this.svg, this.overlay);
  }

  listen() {
    const { surface } = this;
    surface.addEventListener("pointerdown", (event) => this.down(event));
    surface.addEventListener("pointermove", (event) => this.move(event));
    surface.addEventListener("pointerup", (event) => this.up(event));
    surface.addEventListener("pointercancel", (event) => this.cancel(event));
    surface.addEventListener("pointerleave", () => this.doing || this.aim(-1));
    surface.addEventListener("contextmenu", (event) => this.menu(event));
    surface.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    surface.addEventListener("blur", () => this.point(-1));
  }

  /**
   * Marks the places where an order can be given, and those with own units.
   * @param {Iterable<number>} lit
   * @param {Map<number, string[]>} units
   */
  mark(lit, units) {
    this.lit = new Set(lit);
    this.meant = new Set([...this.lit, ...units.keys()]);
    this.svg.classList.toggle("many", this.lit.size > 0.45 * this.atlas.places.length);
    for (const [index, { element }] of this.atlas.places.entries()) {
      element?.classList.toggle("lit", this.lit.has(index));
      const own = units.get(index);
      if (own) element?.setAttribute("data-unit", own.join("|"));
      else element?.removeAttribute("data-unit");
    }
    if (!this.lit.has(this.cursor)) this.point(-1);
  }

  /** The part of the board that is not covered, in pixels of the screen. */
  get room() {
    const { clientWidth: w, clientHeight: h } = this.surface;
    return { w, h: Math.max(60, h - this.acts.covered().bottom) };
  }

  /**
   * @param {Point} at a point of the picture
   * @returns {Point} the point of the board
   */
  onScreen({ x, y }) {
    return { x: (x - this.view.x) * this.view.scale, y: (y - this.view.y) * this.view.scale };
  }

  /** @param {{x: number, y: number, scale: number}} view */
  look({ x, y, scale }) {
    const { w, h } = this.room;
    const most = WIDEST / this.atlas.span;
    const least = 0.6 * Math.min(w / this.picture.w, h / this.picture.h);
    const to = Math.max(Math.min(scale, most), least);
    const inside = (/** @type {number} */ low, /** @type {number} */ size, /** @type {number} */ seen) =>
      Math.min(Math.max(low, -seen / 2), size - seen / 2); // the middle of the screen stays on the picture
    this.view = { x: inside(x, this.picture.w, w / to), y: inside(y, this.picture.h, h / to), scale: to };
    this.show();
  }

  show() {
    const { clientWidth, clientHeight } = this.surface;
    const { x, y, scale } = this.view;
    if (!clientWidth) return;
    this.svg.setAttribute("viewBox", `${x} ${y} ${clientWidth / scale} ${clientHeight / scale}`);
    this.acts.moved();
  }

  /**
   * Goes to a view, in a moment that eyes can follow.
   * @param {{x: number, y: number, scale: number}} view
   */
  glide(view) {
    cancelAnimationFrame(this.frame);
    const from = { ...this.view };
    const begin = performance.now();
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return this.look(view);
    const step = (/** @type {number} */ now) => {
      const part = Math.min(1, Math.max(0, (now - begin) / GLIDE));
      const eased = 1 - (1 - part) ** 2;
      const mix = (/** @type {number} */ one, /** @type {number} */ other) => one + (other - one) * eased;
      this.look({ x: mix(from.x, view.x), y: mix(from.y, view.y), scale: mix(from.scale, view.scale) });
      if (part < 1) this.frame = requestAnimationFrame(step);
    };
    this.frame = requestAnimationFrame(step);
  }

  /**
   * The view that shows a part of the picture.
   * @param {Box} box
   * @param {number} [most] pixels of a usual place
   */
  fitted(box, most = WIDEST) {
    const { w, h } = this.room;
    const scale = Math.min(w / box.w, h / box.h, most / this.atlas.span);
    return this.centred({ x: box.x + box.w / 2, y: box.y + box.h / 2 }, scale);
  }

  /**
   * @param {Point} at
   * @param {number} scale
   */
  centred({ x, y }, scale) {
    const { w, h } = this.room;
    return { x: x - w / scale / 2, y: y - h / scale / 2, scale };
  }

  /** The view of all places, which are less than the picture. */
  get whole() {
    return this.fitted(grown(this.atlas.around(), this.atlas.span / 2));
  }

  /**
   * The view at the beginning.
   * @param {number[]} units
   * @param {number} first
   */
  open(units, first) {
    const { span, places } = this.atlas;
    const { whole } = this;
    if (whole.scale * span >= 24 || !units.length) return this.look(whole);
    const all = this.fitted(grown(this.atlas.around(units), span), FIRST);
    this.look(all.scale * span >= FIRST - 0.01 ? all : this.centred(places[first < 0 ? units[0] : first], FIRST / span));
  }

  /** Changes between the whole map and the neighbourhood of what is selected. */
  toggle() {
    const { whole } = this;
    const away = Math.abs(this.view.scale - whole.scale) > 0.01 * whole.scale;
    const { w, h } = this.room;
    const middle = { x: this.view.x + w / this.view.scale / 2, y: this.view.y + h / this.view.scale / 2 };
    const at = this.focus >= 0 ? this.atlas.places[this.focus] : middle;
    this.glide(away ? whole : this.centred(at, Math.max(NEAR / this.atlas.span, 1.5 * whole.scale)));
  }

  /**
   * Brings a unit and where it can go into view, with as little movement as possible.
   * @param {number} spot
   * @param {number[]} lit
   */
  bring(spot, lit) {
    this.focus = spot;
    if (spot < 0) return;
    const { span, places } = this.atlas;
    const size = this.view.scale * span;
    const out = lit.filter((each) => !this.sees(each)).length;
    if (this.sees(spot) && size >= LEAST - 0.01 && out <= lit.length / 3) return;
    const scale = size < LEAST ? Math.min(36, Math.max(LEAST, size)) / span : this.view.scale;
    const box = grown(this.atlas.around([spot, ...lit]), span / 2);
    const { w, h } = this.room;
    const fits = Math.min(w / box.w, h / box.h);
    if (fits >= scale) return this.glide(this.centred({ x: box.x + box.w / 2, y: box.y + box.h / 2 }, scale));
    if (fits * span >= LEAST) return this.glide(this.fitted(box));
    this.glide(this.centred(places[spot], Math.min(scale, Math.max(LEAST / span, fits))));
  }

  /** @param {number} spot */
  sees(spot) {
    const { x, y } = this.onScreen(this.atlas.places[spot]);
    const { w, h } = this.room;
    const margin = Math.min(12, (this.view.scale * this.atlas.span) / 3);
    return x >= margin && y >= margin && x <= w - margin && y <= h - margin;
  }

  /**
   * The place that a point of the screen means: the one under it if it is meant, else the nearest that is, else the one under it.
   * @param {Point} at
   */
  spotAt(at) {
    const { left, top } = this.surface.getBoundingClientRect();
    const point = { x: at.x - left, y: at.y - top };
    const under = this.under(at);
    if (this.meant.has(under)) return under;
    let best = under;
    let least = Infinity;
    for (const index of this.meant) {
      const { box } = this.atlas.places[index];
      const middle = this.onScreen(this.atlas.places[index]);
      const far = Math.hypot(middle.x - point.x, middle.y - point.y);
      const half = (Math.min(box.w, box.h) * this.view.scale) / 2;
      if (far < least && far <= Math.max(REACH, half + 8)) [best, least] = [index, far];
    }
    return best;
  }

  /** @param {Point} at */
  under({ x, y }) {
    const found = document.elementsFromPoint(x, y).find((each) => each.hasAttribute("data-names"));
    return found ? this.atlas.places.findIndex(({ element }) => element === found) : -1;
  }

  /** @param {PointerEvent} event */
  down(event) {
    if (event.button) return;
    this.surface.setPointerCapture(event.pointerId);
    cancelAnimationFrame(this.frame);
    this.fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.stop();
    if (this.fingers.size > 1) {
      this.aim(-1);
      this.doing = "drag";
      return;
    }
    this.begun = { x: event.clientX, y: event.clientY };
    this.doing = "wait";
    if (event.pointerType === "mouse") return;
    this.timers = [
      setTimeout(() => this.rest(), REST),
      setTimeout(() => this.held(), HOLD),
    ];
  }

  stop() {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers = [];
  }

  /** The finger rests: from now on it aims, and does not move the map. */
  rest() {
    if (this.doing !== "wait" || !this.lit.size) return;
    this.doing = "aim";
    this.aim(this.spotAt(this.begun));
  }

  held() {
    const spot = this.spotAt(this.begun);
    this.doing = "over";
    this.aim(-1);
    if (spot >= 0) this.acts.hold(spot);
  }

  /** @param {PointerEvent} event */
  move(event) {
    const before = this.fingers.get(event.pointerId);
    const now = { x: event.clientX, y: event.clientY };
    if (!before) {
      if (event.pointerType === "mouse") this.aim(this.spotAt(now));
      return;
    }
    if (this.doing === "wait" || this.doing === "aim") {
      if (Math.hypot(now.x - this.begun.x, now.y - this.begun.y) >= SLIDE) {
        this.stop();
        if (this.doing === "wait") this.doing = "drag";
      }
      if (this.doing === "aim") this.aim(this.spotAt(now));
    }
    if (this.doing === "drag") this.drag(event.pointerId, before, now);
    this.fingers.set(event.pointerId, now);
  }

  /**
   * @param {number} finger
   * @param {Point} before
   * @param {Point} now
   */
  drag(finger, before, now) {
    const [other] = [...this.fingers].filter(([id]) => id !== finger).map(([, at]) => at);
    const { x, y, scale } = this.view;
    if (!other) return this.look({ x: x - (now.x - before.x) / scale, y: y - (now.y - before.y) / scale, scale });
    const far = (/** @type {Point} */ at) => Math.hypot(at.x - other.x, at.y - other.y) || 1;
    this.zoom(far(now) / far(before), now);
  }

  /**
   * Zooms around a point of the window, which stays where it is.
   * @param {number} factor
   * @param {Point} [around]
   */
  zoom(factor, around) {
    const { left, top } = this.surface.getBoundingClientRect();
    const { w, h } = this.room;
    const at = around ? { x: around.x - left, y: around.y - top } : { x: w / 2, y: h / 2 };
    const { x, y, scale } = this.view;
    const to = Math.min(scale * factor, WIDEST / this.atlas.span);
    this.look({ x: x + at.x / scale - at.x / to, y: y + at.y / scale - at.y / to, scale: to });
  }

  /** @param {PointerEvent} event */
  up(event) {
    const known = this.fingers.delete(event.pointerId);
    this.stop();
    if (!known || this.fingers.size) return;
    const spot = this.doing === "aim" ? this.aimed : this.doing === "wait" ? this.spotAt({ x: event.clientX, y: event.clientY }) : -1;
    this.doing = "";
    this.aim(-1);
    if (spot >= 0) this.acts.tap(spot);
  }

  /** @param {PointerEvent} event */
  cancel(event) {
    this.fingers.delete(event.pointerId);
    this.stop();
    this.doing = "";
    this.aim(-1);
  }

  /** @param {MouseEvent} event */
  menu(event) {
    event.preventDefault();
    if (event.button !== 2 || this.doing) return;
    const spot = this.spotAt({ x: event.clientX, y: event.clientY });
    if (spot >= 0) this.acts.hold(spot);
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    event.preventDefault();
    this.zoom(2 ** (-event.deltaY / 300), { x: event.clientX, y: event.clientY });
  }

  /** @param {number} spot */
  aim(spot) {
    if (spot === this.aimed) return;
    this.atlas.places[this.aimed]?.element?.classList.remove("aim");
    this.aimed = spot;
    const place = this.atlas.places[spot];
    if (place && this.lit.has(spot)) place.element?.classList.add("aim");
    this.told.textContent = place?.title || "";
  }

  /**
   * Moves the cursor of the keys.
   * @param {number} spot
   */
  point(spot) {
    this.atlas.places[this.cursor]?.element?.classList.remove("cursor");
    this.cursor = spot;
    const place = this.atlas.places[spot];
    place?.element?.classList.add("cursor");
    this.told.textContent = place?.title || "";
    if (place && !this.sees(spot)) this.look(this.centred(place, this.view.scale));
  }

  /**
   * Goes from the cursor, or from the unit, to the next place in a direction.
   * @param {Point} way
   */
  step(way) {
    const from = this.cursor >= 0 ? this.cursor : this.focus;
    const among = this.lit.size ? this.lit : this.meant.size ? this.meant : new Set(this.atlas.places.keys());
    if (from < 0) return this.point([...among][0] ?? -1);
    const start = this.atlas.places[from];
    let [best, least] = [this.cursor, Infinity];
    for (const index of among) {
      const to = this.atlas.places[index];
      const along = (to.x - start.x) * way.x + (to.y - start.y) * way.y;
      const aside = Math.abs((to.x - start.x) * way.y - (to.y - start.y) * way.x);
      if (along > 1 && along + 2 * aside < least) [best, least] = [index, along + 2 * aside];
    }
    this.point(best);
  }
}

const MAP = "Map: arrow keys go from place to place, Enter orders, N is next, U undoes. All of it is also in the list To do.";

/** @type {(box: Box, by: number) => Box} */
const grown = ({ x, y, w, h }, by) => ({ x: x - by, y: y - by, w: w + 2 * by, h: h + 2 * by });
