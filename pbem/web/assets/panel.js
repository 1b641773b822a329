import { make } from "./dom.js";
import { costOf } from "./draft.js";
import { capital } from "./selection.js";

/**
 * @typedef {import("./selection.js").Ordering} Ordering
 * @typedef {import("./offers.js").State} State
 * @typedef {import("./offers.js").Candidate} Candidate
 * @typedef {import("./tree.js").Need} Need
 * @typedef {"low" | "half" | "full"} Height
 * @typedef {"todo" | "orders" | "report" | "more"} Tab
 * @typedef {object} Acts what the panel asks for
 * @property {(next: State) => void} go
 * @property {() => void} undo
 * @property {(event: Event) => void} send
 * @property {(verb: string) => void} type
 * @property {() => void} resized
 */

const LISTED = 60;
const CHIPS = 14;

/** The form: rows that never move, and behind them lists, the sheet as lines, and the report. */
export class Panel {
  /**
   * @param {import("./sheet.js").Seat} seat
   * @param {Ordering} ordering
   * @param {import("./lines.js").Lines} lines
   * @param {HTMLElement} report
   * @param {Acts} acts
   */
  constructor(seat, ordering, lines, report, acts) {
    this.seat = seat;
    this.ordering = ordering;
    this.lines = lines;
    this.report = report;
    this.acts = acts;
    /** @type {State} */
    this.state = ordering.begin([]);
    /** @type {Height} */
    this.height = "low";
    /** @type {Tab} */
    this.tab = "todo";
    /** @type {string[]} */
    this.asking = [];
    this.result = make("div", { class: "row result" });
    this.title = make("strong", { class: "who" });
    this.says = make("span", { class: "what" });
    this.more = this.button("More", () => this.open("more"));
    this.nextButton = this.button("Next ▸", () => this.go(this.ordering.next(this.state)), { "data-role": "next" });
    this.now = make("div", { class: "row now" }, make("div", { class: "asked" }, this.title, this.says), this.more, this.nextButton);
    this.chips = make("div", { class: "row chips", role: "group", "aria-label": "Choices" });
    this.undo = this.button("↶", () => this.acts.undo(), { "aria-label": "Undo", "data-role": "undo" });
    this.count = this.button("", () => this.toggleList(), { class: "count" });
    this.send = make("a", { class: "button send", role: "link", tabindex: "0", "data-role": "send", click: (event) => this.acts.send(event) }, "Send");
    this.foot = make("div", { class: "foot" }, this.undo, this.count, this.send);
    this.grip = make("button", { type: "button", class: "grip", "aria-label": "Height of the form", click: () => this.cycle() });
    /** @type {Record<Tab, HTMLButtonElement>} */
    this.tabs = {
      todo: this.button("To do", () => this.open("todo")),
      orders: this.button("Orders", () => this.open("orders")),
      report: this.button("Report", () => this.open("report")),
      more: this.more,
    };
    this.tabRow = make("div", { class: "tabs", role: "group", "aria-label": "Lists" }, this.tabs.todo, this.tabs.orders, this.tabs.report);
    this.list = make("div", { class: "list" });
    this.content = make("div", { class: "content", tabindex: "-1" }, this.list, lines.element, report);
    this.live = make("p", { class: "unseen", role: "status" });
    this.element = make("div", { class: "sheet", "data-role": "orders" }, this.grip, this.result, this.now, this.chips, this.tabRow, this.content, this.foot, this.live);
    this.drag();
  }

  /**
   * @param {string} text
   * @param {() => void} act
   * @param {Record<string, string | boolean>} [attributes]
   */
  button(text, act, attributes = {}) {
    return make("button", { type: "button", ...attributes, click: act }, text);
  }

  /** @param {State} state */
  go(state) {
    this.asking = [];
    this.acts.go(state);
  }

