import { make } from "./dom.js";

/**
 * @typedef {{x: number, y: number, w: number, h: number}} Box a part of a picture, in its own pixels
 * @typedef {{x: number, y: number}} Point
 * @typedef {{names: string[], title: string}} Spot a place on a picture, and the words by which orders may mean it
 */

const CLOSEST = 10;
const STEP = 1.5;
const SLIP = 6;
const FINGER = 22;

/**
 * A picture that can be zoomed, panned and tapped, by mouse, fingers and keys.
 *
 * It takes over a `<div class="map">` that holds a live SVG (`live_svg` in
 * Python). What its pictures show as spots can be picked: then `picked` is
 * called. Between pictures of one size, the part that is shown stays.
 */
export class LiveMap {
  /**
   * @param {HTMLElement} frame
   * @param {(spot: Spot) => void} [picked]
   */
  constructor(frame, picked = () => {}) {
    this.frame = frame;
    this.picked = picked;
    /** @type {Map<number, Point>} */
    this.fingers = new Map();
    this.dragged = false;
    this.svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.whole = { x: 0, y: 0, w: 0, h: 0 };
    this.box = this.whole;
    /** @type {Record<string, Set<string>>} */
    this.marks = {};
    this.view = make("div", { class: "map-view" });
    this.hint = make("p", { class: "map-hint", "aria-live": "polite" });
    const svg = frame.querySelector("svg");
    frame.replaceChildren(this.view, this.tools(), this.hint);
    this.view.addEventListener("pointerdown", (event) => this.down(event));
    this.view.addEventListener("pointermove", (event) => this.moved(event));
    for (const end of ["pointerup", "pointercancel"]) {
      this.view.addEventListener(end, (event) => this.up(/** @type {PointerEvent} */ (event)));
    }
    this.view.addEventListener("click", (event) => this.clicked(/** @type {PointerEvent} */ (event)));
    this.view.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.view.addEventListener("keydown", (event) => this.key(event));
    this.view.addEventListener("focusin", (event) => this.focused(event));
    this.view.addEventListener("pointerover", (event) => this.tell(event.target));
    if (svg) this.draw(svg);
  }

  /**
   * Shows another picture.
   * @param {SVGSVGElement} svg
   */
  draw(svg) {
    const { width, height } = svg.viewBox.baseVal;
    const same = this.whole.w === width && this.whole.h === height;
    this.whole = { x: 0, y: 0, w: width, h: height };
    this.svg = svg;
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", svg.querySelector("title")?.textContent || "map");
    svg.querySelector("title")?.remove(); // or browsers show it wherever the mouse rests
    this.view.replaceChildren(svg);
    this.view.style.setProperty("--ratio", `${width} / ${height}`);
    this.look(same ? this.box : this.whole);
    const spots = this.spots();
    for (const [index, spot] of spots.entries()) spot.setAttribute("tabindex", index ? "-1" : "0");
    for (const style of Object.keys(this.marks)) this.mark(style, this.marks[style]);
  }

  /**
   * Marks the spots that have one of these names, and no others, in a style: "chosen" or "possible".
   * @param {string} style
   * @param {Iterable<string>} names
   */
  mark(style, names) {
    this.marks[style] = new Set(names);
    for (const spot of this.spots()) {
      spot.classList.toggle(style, namesOf(spot).some((name) => this.marks[style].has(name)));
    }
  }

  /** Shows the whole picture. */
  fit() {
    this.look(this.whole);
  }

  /**
   * Zooms by a factor, around a point of the picture that stays where it is.
   * @param {number} factor
   * @param {Point} [around]
   */
  zoom(factor, around = middle(this.box)) {
    const w = Math.min(this.whole.w, Math.max(this.whole.w / CLOSEST, this.box.w / factor));
    const by = w / this.box.w;
    this.look({
      x: around.x - (around.x - this.box.x) * by,
      y: around.y - (around.y - this.box.y) * by,
      w,
      h: this.box.h * by,
    });
  }

  /**
   * Shows a part of the picture, moved so that nothing beside the picture is seen.
   * @param {Box} box
   */
  look(box) {
    const { w, h } = box;
    const x = Math.min(Math.max(box.x, 0), this.whole.w - w);
    const y = Math.min(Math.max(box.y, 0), this.whole.h - h);
    this.box = { x, y, w, h };
    this.svg.setAttribute("viewBox", `${x} ${y} ${w} ${h}`);
    this.view.classList.toggle("near", w < this.whole.w);
  }

  /** @returns {SVGElement[]} */
  spots() {
    return [...this.svg.querySelectorAll("[data-names]")].map((each) => /** @type {SVGElement} */ (each));
  }

  tools() {
    /** @type {(text: string, label: string, act: () => void) => HTMLButtonElement} */
    const button = (text, label, act) => make("button", { type: "button", "aria-label": label, click: act }, text);
    return make(
      "div",
      { class: "map-tools", role: "group", "aria-label": "Zoom" },
      button("+", "Closer", () => this.zoom(STEP)),
      button("−", "Farther", () => this.zoom(1 / STEP)),
      button("Whole", "The whole map", () => this.fit()),
    );
  }

