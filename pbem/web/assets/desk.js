import { make } from "./dom.js";
import { Grammar, split } from "./grammar.js";
import { keepLines, keptLines, mailOf, sheetOf } from "./sheet.js";

/**
 * @typedef {import("./sheet.js").Seat} Seat
 * @typedef {import("./grammar.js").Offer} Offer
 * @typedef {import("./map.js").LiveMap} LiveMap
 */

const MANY = 24;
const JUDGE = "The receipt is the judge: it may read more than this page does, and tells what it took.";

/**
 * Where orders are put together. One line is being written: by typing, by choosing what may come next, or by
 * tapping the map; all three write the same line. Below stand the lines of the sheet.
 */
export class OrderDesk {
  /**
   * @param {Seat} seat
   * @param {import("./grammar.js").Desk} desk
   * @param {LiveMap[]} maps
   */
  constructor(seat, desk, maps) {
    this.seat = seat;
    this.maps = maps;
    this.grammar = new Grammar(desk);
    this.lines = keptLines(seat);
    this.changing = -1;
    this.input = make("input", {
      id: "line",
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      enterkeyhint: "done",
      input: () => this.show(),
    });
    this.add = make("button", { type: "submit", class: "first" }, "Add");
    this.usage = make("p", { class: "usage" });
    this.says = make("p", { class: "says", role: "status" });
    this.offers = make("div", { class: "offers", role: "group", "aria-label": "What may come next" });
    this.back = make("button", { type: "button", click: () => this.undo() }, "One word back");
    this.clear = make("button", { type: "button", click: () => this.write("") }, "Start over");
    this.list = make("ol", { class: "lines" });
    this.none = make("p", { class: "quiet" }, "No orders in the sheet yet.");
    this.text = make("textarea", { id: "sheet", rows: "8", spellcheck: "false", input: () => this.typed() });
    this.mail = make("a", { class: "button first", click: () => this.opened() });
    this.copy = make("button", { type: "button", click: () => this.copySheet() }, "Copy the sheet");
    this.sending = make("div", { class: "sending" }, this.mail, this.copy);
    this.sent = make("p", { class: "quiet", role: "status" });
    this.element = this.build();
    this.show();
    this.showLines();
  }

  build() {
    const add = (/** @type {Event} */ event) => {
      event.preventDefault();
      this.put();
    };
    return make(
      "section",
      { class: "desk", id: "desk", "aria-labelledby": "desk-title" },
      make("h2", { id: "desk-title" }, "Order desk"),
      ...notices(this.seat),
      make(
        "form",
        { class: "maker", submit: add },
        make("label", { for: "line" }, "An order"),
        make("div", { class: "entry" }, this.input, this.add),
        this.usage,
        this.says,
        this.offers,
        make("div", { class: "steps" }, this.back, this.clear),
      ),
      make("h3", {}, "Your sheet"),
      this.none,
      this.list,
      make(
        "details",
        {},
        make("summary", {}, "As text"),
        make("label", { for: "sheet" }, "All orders, one a line"),
        this.text,
      ),
      this.sending,
      this.sent,
      make("p", { class: "quiet" }, `A sheet replaces the one you sent before it. ${JUDGE}`),
    );
  }

  /**
   * What was tapped on a map goes into the line, if it can mean one thing only; else the choice is the player's.
   * @param {import("./map.js").Spot} spot
   */
  picked(spot) {
    const line = this.input.value;
    const offers = this.grammar.named(line, spot.names);
    if (offers.length === 1 && line.trim()) {
      this.write(offers[0].line);
      this.sayBelowMaps(`${spot.title}. In the line: ${this.input.value}`);
    } else if (offers.length) {
      this.offers.replaceChildren(make("p", {}, `${spot.title}:`), ...this.choices(offers, spot.title));
      this.focusNext();
    } else {
      this.sayBelowMaps(`${spot.title}: ${line.trim() ? "that does not come next." : "no order begins with it."}`);
    }
  }

  /**
   * Where somebody looks who taps maps: on a phone the desk lies below them.
   * @param {string} text
   */
  sayBelowMaps(text) {
    for (const map of this.maps) map.say(text);
  }

  /**
   * @param {string} line
   */
  write(line) {
    const within = this.offers.contains(document.activeElement);
    this.input.value = line;
    this.show(false);
    if (within || document.activeElement === document.body) this.focusNext();
  }