  /** The grip can be drawn up and down. */
  drag() {
    let from = NaN;
    const order = /** @type {Height[]} */ (["full", "half", "low"]);
    this.grip.addEventListener("pointerdown", (event) => {
      from = event.clientY;
      this.grip.setPointerCapture(event.pointerId);
    });
    this.grip.addEventListener("pointerup", (event) => {
      const way = Math.abs(event.clientY - from) < 20 ? 0 : Math.sign(event.clientY - from);
      from = NaN;
      if (!way) return;
      this.dragged = true;
      this.resize(order[Math.min(2, Math.max(0, order.indexOf(this.height) + way))]);
    });
  }

  cycle() {
    if (this.dragged) {
      this.dragged = false;
      return;
    }
    this.resize(this.height === "low" ? "half" : this.height === "half" ? "full" : "low");
  }

  /** @param {Height} height */
  resize(height) {
    this.height = height;
    if (height === "low" && this.tab === "more") this.tab = "todo";
    this.show(this.state);
    this.acts.resized();
  }

  /**
   * @param {Tab} tab
   * @param {Height} [height]
   */
  open(tab, height = tab === "report" ? "full" : this.height === "full" ? "full" : "half") {
    if (tab === "more" && this.tab === "more" && this.height !== "low") return this.resize("low");
    this.tab = tab;
    this.asking = [];
    this.resize(height);
    this.content.scrollTop = 0;
  }

  toggleList() {
    if (this.height !== "low" && this.tab !== "more" && !this.stands) return this.resize("low");
    this.open(this.ordering.open(this.state).length ? "todo" : "orders");
  }

  /** Whether rows and lists stand one below the other. */
  get stands() {
    return matchMedia("(min-width: 900px) and (min-height: 521px)").matches;
  }

  /** @param {State} state */
  show(state) {
    this.state = state;
    this.element.dataset.height = this.height;
    const focused = document.activeElement;
    const row = [this.result, this.chips].find((each) => each.contains(focused));
    this.showResult();
    this.showNow();
    this.showChips();
    this.showFoot();
    this.showList();
    if (row && !focused?.isConnected) this.focusIn(row);
  }

  /**
   * Keeps keys where they were, though the button that was pressed has gone.
   * @param {HTMLElement} row
   */
  focusIn(row) {
    const buttons = [...row.querySelectorAll("button"), this.nextButton].filter((each) => !each.disabled);
    (buttons[0] || this.send).focus({ preventScroll: true });
  }

  showResult() {
    const { state, ordering } = this;
    if (ordering.guided) {
      const steps = ordering.drafts.agenda.map((need) => this.step(need));
      this.result.replaceChildren(...steps);
      this.result.classList.add("steps-row");
      const current = steps.find((each) => each.getAttribute("aria-pressed") === "true");
      if (current) this.result.scrollLeft = Math.max(0, current.offsetLeft - this.result.clientWidth / 2 + current.offsetWidth / 2);
      return;
    }
    const said = make("p", { class: "said" }, state.said || this.hint());
    fill(this.result, [said], this.alternatives(), () => this.open("more"));
  }

  hint() {
    const { state, ordering } = this;
    if (ordering.needs(state).some(({ unit }) => unit)) return ordering.open(state).length ? "Tap a unit with a dot." : "";
    return "";
  }

  /** What the last order might have been instead; of an order that is looked at, that it can be removed. */
  alternatives() {
    const { state, ordering } = this;
    const { order } = state.selection;
    if (order) return [this.button("Remove", () => this.go(ordering.remove(state, order)))];
    const { last } = state;
    if (!last) return [];
    const select = last.unit ? [this.button(`Select ${last.unit}`, () => this.go(ordering.selectUnit(ordering.remove(state, last.line), last.unit)))] : [];
    return [...select, ...last.others.map((other) => this.button(other.label, () => this.go(ordering.replace(state, other))))];
  }

