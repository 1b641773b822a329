import { Atlas } from "./atlas.js";
import { Board } from "./board.js";
import { island } from "./data.js";
import { make } from "./dom.js";
import { Drafts } from "./draft.js";
import { Grammar } from "./grammar.js";
import { Lines, notices } from "./lines.js";
import { LiveMap } from "./map.js";
import { drawMarks, marksOf } from "./marks.js";
import { Panel } from "./panel.js";
import { Ordering } from "./selection.js";
import { keepDraft, keptDraft, mailOf, sheetOf } from "./sheet.js";
import { Tree } from "./tree.js";

/**
 * @typedef {import("./sheet.js").Seat} Seat
 * @typedef {import("./offers.js").State} State
 * @typedef {import("./atlas.js").Point} Point
 */

const DEEPEST = 99;
const TWICE = 400;
const NARROW = 17;

/** The page of a seat: map and form on one screen. */
class OrderPage {
  /**
   * @param {Seat} seat
   * @param {NonNullable<Seat["desk"]>} form
   * @param {HTMLElement} report
   */
  constructor(seat, form, report) {
    this.seat = seat;
    const frame = pictureFor(form, [...report.querySelectorAll(".map")]);
    const svg = frame?.querySelector("svg") || null;
    const atlas = new Atlas(svg);
    const tree = new Tree(form);
    const grammar = new Grammar(form);
    const drafts = new Drafts(form, grammar, tree, (word) => atlas.has(word));
    this.ordering = new Ordering(grammar, tree, drafts, atlas);
    /** @type {State[]} */
    this.before = [];
    /** @type {State | null} */
    this.drawn = null;
    /** @type {import("./marks.js").Drawn[]} */
    this.marks = [];
    this.asked = "";
    this.tapped = { spot: -1, at: -Infinity, before: /** @type {State | null} */ (null) };
    const kept = keptDraft(seat);
    this.known = new Set(kept.known);
    this.state = { ...this.ordering.begin(kept.lines), begun: kept.begun };
    this.lines = new Lines(seat, grammar, (lines, whole) => this.go(this.ordering.type(this.state, lines, whole)), (line) => this.doubt(line));
    this.panel = new Panel(seat, this.ordering, this.lines, report, {
      go: (next) => this.go(next),
      undo: () => this.undo(),
      send: (event) => this.send(event),
      type: (verb) => this.type(verb),
      resized: () => this.resized(),
    });
    frame?.replaceWith(make("p", { class: "quiet" }, "The map is the one on which you order."));
    /** @type {Board | null} */
    this.board = svg
      ? new Board(svg, atlas, {
          tap: (spot) => this.tap(spot),
          hold: (spot) => this.hold(spot),
          moved: () => this.draw(),
          covered: () => ({ bottom: this.covered() }),
        })
      : null;
    for (const each of report.querySelectorAll(".map")) new LiveMap(/** @type {HTMLElement} */ (each));
    this.build();
    this.start();
  }

  build() {
    const { seat, panel, board } = this;
    const head = make(
      "header",
      { class: "head" },
      make("div", { class: "head-text" }, make("strong", {}, seat.title), make("span", {}, seat.moment)),
      make("button", { type: "button", class: "to-report", click: () => (panel.tab === "report" && panel.height === "full" ? panel.resize("low") : panel.open("report")) }, "Report"),
    );
    document.body.classList.add("ordering");
    document.body.classList.toggle("no-map", !board);
    document.body.prepend(head, ...(board ? [board.element] : []), panel.element);
    document.addEventListener("keydown", (event) => this.key(event));
    const sizes = new ResizeObserver(() => this.resized());
    for (const each of [document.body, head]) sizes.observe(each); // the head grows with the text
  }

  start() {
    const { panel, ordering, board, state } = this;
    const first = ordering.need(state, state.selection.slot);
    const [notice] = notices(this.seat);
    const lost = state.lines.filter((line) => this.doubt(line)).length;
    const said = lost ? `${lost} line${lost > 1 ? "s" : ""} of your draft may no longer hold: see Orders.` : notice || "";
    this.state = { ...state, said };
    if (!board) [panel.tab, panel.height] = ["orders", "full"];
    if (panel.stands && board) panel.tab = "report";
    this.render();
    if (!board) return;
    const units = [...ordering.standing(state).keys()];
    board.open(units, first ? ordering.spotOfNeed(state, first) : -1);
    this.bring();
  }

  /** @param {State} next */
  go(next) {
    const { state } = this;
    if (next.lines !== state.lines || JSON.stringify(next.begun) !== JSON.stringify(state.begun)) {
      this.before = [...this.before, state].slice(-DEEPEST);
    }
    const moved = next.selection !== state.selection;
    this.state = next;
    this.asked = "";
    this.keep();
    this.render();
    if (moved) this.bring();
    const { title } = this.ordering.need(next, next.selection.slot) || { title: "" };
    this.panel.tell([next.said, moved && title && `Now: ${title}.`].filter(Boolean).join(". "));
  }