  /** @param {PointerEvent} event */
  down(event) {
    if (event.button) return;
    if (!this.fingers.size) this.dragged = false;
    this.fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }

  /** @param {PointerEvent} event */
  moved(event) {
    const before = this.fingers.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    if (!this.dragged && distance(before, now) < SLIP) return;
    if (!this.dragged) this.view.setPointerCapture(event.pointerId);
    this.dragged = true;
    const others = [...this.fingers].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
    if (others.length) this.zoom(distance(others[0], now) / (distance(others[0], before) || 1), this.inside(now));
    else this.pan(this.inside(before), this.inside(now));
    this.fingers.set(event.pointerId, now);
  }

  /** @param {PointerEvent} event */
  up(event) {
    this.fingers.delete(event.pointerId);
  }

  /** @param {PointerEvent} event */
  clicked(event) {
    const spot = this.spotOf(event.target);
    if (!spot || this.dragged) return;
    const { width, height } = spot.getBoundingClientRect();
    if (event.pointerType === "touch" && Math.min(width, height) < FINGER && this.box.w > this.whole.w / CLOSEST) {
      this.zoom((2 * FINGER) / Math.min(width, height), this.inside({ x: event.clientX, y: event.clientY }));
      return;
    }
    this.pick(spot);
  }

  /** @param {SVGElement} spot */
  pick(spot) {
    this.tell(spot);
    this.picked({ names: namesOf(spot), title: spot.getAttribute("aria-label") || "" });
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return; // the wheel alone goes on scrolling the page
    event.preventDefault();
    this.zoom(2 ** (-event.deltaY / 200), this.inside({ x: event.clientX, y: event.clientY }));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const spot = this.spotOf(event.target);
    const way = WAYS[event.key];
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (spot && (event.key === "Enter" || event.key === " ")) this.pick(spot);
    else if (spot && way) this.next(spot, way)?.focus();
    else if (event.key === "+" || event.key === "=") this.zoom(STEP, spot ? spotAt(spot) : undefined);
    else if (event.key === "-") this.zoom(1 / STEP, spot ? spotAt(spot) : undefined);
    else if (event.key === "0") this.fit();
    else return;
    event.preventDefault();
  }

  /**
   * The spot that lies nearest in a direction.
   * @param {SVGElement} spot
   * @param {Point} way
   */
  next(spot, way) {
    const from = spotAt(spot);
    let best = null;
    let least = Infinity;
    for (const other of this.spots()) {
      const to = spotAt(other);
      const along = (to.x - from.x) * way.x + (to.y - from.y) * way.y;
      const aside = Math.abs((to.x - from.x) * way.y - (to.y - from.y) * way.x);
      if (along > 1 && along + 2 * aside < least) [best, least] = [other, along + 2 * aside];
    }
    return best;
  }

  /** @param {FocusEvent} event */
  focused(event) {
    const spot = this.spotOf(event.target);
    if (!spot) return;
    for (const other of this.spots()) other.setAttribute("tabindex", other === spot ? "0" : "-1");
    const at = spotAt(spot);
    const { x, y, w, h } = this.box;
    const byKey = spot.matches(":focus-visible");
    if (byKey && (at.x < x || at.y < y || at.x > x + w || at.y > y + h)) this.look({ x: at.x - w / 2, y: at.y - h / 2, w, h });
    this.tell(spot);
  }

  /**
   * Says in words what a spot is.
   * @param {EventTarget | null} target
   */
  tell(target) {
    this.say(this.spotOf(target)?.getAttribute("aria-label") || "");
  }

  /**
   * Says something below the picture.
   * @param {string} text
   */
  say(text) {
    this.hint.textContent = text;
  }

  /**
   * @param {EventTarget | null} target
   * @returns {SVGElement | null}
   */
  spotOf(target) {
    return target instanceof Element ? target.closest("[data-names]") : null;
  }

  /**
   * @param {Point} from
   * @param {Point} to
   */
  pan(from, to) {
    this.look({ ...this.box, x: this.box.x + from.x - to.x, y: this.box.y + from.y - to.y });
  }

  /**
   * A point of the window in pixels of the picture.
   * @param {Point} point
   * @returns {Point}
   */
  inside(point) {
    const matrix = this.svg.getScreenCTM();
    return matrix ? new DOMPoint(point.x, point.y).matrixTransform(matrix.inverse()) : point;
  }
}

/** @type {Record<string, Point>} */
const WAYS = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};

/** @type {(spot: Element) => string[]} */
const namesOf = (spot) => (spot.getAttribute("data-names") || "").split("|");

/** @type {(box: Box) => Point} */
const middle = (box) => ({ x: box.x + box.w / 2, y: box.y + box.h / 2 });

/** @type {(spot: SVGElement) => Point} */
const spotAt = (spot) => {
  const { x, y, width, height } = /** @type {SVGGraphicsElement} */ (spot).getBBox();
  return { x: x + width / 2, y: y + height / 2 };
};

/** @type {(one: Point, other: Point) => number} */
const distance = (one, other) => Math.hypot(one.x - other.x, one.y - other.y);