  /** @param {Need} need */
  step(need) {
    const { state, ordering } = this;
    const met = ordering.met(state, need);
    const text = `${met ? "✓ " : ""}${need.short || need.title}`;
    const pressed = String(state.selection.slot === need.slot);
    return this.button(text, () => this.go(ordering.selectNeed({ ...state, said: "", last: null }, need.slot, "player")), {
      "data-need": need.slot,
      "aria-pressed": pressed,
      "aria-label": `${need.title}${met ? ": ordered" : ""}`,
    });
  }

  showNow() {
    const { state, ordering } = this;
    const [title, says] = this.asked();
    this.title.textContent = title;
    this.says.textContent = says;
    const open = ordering.open(state).filter(({ slot }) => slot !== state.selection.slot);
    this.nextButton.disabled = !open.length;
    this.more.setAttribute("aria-expanded", String(this.tab === "more" && (this.height !== "low" || this.stands)));
  }

  /** Who is asked, and what to do. */
  asked() {
    const { state, ordering } = this;
    const { selection } = state;
    const { lit, chips, wants } = ordering.offers(state);
    const need = ordering.need(state, selection.slot);
    const todo = [lit.size ? "tap a lit place" : "", chips.length && !lit.size ? "choose below" : ""].filter(Boolean);
    const partner = ordering.partner(state);
    if (selection.order) return ["In the sheet", selection.order];
    if (selection.units.length > 1) return [`${selection.units.length} units`, ["one order for each", ...todo].join(" · ")];
    const line = ordering.own(state, "")?.line || selection.words.join(" ");
    if (selection.words.length && partner) return [need?.title || "", [line, `${(partner.short || partner.title).toLowerCase()} ${wants}`].join(" · ")];
    const here = selection.spot >= 0 ? `, ${ordering.atlas.places[selection.spot].title.split(":")[0]}` : "";
    if (selection.words.length) return [(need?.title || ordering.phrase(selection.words)) + here, [selection.words.join(" "), ...todo].join(" · ")];
    if (need) return [need.title, [need.says || "", wants && `${wants} given`, ...todo].filter(Boolean).join(" · ")];
    if (selection.units.length) return [selection.units[0], todo.join(" · ")];
    if (selection.spot >= 0) return [ordering.atlas.places[selection.spot].title, "choose below"];
    if (this.isDone()) return this.unspent() || ["All have orders", "Send, or tap one to change it"];
    if (ordering.tree.roots.length) return ["Your orders", ordering.atlas.places.length ? "Tap a unit or a place, or More" : "Choose under More"];
    return ["Your orders", "Type them under Orders"];
  }

  /** Whether nothing is selected, and all that should have orders has. */
  isDone() {
    const { state, ordering } = this;
    const { order, units, words, slot, spot } = state.selection;
    const idle = !order && !units.length && !words.length && !slot && spot < 0;
    return idle && ordering.needs(state).length > 0 && !ordering.open(state).length;
  }

  /** What is left to buy from: "18 of 18 points unspent"; null if there is nothing to buy. */
  unspent() {
    const { state, ordering } = this;
    const verbs = ordering.buying(state).map((verb) => verb.toLowerCase());
    if (!verbs.length) return null;
    const [[name, { have, shown }]] = Object.entries(ordering.drafts.purses);
    return [`${ordering.survey(state).left[name]} of ${have} ${shown} unspent`, `All have orders: ${verbs.join(", ")} or send`];
  }

  showChips() {
    const { state, ordering } = this;
    const buying = this.isDone() ? ordering.buying(state).map((verb) => this.button(`${capital(verb.toLowerCase())} ▸`, () => this.go(ordering.write(state, [verb])))) : [];
    const buttons = [...buying, ...this.choiceChips(), ...this.otherVerbs(), ...this.unitChips()];
    const need = ordering.need(state, state.selection.slot);
    const rest = !buttons.length && need?.rest && !ordering.met(state, need) ? [make("p", { class: "said" }, need.rest)] : [];
    if (!ordering.guided) return fill(this.chips, rest, buttons, () => this.open("more"));
    const said = !buttons.length && state.said ? [make("p", { class: "said" }, state.said)] : [];
    fill(this.chips, said.length ? said : rest, [...buttons, ...(buttons.length ? [] : this.alternatives())], () => this.open("more"));
  }

