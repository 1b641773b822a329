import { make } from "./dom.js";
import { split } from "./grammar.js";
import { mailOf, sheetOf } from "./sheet.js";

/**
 * @typedef {import("./sheet.js").Seat} Seat
 * @typedef {import("./grammar.js").Offer} Offer
 */

const MANY = 24;
const JUDGE = "The receipt is the judge: it may read more than this page does, and tells what it took.";

/**
 * The sheet as lines: one is being typed, or chosen word by word; below stand those of the sheet, to be changed, moved
 * and taken out; and all of it as text.
 */
export class Lines {
  /**
   * @param {Seat} seat
   * @param {import("./grammar.js").Grammar} grammar
   * @param {(lines: string[], whole: boolean) => void} changed told whether a whole line was changed, not letters
   * @param {(line: string) => string} doubt what the tree says of a line that the grammar takes
   */
  constructor(seat, grammar, changed, doubt) {
    this.seat = seat;
    this.grammar = grammar;
    this.changed = changed;
    this.doubt = doubt;
    /** @type {string[]} */
    this.lines = [];
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
    this.text = make("textarea", { id: "sheet", rows: "8", autocomplete: "off", spellcheck: "false", input: () => this.typed() });
    this.mail = make("a", { class: "button" });
    this.copy = make("button", { type: "button", click: () => this.copySheet() }, "Copy the sheet");
    this.sending = make("div", { class: "sending" }, this.copy, this.mail);
    this.sent = make("p", { class: "quiet", role: "status" });
    this.element = this.build();
    this.show();
  }

  build() {
    const add = (/** @type {Event} */ event) => {
      event.preventDefault();
      this.enter();
    };
    return make(
      "div",
      { class: "desk" },
      ...notices(this.seat).map((text) => make("p", { class: "notice" }, text)),
      this.none,
      this.list,
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
   * @param {string[]} names
   * @param {string} title
   */
  picked(names, title) {
    const line = this.input.value;
    const offers = this.grammar.named(line, names);
    if (offers.length === 1 && line.trim()) this.write(offers[0].line);
    else if (offers.length) this.offers.replaceChildren(make("p", {}, `${title}:`), ...this.choices(offers, title));
    else this.tell(`${title}: ${line.trim() ? "that does not come next." : "no order begins with it."}`);
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
    this.tell(line.trim() ? told(reading, "Next:") : BEGIN);
    this.add.disabled = !line.trim() || reading.unfinished;
    this.add.classList.toggle("ready", reading.complete);
    this.back.disabled = this.clear.disabled = !line;
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
  enter() {
    const line = this.input.value.trim();
    if (!line) return;
    this.lines = this.changing >= 0 ? this.lines.with(this.changing, line) : [...this.lines, line];
    this.changing = -1;
    this.write("");
    this.hand();
    this.tell(`In the sheet: ${line}`);
  }

  /** Takes what was typed as text for the sheet. */
  typed() {
    this.lines = this.text.value.split("\n").map((line) => line.trim()).filter(Boolean);
    this.changing = -1;
    this.hand(false);
  }

  hand(whole = true) {
    this.changed(this.lines, whole);
    this.showLines();
  }

  /**
   * Shows the lines of a sheet.
   * @param {string[]} lines
   */
  put(lines) {
    if (lines === this.lines && this.list.childElementCount === lines.length) return;
    this.lines = lines;
    if (this.changing >= lines.length) this.changing = -1;
    this.showLines();
  }

  showLines() {
    this.add.textContent = this.changing >= 0 ? "Put back" : "Add";
    this.none.hidden = this.lines.length > 0;
    this.list.replaceChildren(...this.lines.map((line, at) => this.row(line, at)));
    if (document.activeElement !== this.text) this.text.value = this.lines.join("\n");
    const { href, filled } = mailOf(this.seat, this.lines);
    this.mail.textContent = filled ? "Send by mail" : "Open a mail to paste it into";
    this.mail.setAttribute("href", href);
    this.sending.hidden = !this.lines.length;
    this.mail.hidden = Boolean(this.seat.practice);
    const said = filled ? "It counts once you have mailed it." : "The sheet is too long for some mail programs: copy it, then open a mail and paste it.";
    this.sent.textContent = this.lines.length ? said : "";
  }

  /**
   * @param {string} line
   * @param {number} at
   */
  row(line, at) {
    const read = told(this.grammar.read(line, false), "Not finished; next comes");
    const fault = /^\s*(?:[;#%]|\/[/*])/.test(line) ? "" : read || this.doubt(line);
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
    this.lines = this.lines.toSpliced(from, 1).toSpliced(to, 0, this.lines[from]);
    this.changing = -1;
    this.hand();
    this.focusRow(to, from < to ? "Later" : "Earlier");
  }

  /** @param {number} at */
  take(at) {
    const line = this.lines[at];
    this.lines = this.lines.toSpliced(at, 1);
    this.changing = -1;
    this.hand();
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
 * What a player should know before they write orders.
 * @param {Seat} seat
 * @returns {string[]}
 */
export function notices(seat) {
  if (seat.practice) return ["Practice: nothing is mailed."];
  const late = seat.due && Date.parse(seat.due) < Date.now();
  return late ? ["The deadline of this report has passed."] : seat.awaited ? [] : ["No orders are asked of you now."];
}

const BEGIN = "Choose an order, or type.";

/**
 * What is to be said of a line.
 * @param {import("./grammar.js").Reading} reading
 * @param {string} unfinished
 */
function told({ fault, next }, unfinished) {
  if (fault) return `${fault[0].toUpperCase()}${fault.slice(1)}.`;
  return next && `${unfinished} ${next}.`;
}