  /** After a choice the next one has the focus, so that keys can go on; the input has not, or phones show theirs. */
  focusNext() {
    const first = /** @type {HTMLElement | null} */ (this.offers.querySelector("button, select, input"));
    (first || this.add).focus();
  }

  undo() {
    const tokens = split(this.input.value);
    this.write(this.input.value.slice(0, tokens.length ? tokens[tokens.length - 1].start : 0).trimEnd());
  }

  /** @param {boolean} [typing] whether the last word may be only begun; what was chosen is whole */
  show(typing = true) {
    const line = this.input.value;
    const reading = this.grammar.read(line, typing);
    this.offers.replaceChildren(
      ...this.choices(reading.endings, "what the last word may become"),
      ...this.choices(reading.nexts, reading.expected.join(" or ")),
      ...reading.ranges.map((range) => this.number(range)),
    );
    const [verb] = reading.verbs;
    this.usage.replaceChildren(
      ...reading.verbs.flatMap((each) => [make("code", {}, each.usage), make("br")]),
      verb ? verb.help : "",
    );
    this.tell(line.trim() ? told(reading, "Next:") : begin(this.maps.some((map) => map.spots().length)));
    this.add.disabled = !line.trim();
    this.add.classList.toggle("ready", reading.complete);
    this.back.disabled = this.clear.disabled = !line;
    for (const map of this.maps) {
      map.mark("chosen", reading.words);
      map.mark("possible", line.trim() ? [...reading.endings, ...reading.nexts].map((offer) => offer.value) : []);
    }
  }

  /**
   * Buttons, or a list where there would be too many.
   * @param {Offer[]} offers
   * @param {string} label
   * @returns {HTMLElement[]}
   */
  choices(offers, label) {
    if (offers.length > MANY) return [this.select(offers, label)];
    return offers.map((offer) => make("button", { type: "button", click: () => this.write(offer.line) }, offer.label));
  }

  /**
   * @param {Offer[]} offers
   * @param {string} label
   */
  select(offers, label) {
    const options = offers.map((offer) => make("option", { value: offer.line }, offer.label));
    const chosen = (/** @type {Event} */ event) =>
      this.write(/** @type {HTMLSelectElement} */ (event.currentTarget).value);
    return make("select", { "aria-label": label, change: chosen }, make("option", { value: "" }, "Choose…"), ...options);
  }

  /** @param {import("./grammar.js").Range} range */
  number({ low, high, expected }) {
    const field = make("input", {
      type: "number",
      "aria-label": expected,
      min: String(low),
      max: String(high),
      value: String(Math.min(high, Math.max(low, 1))),
    });
    const put = () => this.write(`${this.input.value.trimEnd()} ${field.value}`);
    const enter = (/** @type {Event} */ event) => {
      if (/** @type {KeyboardEvent} */ (event).key !== "Enter") return;
      event.preventDefault();
      put();
    };
    field.addEventListener("keydown", enter);
    return make("span", { class: "number" }, field, make("button", { type: "button", click: put }, "Put in"));
  }

  /** Puts the line into the sheet. */
  put() {
    const line = this.input.value.trim();
    if (!line) return;
    if (this.changing >= 0) this.lines[this.changing] = line;
    else this.lines.push(line);
    this.changing = -1;
    this.write("");
    this.showLines();
    this.tell(`In the sheet: ${line}`);
  }

  /** Takes what was typed as text for the sheet. */
  typed() {
    this.lines = this.text.value.split("\n").map((line) => line.trim()).filter(Boolean);
    this.changing = -1;
    this.showLines();
  }

  showLines() {
    this.add.textContent = this.changing >= 0 ? "Put back" : "Add";
    this.none.hidden = this.lines.length > 0;
    this.list.replaceChildren(...this.lines.map((line, at) => this.row(line, at)));
    if (document.activeElement !== this.text) this.text.value = this.lines.join("\n");
    this.showSending(keepLines(this.seat, this.lines));
  }

