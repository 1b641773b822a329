import { island } from "./data.js";
import { make } from "./dom.js";
import { LiveMap } from "./map.js";
import { movesGroup } from "./moves.js";

/**
 * @typedef {{name: string, title: string, ground: string, svg: string, moves?: import("./moves.js").Moves}} Drawn
 * @typedef {{brief: string[], happened: string[][], orders: string[][], missed: boolean, pictures: Drawn[], map: string}} Told
 * @typedef {string | [string, ...any[]]} Written a text, or an element: its tag, and what is written in it
 * @typedef {{kind: string, by: string, to: string[], text: Written[]}} Said
 * @typedef {{number: number, label: string, seats: Record<string, Told>, all: {pictures: Drawn[]} | null, words: Said[], diaries: Said[]}} Turn
 * @typedef {{campaign: string, seats: [string, string][], moments: {number: number, label: string, at: string}[], moves?: boolean}} Replay
 */

const KEPT = 12;
const AHEAD = 3;
const SPEEDS = { "½×": 4000, "1×": 2000, "2×": 1000, "4×": 500, "8×": 250 };
const ALL = "all";
const TRUTH = "What was true";
const GROUND = "\u0001";
const WRITTEN = new Set("p br strong em code a ul li table tr th td pre".split(" "));
const ADDRESS = /^(?:https|mailto):/;

/** Files beside the page, each a script that hands its data over; only a few of them are kept. */
class Files {
  constructor() {
    /** @type {Map<string, Promise<any>>} */
    this.asked = new Map();
    /** @type {Map<string, (data: any) => void>} */
    this.waiting = new Map();
    const came = (/** @type {string} */ name) => (/** @type {any} */ _key, /** @type {any} */ data) =>
      this.waiting.get(`${name} ${_key}`)?.(data);
    Object.assign(globalThis, { pbem: { turn: came("turn"), ground: came("ground") } });
  }

  /**
   * @param {number} number
   * @returns {Promise<Turn>}
   */
  turn(number) {
    const name = `turn ${number}`;
    const file = this.file(name, `turns/${String(number).padStart(4, "0")}.js`);
    this.asked.delete(name);
    this.asked.set(name, file);
    const turns = [...this.asked.keys()].filter((each) => each.startsWith("turn "));
    for (const old of turns.slice(0, -KEPT)) this.asked.delete(old);
    return file;
  }

  /**
   * @param {string} key
   * @returns {Promise<string>}
   */
  ground(key) {
    return key ? this.file(`ground ${key}`, `grounds/${key}.js`) : Promise.resolve("");
  }

  /**
   * @param {string} name
   * @param {string} path
   * @returns {Promise<any>}
   */
  file(name, path) {
    const known = this.asked.get(name);
    if (known) return known;
    const coming = new Promise((resolve, reject) => {
      this.waiting.set(name, resolve);
      const script = make("script", { src: path });
      script.addEventListener("load", () => script.remove());
      script.addEventListener("error", () => {
        script.remove();
        this.asked.delete(name);
        reject(new Error(`${path} cannot be loaded`));
      });
      document.head.append(script);
    }).finally(() => this.waiting.delete(name));
    this.asked.set(name, coming);
    return coming;
  }
}

/** Shows a game turn by turn, through the eyes of a seat, of all of them, or as it was. */
class Viewer {
  /**
   * @param {HTMLElement} root
   * @param {Replay} replay
   */
  constructor(root, replay) {
    this.root = root;
    this.replay = replay;
    this.files = new Files();
    this.at = 0;
    this.eyes = ALL;
    this.picture = "";
    /** @type {Map<string, LiveMap>} */
    this.maps = new Map();
    /** @type {Set<string>} */
    this.unfolded = new Set();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.asked = 0;
    this.label = make("output", { "aria-live": "polite" });
    this.slider = make("input", { type: "range", min: "0", max: String(replay.moments.length - 1), "aria-label": "Turn" });
    this.play = this.button("Play", () => this.toggle());
    this.speed = this.choice("Speed", Object.keys(SPEEDS), "1×");
    this.seat = this.choice("Whose eyes", [ALL, ...replay.seats.map(([seat]) => seat)], ALL);
    this.seat.options[0].text = "all at once";
    this.chart = this.choice("Picture", [], "");
    this.moves = make("input", { type: "checkbox", checked: true });
    this.full = this.button("Full screen", () => this.fill());
    this.full.setAttribute("aria-pressed", "false");
    this.colours = new Map(replay.seats);
    this.boards = make("div", { class: "maps" });
    this.stories = make("div", { class: "stories" });
    this.build();
    this.follow();
  }