  undo() {
    const last = this.before.at(-1);
    if (!last) return;
    this.before = this.before.slice(0, -1);
    this.state = { ...last, said: "Undone", last: null };
    this.keep();
    this.render();
    this.bring();
    this.panel.tell("Undone");
  }

  render() {
    const { state, ordering, panel, board } = this;
    board?.mark(ordering.offers(state).lit.keys(), ordering.standing(state));
    panel.undo.disabled = !this.before.length;
    panel.show(state);
    const { href } = mailOf(this.seat, state.lines);
    if (state.lines.length && !this.seat.practice) panel.send.setAttribute("href", href);
    else panel.send.removeAttribute("href");
    this.draw();
  }

  draw() {
    const { board, ordering, state } = this;
    if (!board) return;
    if (this.drawn !== state) this.marks = marksOf(ordering, state);
    this.drawn = state;
    drawMarks(board, this.marks);
  }

  bring() {
    const { board, ordering, state } = this;
    const { selection } = state;
    const need = ordering.need(state, selection.slot);
    const unit = selection.units[0];
    const spot = unit ? ordering.spotOf(state, unit) : need ? ordering.spotOfNeed(state, need) : selection.spot;
    board?.bring(spot, [...ordering.offers(state).lit.keys()]);
  }

  resized() {
    const { board, panel } = this;
    const letters = parseFloat(getComputedStyle(document.documentElement).fontSize);
    document.body.classList.toggle("large", innerWidth < NARROW * letters);
    panel.show(this.state);
    board?.show();
    if (panel.height !== "full" || panel.stands) this.bring();
  }

  /**
   * How much of the map the sheet lies on.
   * @returns {number}
   */
  covered() {
    if (!this.board) return 0;
    const map = this.board.surface.getBoundingClientRect();
    const sheet = this.panel.element.getBoundingClientRect();
    return sheet.left < map.right - 1 && sheet.top < map.bottom ? map.bottom - sheet.top : 0;
  }

  /** @param {number} spot */
  tap(spot) {
    const { panel, lines, ordering } = this;
    if (panel.tab === "orders" && lines.input.value.trim()) {
      const { names, title } = ordering.atlas.places[spot];
      return lines.picked(names, title);
    }
    if (!ordering.tree.roots.length) {
      const { names, title } = ordering.atlas.places[spot];
      panel.open("orders");
      return lines.picked(names, title);
    }
    const twice = this.tapped.spot === spot && performance.now() - this.tapped.at < TWICE ? this.tapped.before : null;
    const here = twice && ordering.standing(twice).get(spot);
    this.tapped = { spot: here ? -1 : spot, at: performance.now(), before: this.state };
    this.go(here ? ordering.selectUnit(twice, ordering.turn(twice, here)) : ordering.tap(this.state, spot));
  }

  /**
   * A short cut to all that a place can mean: it orders nothing by itself.
   * @param {number} spot
   */
  hold(spot) {
    const { ordering, panel, state } = this;
    const here = ordering.standing(state).get(spot);
    const lit = ordering.offers(state).lit.get(spot);
    if (here) this.go(ordering.selectUnit(state, here[0]));
    else if (lit) this.state = { ...state, said: ordering.atlas.places[spot].title };
    panel.state = this.state;
    panel.tab = "todo";
    panel.open("more", "half");
  }

  /** @param {string} verb */
  type(verb) {
    this.panel.open("orders", "full");
    this.lines.write(`${verb} `);
    this.lines.input.focus();
  }

  /**
   * What is to be said of a line that the page knew to be possible: after a corrected report it may not be.
   * @param {string} line
   */
  doubt(line) {
    const survey = this.ordering.survey(this.state);
    const read = survey.reads.find((each) => each.line === line);
    if (!read || !this.known.has(line)) return "";
    if (!read.step) return "It was possible when you ordered it, and is no longer.";
    return this.ordering.drafts.holds(read, survey) ? "" : "Another line of the sheet stands against it.";
  }

  keep() {
    const { lines, begun } = this.state;
    for (const { line, step } of this.ordering.survey(this.state).reads) if (step) this.known.add(line);
    keepDraft(this.seat, { lines, begun, known: lines.filter((line) => this.known.has(line)) });
  }