  /** @param {boolean} kept whether the draft is kept on this device */
  showSending(kept) {
    const { href, filled } = mailOf(this.seat, this.lines);
    this.mail.textContent = filled ? "Send by mail" : "Open a mail to paste it into";
    this.mail.setAttribute("href", href);
    this.sending.hidden = !this.lines.length;
    this.sending.replaceChildren(...(filled ? [this.mail, this.copy] : [this.copy, this.mail]));
    const said = [
      filled ? "" : "The sheet is too long for some mail programs: copy it, then open a mail and paste it.",
      kept ? "This draft is kept on this device." : "",
      "It counts once you have mailed it.",
    ];
    this.sent.textContent = this.lines.length ? said.filter(Boolean).join(" ") : "";
  }

  /**
   * @param {string} line
   * @param {number} at
   */
  row(line, at) {
    const fault = /^[;#]/.test(line) ? "" : told(this.grammar.read(line, false), "Not finished; next comes");
    const button = (/** @type {string} */ text, /** @type {string} */ label, /** @type {() => void} */ act) =>
      make("button", { type: "button", "aria-label": `${label}: ${line}`, title: label, click: act }, text);
    return make(
      "li",
      { class: at === this.changing ? "changing" : "" },
      make("code", {}, line),
      make(
        "span",
        { class: "acts" },
        button("Change", "Change", () => this.change(at)),
        button("↑", "Earlier", () => this.move(at, at - 1)),
        button("↓", "Later", () => this.move(at, at + 1)),
        button("×", "Take out", () => this.take(at)),
      ),
      ...(fault ? [make("span", { class: "fault" }, fault)] : []),
    );
  }

  /** @param {number} at */
  change(at) {
    this.changing = at;
    this.showLines();
    this.input.value = this.lines[at];
    this.show();
    this.input.focus();
  }

  /**
   * @param {number} from
   * @param {number} to
   */
  move(from, to) {
    if (to < 0 || to >= this.lines.length) return;
    const [line] = this.lines.splice(from, 1);
    this.lines.splice(to, 0, line);
    this.changing = -1;
    this.showLines();
    this.focusRow(to, from < to ? "Later" : "Earlier");
  }

  /** @param {number} at */
  take(at) {
    const [line] = this.lines.splice(at, 1);
    this.changing = -1;
    this.showLines();
    this.tell(`Taken out: ${line}`);
    if (this.lines.length) this.focusRow(Math.min(at, this.lines.length - 1), "Take out");
    else this.input.focus();
  }

  /**
   * @param {number} at
   * @param {string} title
   */
  focusRow(at, title) {
    const row = this.list.children[at];
    /** @type {HTMLElement | null} */ (row.querySelector(`[title="${title}"]`))?.focus();
  }

  opened() {
    this.sent.textContent = "Send it from your mail program, which opens now. A receipt answers it.";
  }

  async copySheet() {
    const sheet = sheetOf(this.seat, this.lines);
    try {
      await navigator.clipboard.writeText(sheet);
      this.sent.textContent = `Copied. Paste it into a mail to ${this.seat.address}, above everything else.`;
    } catch {
      this.showWhole(sheet);
    }
  }

  /**
   * Where a browser lets no page copy, the sheet is shown whole, selected.
   * @param {string} sheet
   */
  showWhole(sheet) {
    const whole = make("textarea", { rows: "6", readonly: true, "aria-label": "The whole sheet, to be copied" }, sheet);
    this.sent.replaceChildren(`Copy this into a mail to ${this.seat.address}:`, whole);
    whole.focus();
    whole.select();
  }

  /** @param {string} text */
  tell(text) {
    this.says.textContent = text;
  }
}

/**
 * What a player should know before he writes orders.
 * @param {Seat} seat
 */
function notices(seat) {
  const late = seat.due && Date.parse(seat.due) < Date.now();
  const told = late ? "The deadline of this report has passed." : seat.awaited ? "" : "No orders are asked of you now.";
  return told ? [make("p", { class: "notice" }, told)] : [];
}

/** @param {boolean} onMap */
function begin(onMap) {
  return onMap ? "Choose an order, tap the map, or type." : "Choose an order, or type.";
}

/**
 * What is to be said of a line.
 * @param {import("./grammar.js").Reading} reading
 * @param {string} unfinished
 */
function told({ fault, next }, unfinished) {
  if (fault) return `${fault[0].toUpperCase()}${fault.slice(1)}.`;
  return next && `${unfinished} ${next}.`;
}