  build() {
    const named = (/** @type {string} */ text, /** @type {HTMLElement} */ field) => make("label", {}, `${text} `, field);
    const steps = make(
      "div",
      { class: "row" },
      this.button("|◀", () => this.go(0), "To the beginning"),
      this.button("◀", () => this.go(this.at - 1), "Back"),
      this.play,
      this.button("▶", () => this.go(this.at + 1), "On"),
      this.button("▶|", () => this.go(this.replay.moments.length - 1), "To the end"),
    );
    const moves = make("label", { class: "tick", hidden: !this.replay.moves }, this.moves, " Moves");
    const choices = make("div", { class: "row" }, named("Eyes of", this.seat), named("Speed", this.speed), named("Picture", this.chart), moves, this.full);
    const side = make("div", {}, choices, this.stories);
    const place = make("div", { class: "row place" }, this.label, this.slider);
    this.root.replaceChildren(make("div", { class: "eyes" }, this.boards, side), make("div", { class: "bar" }, place, steps));
    this.root.hidden = false;
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    this.seat.addEventListener("change", () => this.look(this.seat.value));
    this.chart.addEventListener("change", () => {
      this.picture = this.chart.value;
      this.show();
    });
    this.moves.addEventListener("change", () => this.root.classList.toggle("still", !this.moves.checked));
    document.addEventListener("fullscreenchange", () => this.filled(document.fullscreenElement === this.root));
    addEventListener("hashchange", () => this.follow());
    document.addEventListener("keydown", (event) => this.key(event));
    const plot = document.querySelector(".plot");
    plot?.addEventListener("click", (event) => this.seek(/** @type {MouseEvent} */ (event), plot));
  }

  /**
   * @param {string} text
   * @param {() => void} act
   * @param {string} [label]
   */
  button(text, act, label = text) {
    return make("button", { type: "button", click: act, "aria-label": label }, text);
  }

  /**
   * @param {string} label
   * @param {string[]} values
   * @param {string} chosen
   */
  choice(label, values, chosen) {
    const options = values.map((value) => make("option", { value, selected: value === chosen }, value));
    return make("select", { "aria-label": label }, ...options);
  }

  /** Goes where the link says: #turn=5&seat=red. */
  follow() {
    const asked = new URLSearchParams(location.hash.slice(1));
    const seat = asked.get("seat") || ALL;
    const at = this.replay.moments.findIndex(({ number }) => String(number) === asked.get("turn"));
    this.eyes = this.replay.seats.some(([name]) => name === seat) ? seat : ALL;
    this.seat.value = this.eyes;
    this.at = Math.max(0, at);
    this.show();
  }

  /** @param {number} at */
  go(at) {
    this.at = Math.min(Math.max(at, 0), this.replay.moments.length - 1);
    this.tell();
    return this.show();
  }

  /** @param {string} eyes */
  look(eyes) {
    this.eyes = eyes;
    this.tell();
    this.show();
  }

  /** Keeps the link of the page that of what is seen. */
  tell() {
    const seat = this.eyes === ALL ? "" : `&seat=${encodeURIComponent(this.eyes)}`;
    history.replaceState(null, "", `#turn=${this.replay.moments[this.at].number}${seat}`);
  }

  toggle() {
    const playing = this.timer !== undefined;
    if (playing) {
      clearTimeout(this.timer);
      this.timer = undefined;
    } else {
      if (this.at === this.replay.moments.length - 1) this.at = -1;
      this.timer = setTimeout(() => this.next(), 0);
    }
    this.play.textContent = playing ? "Play" : "Pause";
    this.play.setAttribute("aria-label", this.play.textContent);
  }

  /** Fills the screen with the game, or the window where the browser does not let a page have the screen; or ends it. */
  async fill() {
    if (document.fullscreenElement) await document.exitFullscreen();
    else if (this.root.classList.contains("full")) this.filled(false);
    else {
      this.filled(true);
      await this.root.requestFullscreen?.().catch(() => {});
    }
  }

  /** @param {boolean} full */
  filled(full) {
    this.root.classList.toggle("full", full);
    document.documentElement.classList.toggle("covered", full);
    this.full.setAttribute("aria-pressed", String(full));
  }

  async next() {
    await this.go(this.at + 1);
    if (this.timer === undefined) return;
    const wait = SPEEDS[/** @type {keyof typeof SPEEDS} */ (this.speed.value)];
    if (this.at < this.replay.moments.length - 1) this.timer = setTimeout(() => this.next(), wait);
    else this.toggle();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { target } = event;
    const inside = target instanceof Element && target.closest("input, select, button, a, .map-view");
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Escape" && this.root.classList.contains("full")) this.filled(false);
    else if (inside) return;
    else if (event.key === "f") this.fill();
    else if (event.key === "m" && this.replay.moves) this.moves.click();
    else if (event.key === "ArrowLeft") this.go(this.at - 1);
    else if (event.key === "ArrowRight") this.go(this.at + 1);
    else if (event.key === "Home") this.go(0);
    else if (event.key === "End") this.go(this.replay.moments.length - 1);
    else if (event.key === " ") this.toggle();
    else return;
    event.preventDefault();
  }

