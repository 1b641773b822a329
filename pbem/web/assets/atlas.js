/**
 * The places of a picture: its tap targets, and what orders call them.
 *
 * @typedef {{x: number, y: number}} Point
 * @typedef {{x: number, y: number, w: number, h: number}} Box
 * @typedef {{names: string[], title: string, element: SVGGraphicsElement | null, box: Box, x: number, y: number}} Place
 */

/** Knows places by number and by name. */
export class Atlas {
  /** @param {SVGSVGElement | null} svg */
  constructor(svg) {
    const elements = svg ? [...svg.querySelectorAll("[data-names]")] : [];
    this.places = elements.map((each) => placeOf(/** @type {SVGGraphicsElement} */ (each)));
    /** @type {Map<string, number[]>} */
    this.byName = new Map();
    for (const [index, { names }] of this.places.entries()) {
      for (const name of names) this.byName.set(name, [...(this.byName.get(name) || []), index]);
    }
  }

  /** @param {string} name */
  has(name) {
    return this.byName.has(name);
  }

  /**
   * The place of a name, -1 for none. Of several the one nearest to another place counts, else the largest.
   * @param {string} name
   * @param {number} [near]
   */
  find(name, near = -1) {
    const found = this.byName.get(name) || [];
    if (found.length < 2) return found[0] ?? -1;
    const rank = (/** @type {number} */ index) => (near >= 0 ? this.distance(index, near) : -this.places[index].box.w);
    return found.reduce((best, index) => (rank(index) < rank(best) ? index : best));
  }

  /**
   * @param {number} one
   * @param {number} other
   */
  distance(one, other) {
    const [from, to] = [this.places[one], this.places[other]];
    return Math.hypot(from.x - to.x, from.y - to.y);
  }

  /** The width of a usual place, in pixels of the picture. */
  get span() {
    const widths = this.places.map(({ box }) => Math.min(box.w, box.h)).sort((one, other) => one - other);
    return widths[Math.floor(widths.length / 2)] || 1;
  }

  /**
   * The box around places.
   * @param {number[]} [indices]
   * @returns {Box}
   */
  around(indices = [...this.places.keys()]) {
    const boxes = indices.map((index) => this.places[index].box);
    const x = Math.min(...boxes.map((box) => box.x));
    const y = Math.min(...boxes.map((box) => box.y));
    return { x, y, w: Math.max(...boxes.map((box) => box.x + box.w)) - x, h: Math.max(...boxes.map((box) => box.y + box.h)) - y };
  }
}

/** @param {SVGGraphicsElement} element */
function placeOf(element) {
  const corners = (element.getAttribute("points") || "").trim().split(/\s+/).map((pair) => pair.split(",").map(Number));
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  const box = { x: Math.min(...xs), y: Math.min(...ys), w: Math.max(...xs) - Math.min(...xs), h: Math.max(...ys) - Math.min(...ys) };
  const names = (element.getAttribute("data-names") || "").split("|");
  const title = element.getAttribute("aria-label") || names[0];
  return { names, title, element, box, x: box.x + box.w / 2, y: box.y + box.h / 2 };
}