  /** @param {Event} event */
  send(event) {
    const { state, seat, panel } = this;
    const wrong = this.faults();
    const asking = wrong && this.asked !== wrong;
    const { filled } = mailOf(seat, state.lines);
    if (!state.lines.length || asking || seat.practice || !filled) event.preventDefault();
    if (!state.lines.length) return this.say("There are no orders in the sheet yet.");
    if (asking) {
      this.say(`${wrong} Send again to send it all the same.`);
      this.asked = wrong;
      return;
    }
    if (seat.practice) return this.showMail();
    if (!filled) return panel.open("orders", "full");
    this.say("Send it from your mail program, which opens now. A receipt answers it.");
  }

  /** What should be mended before the sheet is sent. */
  faults() {
    const { state, ordering } = this;
    const { left } = ordering.survey(state);
    const { purses } = ordering.drafts;
    const over = Object.entries(purses).filter(([name]) => left[name] < 0);
    const dear = over.map(([name, { have, shown }]) => `These orders take ${have - left[name]} ${shown}; you have ${have}.`);
    const must = ordering.open(state).filter((need) => need.must).map(({ title }) => title);
    return [...dear, ...(must.length ? [`Still needed: ${must.join(", ")}.`] : [])].join(" ");
  }

  /** @param {string} text */
  say(text) {
    this.state = { ...this.state, said: text, last: null };
    this.render();
    this.panel.tell(text);
  }

  /** In practice: the mail that would be sent. */
  showMail() {
    const { seat, panel } = this;
    panel.open("todo", "full");
    panel.list.replaceChildren(
      make("h2", {}, "This would be mailed"),
      make("p", {}, "This is practice: nothing is sent. In a real game Send opens your mail program with this mail, and you send it from there. A receipt answers it."),
      make("pre", { class: "mail", tabindex: "0" }, `To: ${seat.address}\nSubject: ${seat.subject}\n\n${sheetOf(seat, this.state.lines)}`),
      make("button", { type: "button", click: () => panel.resize("low") }, "Back to the map"),
      make("a", { class: "button", href: seat.practice || "" }, "Back to the games"),
    );
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { target } = event;
    const typing = target instanceof Element && target.closest("input, textarea, select");
    const command = event.ctrlKey || event.metaKey;
    if (typing || event.altKey || (command && event.key.toLowerCase() !== "z")) return;
    if (target instanceof Element && target.closest(".map-view")) return;
    const act = command ? () => this.undo() : this.keyed(event.key, target);
    if (!act) return;
    event.preventDefault();
    act();
  }

  /**
   * @param {string} key
   * @param {EventTarget | null} target
   * @returns {(() => void) | null}
   */
  keyed(key, target) {
    const { ordering, state, panel, board } = this;
    if (/^[1-9]$/.test(key)) {
      const chips = [...panel.chips.querySelectorAll("button"), ...panel.result.querySelectorAll("button")];
      const chip = chips.filter((each) => !each.disabled)[Number(key) - 1];
      return chip ? () => chip.click() : null;
    }
    const low = key.toLowerCase();
    if (low === "n") return () => this.go(ordering.next(state));
    if (low === "u") return () => this.undo();
    if (key === "Escape") return () => (panel.height === "low" || panel.stands ? this.go(ordering.leave(state)) : panel.resize("low"));
    if (!board || !(target instanceof Node) || !board.surface.contains(target)) return null;
    const way = ARROWS[key];
    if (way) return () => board.step(way);
    if (key === "Enter" || key === " ") {
      return board.cursor < 0 ? null : () => this.tap(board.cursor);
    }
    if (key === "+" || key === "=") return () => board.zoom(1.4);
    if (key === "-") return () => board.zoom(1 / 1.4);
    return key === "0" ? () => board.glide(board.whole) : null;
  }
}

/** @type {Record<string, Point>} */
const ARROWS = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};

/**
 * The picture on which most of what can be ordered stands; of equal ones the first.
 * @param {NonNullable<Seat["desk"]>} form
 * @param {Element[]} frames
 */
function pictureFor(form, frames) {
  const words = new Set(JSON.stringify([form.tree, form.shared, form.made, form.agenda]).split(/[\s"[\]{}:]+|,(?!-?\d)/));
  let [best, most] = [/** @type {Element | null} */ (null), -1];
  for (const frame of frames) {
    const names = [...frame.querySelectorAll("[data-names]")].flatMap((each) => (each.getAttribute("data-names") || "").split("|"));
    const known = names.length ? new Set(names.filter((name) => words.has(name))).size : -1;
    if (known > most) [best, most] = [frame, known];
  }
  return best;
}

/** Shows a report without a form: its pictures can be zoomed, and several share a place. */
function showReport() {
  const frames = [...report.querySelectorAll(".map")].map((each) => /** @type {HTMLElement} */ (each));
  for (const frame of frames) new LiveMap(frame);
}

/** @type {Seat} */
const seat = island("seat");
const report = /** @type {HTMLElement} */ (document.querySelector("main"));
if (seat.desk) new OrderPage(seat, seat.desk, report);
else showReport();
