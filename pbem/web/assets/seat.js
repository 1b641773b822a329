import { island } from "./data.js";
import { OrderDesk } from "./desk.js";
import { make } from "./dom.js";
import { LiveMap } from "./map.js";

/** @type {import("./sheet.js").Seat} */
const seat = island("seat");
const report = /** @type {HTMLElement} */ (document.querySelector("main"));
const frames = [...report.querySelectorAll(".map")].map((each) => /** @type {HTMLElement} */ (each));

/** @type {OrderDesk | null} */
let desk = null;
const maps = frames.map((frame) => new LiveMap(frame, (spot) => desk?.picked(spot)));
if (seat.desk) desk = new OrderDesk(seat, seat.desk, maps);
layOut();

/** Puts the desk beside the maps, which share a place; without any, at the end. */
function layOut() {
  const board = make("div", { class: "board" });
  if (frames.length) frames[0].before(board);
  else report.append(board);
  if (frames.length) board.append(make("div", { class: "maps" }, ...sheets(), ...frames));
  if (desk) board.append(desk.element);
  const link = document.getElementById("to-desk");
  if (link) link.hidden = !desk;
}

/** Several maps are leaves of one atlas: a button brings each to the top. */
function sheets() {
  if (frames.length < 2) return [];
  const buttons = frames.map((frame, at) =>
    make("button", { type: "button", click: () => bring(at) }, frame.dataset.name || `Map ${at + 1}`),
  );
  /** @param {number} chosen */
  function bring(chosen) {
    for (const [at, frame] of frames.entries()) {
      frame.hidden = at !== chosen;
      buttons[at].setAttribute("aria-pressed", String(at === chosen));
    }
  }
  bring(0);
  return [make("div", { class: "leaves", role: "group", "aria-label": "Maps" }, ...buttons)];
}
