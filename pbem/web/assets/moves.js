import { makeSvg } from "./dom.js";

/**
 * @typedef {{seat: string, shape: string, points: [number, number][], label: string}} MoveMark points are in pixels of the picture
 * @typedef {{size: number, marks: MoveMark[]}} Moves size is that of a usual place
 */

/**
 * The moves of a turn as a group to be put into the SVG of their picture: they go where it goes.
 * @param {Moves} moves
 * @param {Map<string, string>} colours the class of each seat
 * @returns {SVGElement}
 */
export function movesGroup(moves, colours) {
  const size = Math.min(Math.max(moves.size, 16), 90);
  const drawn = moves.marks.map((mark) => moveOf(mark, size, colours.get(mark.seat) || ""));
  return makeSvg("g", { class: "moves", "aria-hidden": "true", "pointer-events": "none" }, ...drawn);
}

/**
 * @param {MoveMark} mark
 * @param {number} size
 * @param {string} colour
 */
function moveOf({ seat, shape, points, label }, size, colour) {
  const group = makeSvg("g", { class: `move ${shape} ${colour}`, "data-seat": seat });
  const ends = points[points.length - 1];
  if (shape === "path" || shape === "target") group.append(...arrow(points, size, shape));
  else if (shape === "piece") group.append(...points.map(([cx, cy]) => makeSvg("circle", { class: "disc", cx, cy, r: size * 0.24 })));
  else if (shape === "cross") group.append(...cross(ends, size));
  if (label && shape === "piece") group.append(...points.map((at) => word(at, size, label, 0.09)));
  else if (label) group.append(word(ends, size, label, 0.55));
  return group;
}

/**
 * An arrow on a white edge, so that it is seen on any ground; a ring where it goes nowhere.
 * @param {[number, number][]} points
 * @param {number} size
 * @param {string} shape
 */
function* arrow(points, size, shape) {
  const way = points.filter(([x, y], at) => !at || x !== points[at - 1][0] || y !== points[at - 1][1]);
  const [x, y] = way[way.length - 1];
  if (way.length > 1) {
    const [fromX, fromY] = way[way.length - 2];
    const length = Math.hypot(x - fromX, y - fromY);
    const [alongX, alongY] = [(x - fromX) / length, (y - fromY) / length];
    const head = Math.min(size * 0.36, length * 0.6);
    const short = length > size ? size * 0.22 : 0; // or the head would cover what stands there
    const [tipX, tipY] = [x - alongX * short, y - alongY * short];
    const [baseX, baseY] = [tipX - alongX * head, tipY - alongY * head];
    const line = [...way.slice(0, -1), [baseX, baseY]].map((each) => each.join(",")).join(" ");
    const tip = `${tipX},${tipY} ${baseX - (alongY * head) / 2},${baseY + (alongX * head) / 2} ${baseX + (alongY * head) / 2},${baseY - (alongX * head) / 2}`;
    for (const style of ["edge", "line"]) {
      yield makeSvg("polyline", { class: style, points: line, "stroke-width": size * (style === "edge" ? 0.19 : 0.11) });
      yield makeSvg("polygon", { class: style, points: tip, "stroke-width": size * (style === "edge" ? 0.08 : 0) });
    }
  }
  if (way.length === 1 || shape === "target") {
    for (const style of ["edge", "line"]) {
      yield makeSvg("circle", { class: style, cx: x, cy: y, r: size * 0.42, "stroke-width": size * (style === "edge" ? 0.19 : 0.11) });
    }
  }
}

/**
 * @param {[number, number]} at
 * @param {number} size
 */
function cross([x, y], size) {
  const r = size * 0.3;
  const d = `M${x - r},${y - r}L${x + r},${y + r}M${x - r},${y + r}L${x + r},${y - r}`;
  return ["edge", "line"].map((style) => makeSvg("path", { class: style, d, "stroke-width": size * (style === "edge" ? 0.2 : 0.12) }));
}

/**
 * @param {[number, number]} at
 * @param {number} size
 * @param {string} text
 * @param {number} below
 */
function word([x, y], size, text, below) {
  return makeSvg("text", { x, y: y + size * below, "font-size": size * 0.3, "text-anchor": "middle", "stroke-width": size * 0.08 }, text);
}