  /** Choices without a place: as they are if they are of one line, else one for each verb. */
  choiceChips() {
    const { state, ordering } = this;
    const { chips } = ordering.offers(state);
    const chosen = state.selection.units.length > 0;
    const begun = state.selection.words.length > 0 || (!chosen && ordering.steps(state).length === 1);
    return [...new Set(chips.map(({ step }) => step.words[0]))]
      .map((verb) => chips.filter(({ step }) => step.words[0] === verb))
      .flatMap((found) => (begun || (chosen && found.length === 1) ? found.flatMap((each) => this.chip(each, found)) : [this.verbChip(found)]));
  }

  /** @param {Candidate[]} found */
  verbChip(found) {
    const { state, ordering } = this;
    const [{ step, unit }] = found;
    if (found.length === 1) return this.chip(found[0], found)[0];
    return this.button(`${capital(step.words[0].toLowerCase())} ▸`, () => this.go(ordering.write(state, unit ? step.words.slice(0, 2) : step.words.slice(0, 1))));
  }

  /**
   * A choice as buttons: the numbers of a small amount one by one, those of a large one as a field.
   * @param {Candidate} each
   * @param {Candidate[]} beside
   * @returns {HTMLElement[]}
   */
  chip(each, beside) {
    const { state, ordering } = this;
    const { low, high, cost = {} } = each.node;
    if (low !== undefined && high !== undefined) return this.amount(each, low, high);
    const begun = state.selection.words.length > 0 || beside.length > 1;
    const text = each.node.says || (begun ? each.word : ordering.phrase(each.step.words, each.unit));
    const price = this.price(cost, beside);
    const label = [text, price && `for ${price}`].filter(Boolean).join(" ");
    return [make("button", { type: "button", "aria-label": label, disabled: !each.affordable, click: () => this.go(ordering.give(state, [each])) }, text, ...(price ? [make("small", {}, price)] : []))];
  }

  /**
   * What a choice takes; where each takes one of a purse of its own, how many can be had.
   * @param {Record<string, number>} cost
   * @param {Candidate[]} beside
   */
  price(cost, beside) {
    const sums = Object.entries(cost);
    if (!sums.length) return "";
    const purses = beside.flatMap(({ node }) => Object.keys(node.cost || {}));
    const own = new Set(purses).size === purses.length && purses.length > 1 && beside.every(({ node }) => Object.values(node.cost || {}).every((sum) => sum === 1));
    const { left } = this.ordering.survey(this.state);
    const one = Object.keys(this.ordering.drafts.purses).length === 1;
    const given = (/** @type {string} */ name) => (beside[0].step.left ? costOf(beside[0].step)[name] || 0 : 0) - (name in (beside[0].node.cost || {}) ? 1 : 0);
    if (own) return String(Math.min(...sums.map(([name]) => (left[name] ?? 0) - Math.max(0, given(name)))));
    return sums.map(([name, sum]) => (one ? String(sum) : `${sum} ${this.ordering.drafts.purses[name]?.shown || name}`)).join(", ");
  }

  /**
   * @param {Candidate} each
   * @param {number} low
   * @param {number} high
   * @returns {HTMLElement[]}
   */
  amount(each, low, high) {
    const { state, ordering } = this;
    const give = (/** @type {number} */ number) => {
      const { step } = each;
      const counted = { ...each, word: String(number), step: { ...step, words: step.words.with(-1, String(number)) } };
      this.go(ordering.give(state, [counted]));
    };
    const { left } = ordering.survey(state);
    const payable = Math.min(high, ...Object.entries(each.node.cost || {}).map(([name, sum]) => (sum ? Math.floor((left[name] ?? 0) / sum) : high)));
    if (high - low < CHIPS) {
      return Array.from({ length: high - low + 1 }, (_, at) => this.button(String(low + at), () => give(low + at), { disabled: low + at > payable }));
    }
    const field = make("input", { type: "number", inputmode: "numeric", min: String(low), max: String(payable), value: String(low), "aria-label": each.node.says || `from ${low} to ${high}` });
    const add = (/** @type {number} */ by) => () => {
      field.value = String(Math.min(payable, Math.max(low, (Number(field.value) || low) + by)));
    };
    const put = () => {
      const number = Math.round(Number(field.value));
      if (number >= low && number <= payable) give(number);
      else field.reportValidity();
    };
    return [make("span", { class: "number" }, this.button("−", add(-1), { "aria-label": "One less" }), field, this.button("+", add(1), { "aria-label": "One more" }), this.button("Put in", put))];
  }