  /**
   * Goes to the turn that was clicked on in the plot.
   * @param {MouseEvent} event
   * @param {Element} plot
   */
  seek(event, plot) {
    const { left, width } = plot.getBoundingClientRect();
    const [from, to, whole] = spanOf(plot);
    const share = (((event.clientX - left) / width) * whole - from) / (to - from);
    this.go(Math.round(share * (this.replay.moments.length - 1)));
  }

  async show() {
    const moment = this.replay.moments[this.at];
    const asked = ++this.asked;
    this.slider.value = String(this.at);
    this.slider.setAttribute("aria-valuetext", moment.label);
    this.label.textContent = `${moment.label} (${this.at + 1} of ${this.replay.moments.length})`;
    this.mark();
    try {
      const turn = await this.files.turn(moment.number);
      const { maps, stories } = await this.panelsOf(turn);
      if (asked !== this.asked) return;
      this.boards.classList.toggle("several", maps.length > 1);
      this.boards.replaceChildren(...maps);
      this.stories.replaceChildren(...stories);
      for (const { number } of this.replay.moments.slice(this.at + 1, this.at + 1 + AHEAD)) this.files.turn(number).catch(() => {});
    } catch (error) {
      if (asked === this.asked) this.boards.replaceChildren(make("p", { class: "due", role: "alert" }, String(error)));
    }
  }

  /** Shows in the plot where we are. */
  mark() {
    const plot = document.querySelector(".plot");
    const line = plot?.querySelector(".now");
    if (!plot || !line) return;
    const [from, to] = spanOf(plot);
    const x = String(from + ((to - from) * this.at) / Math.max(1, this.replay.moments.length - 1));
    line.setAttribute("x1", x);
    line.setAttribute("x2", x);
    line.classList.add("shown");
  }

  /**
   * What is seen of a turn: maps, and what is told beside them.
   * @param {Turn} turn
   * @returns {Promise<{maps: HTMLElement[], stories: HTMLElement[]}>}
   */
  async panelsOf(turn) {
    const told = Object.entries(turn.seats).filter(([seat]) => this.eyes === ALL || seat === this.eyes);
    this.offer(turn, told.map(([, each]) => each));
    const all = this.eyes === ALL;
    const truth = turn.all?.pictures.length ? turn.all : null;
    const shown = all && truth ? [] : told.filter(([, each]) => each.pictures.length || each.map);
    const own = shown.map(([seat, each]) => this.pictured(seat, all ? seat : `What ${seat} knew`, each));
    const open = !all && told.some(([, each]) => truth && each.pictures[0]?.svg === truth.pictures[0].svg); // nothing is hidden
    const maps = await Promise.all([...own, ...(truth && !open ? [this.pictured(ALL, TRUTH, truth)] : [])]);
    const stories = all ? told.map(([seat, each]) => this.folded(seat, each)) : told.flatMap(([, each]) => this.story(each));
    if (!told.length) stories.push(make("p", {}, `${this.eyes} was told nothing now.`));
    return { maps, stories: [...stories, ...this.words(turn)] };
  }

  /**
   * Offers the pictures that there are to choose from.
   * @param {Turn} turn
   * @param {Told[]} told
   */
  offer(turn, told) {
    const pictures = this.eyes === ALL && turn.all?.pictures.length ? turn.all.pictures : told.flatMap((each) => each.pictures);
    const names = [...new Set(pictures.map(({ name }) => name))];
    this.chart.replaceChildren(...names.map((value) => make("option", { value, selected: value === this.picture }, value)));
    const field = this.chart.parentElement;
    if (field) field.hidden = names.length < 2;
  }

  /**
   * @param {string} key
   * @param {string} title
   * @param {{pictures: Drawn[], map?: string}} told
   */
  async pictured(key, title, { pictures, map = "" }) {
    const drawn = pictures.find(({ name }) => name === this.picture) || pictures[0];
    const heading = make("h2", {}, title);
    if (!drawn) return make("section", {}, heading, map ? make("pre", { class: "text-map", tabindex: "0" }, map) : "");
    const svg = await this.drawing(drawn);
    let live = this.maps.get(key);
    if (!live) this.maps.set(key, (live = new LiveMap(make("div", { class: "map" }))));
    live.draw(svg);
    return make("section", {}, heading, live.frame);
  }