  /** Verbs by which something can be ordered where the unit stands, or at the place. */
  otherVerbs() {
    const { state, ordering } = this;
    const { selection } = state;
    if (selection.words.length) return [];
    const spot = selection.units.length === 1 ? ordering.spotOf(state, selection.units[0]) : selection.spot;
    if (spot < 0) return [];
    return ordering.verbsAt(spot).map((verb) => this.button(`${capital(verb.toLowerCase())} ▸`, () => this.go(ordering.write(state, [verb], spot))));
  }

  /** The units that stand where the selected one stands. */
  unitChips() {
    const { state, ordering } = this;
    const { selection } = state;
    if (selection.words.length || !selection.units.length) return [];
    const here = [...ordering.standing(state).values()].find((units) => units.includes(selection.units[0])) || [];
    if (here.length < 2) return [];
    const movable = here.filter((unit) => ordering.bases(state, unit).length);
    const all = movable.length > 1 ? [this.button(`All ${movable.length}`, () => this.go(ordering.selectAll(state, movable)), { "aria-pressed": String(selection.units.length > 1) })] : [];
    const met = (/** @type {string} */ unit) => ordering.needs(state).some((need) => need.unit === unit && ordering.met(state, need));
    const units = here.map((unit) =>
      this.button(`${met(unit) ? "✓ " : ""}${unit}`, () => this.go(ordering.selectUnit(state, unit)), {
        "aria-pressed": String(selection.units.length === 1 && selection.units[0] === unit),
        "aria-label": `Select ${unit}`,
      }),
    );
    return [...all, ...units];
  }

  showFoot() {
    const { state, ordering } = this;
    const open = ordering.open(state).length;
    const { left } = ordering.survey(state);
    const orders = state.lines.length;
    const purses = Object.entries(ordering.drafts.purses);
    const short = purses.length === 1 ? purses.map(([name, { have, shown }]) => `${left[name]} of ${have} ${shown} left`) : purses.filter(([name]) => left[name] < 0).map(([name, { shown }]) => `${left[name]} ${shown} left`);
    const first = [`${orders} order${orders === 1 ? "" : "s"}`, ...(open ? [`${open} to do`] : [])].join(" · ");
    this.count.replaceChildren(make("span", {}, first), ...short.slice(0, 2).map((text) => make("small", {}, text)));
    this.count.classList.toggle("over", purses.some(([name]) => left[name] < 0));
    this.tabs.orders.textContent = orders ? `Orders ${orders}` : "Orders";
    this.send.setAttribute("aria-disabled", String(!orders));
    for (const [name, tab] of Object.entries(this.tabs)) if (name !== "more") tab.setAttribute("aria-pressed", String(this.tab === name));
  }

  showList() {
    const lists = this.tab === "todo" || this.tab === "more";
    this.list.hidden = !lists;
    this.lines.element.hidden = this.tab !== "orders";
    this.report.hidden = this.tab !== "report";
    this.content.hidden = this.height === "low" && !this.stands;
    this.lines.put(this.state.lines);
    if (this.content.hidden || !lists) return;
    const focused = document.activeElement instanceof HTMLElement && this.list.contains(document.activeElement) ? document.activeElement.textContent : "";
    this.list.replaceChildren(...(this.tab === "todo" ? this.todo() : this.moreList()));
    if (focused) [...this.list.querySelectorAll("button")].find((each) => each.textContent === focused)?.focus();
  }

  /** The needs, and the places for the one that is asked for. */
  todo() {
    const { state, ordering } = this;
    const needs = ordering.needs(state);
    const open = ordering.open(state);
    const rows = needs.filter((need) => open.includes(need) || need.slot === state.selection.slot).map((need) => this.needRow(need));
    const done = needs.filter((need) => !open.includes(need) && need.slot !== state.selection.slot).map((need) => this.needRow(need));
    const head = needs.length ? make("h2", {}, open.length ? `${open.length} of ${needs.length} to do` : "All have orders") : make("p", { class: "quiet" }, "Nothing must be ordered. What can be is under More.");
    return [head, ...rows, ...this.places(), ...(done.length ? [make("h2", {}, "With orders"), ...done] : [])];
  }

  /** @param {Need} need */
  needRow(need) {
    const { state, ordering } = this;
    const spot = ordering.spotOfNeed(state, need);
    const at = ordering.survey(state).slots.get(need.slot.toUpperCase());
    const place = spot >= 0 ? ordering.atlas.places[spot].names.find((name) => !ordering.ownUnits.has(name)) || "" : "";
    const says = need.says || "";
    const more = at === undefined ? [says.includes(need.place || place) ? "" : need.place || place, says] : [state.lines[at]];
    return make(
      "button",
      {
        type: "button",
        class: "wide",
        "data-need": need.slot,
        "aria-pressed": String(state.selection.slot === need.slot),
        click: () => this.go(ordering.selectNeed({ ...state, said: "", last: null }, need.slot, "player")),
      },
      need.title,
      make("small", {}, more.filter(Boolean).join(" · ")),
    );
  }

  /** The lit places as buttons, the nearest first: the map for those who do not see it. */
  places() {
    const { state, ordering } = this;
    const { lit } = ordering.offers(state);
    const { selection } = state;
    if (!lit.size) return [];
    const from = selection.units.length ? ordering.spotOf(state, selection.units[0]) : -1;
    const spots = [...lit.keys()];
    if (from >= 0) spots.sort((one, other) => ordering.atlas.distance(one, from) - ordering.atlas.distance(other, from));
    const name = selection.units.length > 1 ? "all of them" : selection.units[0] || ordering.need(state, selection.slot)?.title || selection.words.join(" ");
    const buttons = spots.slice(0, LISTED).map((spot) => this.button(ordering.atlas.places[spot].title, () => this.go(ordering.tap({ ...state, selection: { ...selection, by: "player" } }, spot)), { class: "wide" }));
    const rest = spots.length > LISTED ? [make("p", { class: "quiet" }, `and ${spots.length - LISTED} farther away`)] : [];
    return [make("h2", {}, `Places for ${name}`), ...buttons, ...rest];
  }