  /**
   * A picture on its ground. Pictures were checked when they were made; nothing in them can run or load anything.
   * @param {Drawn} drawn
   */
  async drawing(drawn) {
    const ground = await this.files.ground(drawn.ground);
    const read = new DOMParser().parseFromString(drawn.svg.replace(GROUND, () => ground), "image/svg+xml");
    const svg = /** @type {SVGSVGElement} */ (/** @type {unknown} */ (document.importNode(read.documentElement, true)));
    if (drawn.moves) svg.append(movesGroup(drawn.moves, this.colours));
    return svg;
  }

  /**
   * The story of one of several seats: in brief, and the whole of it to be unfolded; once it is, it stays so.
   * @param {string} seat
   * @param {Told} told
   */
  folded(seat, told) {
    const brief = told.brief.length ? [listOf("events", told.brief.map((line) => [line]))] : [];
    const more = make("details", { open: this.unfolded.has(seat) }, make("summary", {}, "Orders and reports"), ...this.story({ ...told, brief: [] }));
    more.addEventListener("toggle", () => this.unfolded[more.open ? "add" : "delete"](seat));
    return make("section", {}, make("h2", {}, seat), ...brief, more);
  }

  /**
   * @param {Told} told
   * @returns {HTMLElement[]}
   */
  story(told) {
    /** @type {HTMLElement[]} */
    const parts = [];
    if (told.brief.length) parts.push(listOf("events", told.brief.map((line) => [line])));
    const ordered = told.orders.map(([line, words, became]) => [make("code", {}, line), words, became].filter(Boolean));
    if (told.missed) parts.push(make("p", { class: "note" }, "No orders came."));
    if (ordered.length) parts.push(make("h3", {}, "Ordered"), listOf("orders", ordered));
    if (told.happened.length) parts.push(make("h3", {}, "Was told"), listOf("events", told.happened));
    return parts.length ? parts : [make("p", { class: "note" }, "Nothing yet.")];
  }

  /**
   * @param {Turn} turn
   * @returns {HTMLElement[]}
   */
  words(turn) {
    const mine = (/** @type {Said} */ each) => this.eyes === ALL || each.by === this.eyes || !each.to.length || each.to.includes(this.eyes);
    const parts = [
      ...pressOf("The newspaper", turn.words.filter(({ kind }) => kind === "news")),
      ...pressOf("Messages", turn.words.filter((each) => each.kind === "press" && mine(each))),
      ...pressOf("Questions to the GM", turn.words.filter((each) => each.kind === "question" && mine(each))),
      ...pressOf("Diaries, opened at the end", turn.diaries.filter((each) => this.eyes === ALL || each.by === this.eyes)),
    ];
    return parts.length ? [make("section", {}, ...parts)] : [];
  }
}

/**
 * @param {string} style
 * @param {(string | Node)[][]} items each is lines, the first of which stands out
 */
function listOf(style, items) {
  const rows = items.map(([first, ...more]) => make("li", {}, first, ...more.map((line) => make("span", { class: "more" }, line))));
  return make("ul", { class: style }, ...rows);
}

/**
 * @param {string} title
 * @param {Said[]} pieces
 * @returns {HTMLElement[]}
 */
function pressOf(title, pieces) {
  const said = pieces.map(({ by, to, text }) => {
    const footer = make("footer", {}, `${by || "unsigned"}${to.length ? ` to ${to.join(", ")}` : ""}`);
    return make("blockquote", {}, make("div", { class: "said" }, ...text.map(written)), footer);
  });
  return said.length ? [make("h2", {}, title), ...said] : [];
}

/**
 * What the program has read in somebody's words; other elements and other addresses are shown as text.
 * @param {Written} piece
 * @returns {string | HTMLElement}
 */
function written(piece) {
  if (typeof piece === "string") return piece;
  const [tag, ...children] = piece;
  if (!WRITTEN.has(tag)) return make("span", {}, ...children.map(written));
  const element = make(/** @type {keyof HTMLElementTagNameMap} */ (tag), {}, ...children.map(written));
  if (tag === "pre") element.tabIndex = 0;
  if (tag === "a" && ADDRESS.test(children[0])) {
    element.setAttribute("href", children[0]);
    element.setAttribute("rel", "noreferrer noopener nofollow");
  }
  return element;
}

/**
 * Where the lines of a plot begin and end, and its width.
 * @param {Element} plot
 * @returns {[number, number, number]}
 */
function spanOf(plot) {
  const width = /** @type {SVGSVGElement} */ (plot).viewBox.baseVal.width;
  return [Number(plot.getAttribute("data-left")), Number(plot.getAttribute("data-right")), width];
}

const root = document.getElementById("viewer");
const replayed = island("replay");
if (root && replayed?.moments.length) new Viewer(root, replayed);