  /** All choices; verbs of the unit, other verbs, and apart the grave ones. */
  moreList() {
    const { state, ordering, asking } = this;
    if (asking.length) return this.question(asking);
    const { selection } = state;
    const unit = selection.units.length === 1 ? selection.units[0] : "";
    const section = (/** @type {string} */ title, /** @type {HTMLElement[]} */ buttons) => (buttons.length ? [make("h2", {}, title), make("div", { class: "many" }, ...buttons)] : []);
    const instead = [...section("Choices", this.choiceChips()), ...section(`${state.last ? `${state.last.line}, or instead` : "This order"}`, this.alternatives())];
    const units = this.unitChips();
    const own = unit ? ordering.bases(state, unit).map(({ words }) => this.verbButton(words)) : [];
    const known = new Set(ordering.tree.roots.map(({ word }) => word || ""));
    const free = ordering.tree.roots.filter(({ word, next }) => word && !ordering.verb(word)?.grave && !this.ofUnits(next)).map(({ word }) => this.verbButton([word || ""]));
    const typed = ordering.grammar.verbs.filter((verb) => ordering.verb(verb.word) === verb && !known.has(verb.word) && !verb.grave).map(({ word, usage }) => this.button(`${capital(word.toLowerCase())} …`, () => this.acts.type(word), { "aria-label": `Type ${usage}` }));
    const graveOwn = unit ? ordering.bases(state, unit, true).map(({ words }) => words) : [];
    const grave = ordering.grammar.verbs
      .filter((verb) => ordering.verb(verb.word) === verb && verb.grave && !graveOwn.some(([word]) => word === verb.word))
      .filter(({ word }) => !unit || !this.ofUnits(ordering.tree.roots.find((root) => root.word === word)?.next))
      .map(({ word }) => [word]);
    const apart = [...graveOwn, ...grave].map((words) => this.button(ordering.phrase(words) + (known.has(words[0]) ? "" : " …"), () => this.ask(words), { class: "grave" }));
    return [
      ...instead,
      ...section("Units here", units),
      ...section(ordering.need(state, selection.slot)?.title || unit, own),
      ...section(own.length ? "Others" : "Orders", [...free, ...typed]),
      ...(apart.length ? [make("h2", { class: "apart" }, "Cannot be taken back after the turn"), make("div", { class: "many" }, ...apart)] : []),
    ];
  }

  /** @param {import("./tree.js").Next | undefined} next */
  ofUnits(next) {
    const nodes = this.ordering.tree.list(next);
    return nodes.length > 0 && nodes.every(({ word }) => this.ordering.ownUnits.has(word || ""));
  }

  /** @param {string[]} words */
  verbButton(words) {
    const { state, ordering } = this;
    return this.button(ordering.phrase(words), () => {
      const spot = state.selection.spot;
      const next = ordering.write(state, words, words.length === 1 ? spot : -1);
      this.tab = "todo";
      if (!this.stands) this.height = "low";
      this.go(next);
      this.acts.resized();
    });
  }

  /** @param {string[]} words */
  ask(words) {
    this.asking = words;
    this.showList();
    this.list.querySelector("button")?.focus();
  }

  /** @param {string[]} words */
  question(words) {
    const { state, ordering } = this;
    const verb = ordering.verb(words[0]);
    const inTree = ordering.tree.roots.some(({ word }) => word === words[0]);
    const yes = () => {
      this.asking = [];
      if (!inTree) return this.acts.type(words.join(" "));
      this.tab = "todo";
      if (!this.stands) this.height = "low";
      this.go(ordering.write(state, words));
      this.acts.resized();
    };
    const no = () => {
      this.asking = [];
      this.showList();
    };
    return [
      make("h2", { class: "apart" }, `${ordering.phrase(words)}?`),
      make("p", {}, verb?.help || "", " It cannot be taken back after the turn."),
      make("div", { class: "many" }, this.button(`Yes, ${ordering.phrase(words).toLowerCase()}`, yes, { class: "grave" }), this.button("No", no)),
    ];
  }

  /**
   * Says something to those who do not see the map.
   * @param {string} text
   */
  tell(text) {
    this.live.textContent = text;
  }
}

/**
 * Fills a row that is never moved sideways: what has no room stands behind "…".
 * @param {HTMLElement} row
 * @param {HTMLElement[]} fixed
 * @param {HTMLElement[]} buttons
 * @param {() => void} all
 */
function fill(row, fixed, buttons, all) {
  row.replaceChildren(...fixed, ...buttons);
  const tight = () => row.scrollWidth > row.clientWidth + 1;
  for (const each of fixed) each.classList.toggle("beside", buttons.length > 0);
  if (!row.clientWidth || !tight()) return;
  const more = make("button", { type: "button", "aria-label": "All choices", click: all }, "…");
  row.append(more);
  const kept = [...buttons];
  while (kept.length && tight()) {
    const at = kept.findLastIndex((each) => each.getAttribute("aria-pressed") !== "true");
    kept.splice(at < 0 ? kept.length - 1 : at, 1)[0].remove();
  }
}
