/**
 * What a page knows of the report it belongs to, written by `pbem.report.renderer`.
 *
 * @typedef {object} Seat
 * @property {string} header the first line of its sheets
 * @property {string} address to which they are mailed
 * @property {string} subject
 * @property {string} title the game
 * @property {string} moment seat, turn and deadline
 * @property {string} [practice] of a page to try, which mails nothing: the address of the games
 * @property {string} key under which its draft is kept
 * @property {string | null} due ISO 8601, UTC
 * @property {boolean} awaited
 * @property {(import("./grammar.js").Desk & import("./tree.js").Form) | null} desk
 */

const LONGEST = 1900;

/**
 * A whole order sheet.
 * @param {Seat} seat
 * @param {string[]} lines
 */
export function sheetOf(seat, lines) {
  return [seat.header, ...lines, "END", ""].join("\n");
}

/**
 * A link that opens the mail program, with the sheet filled in unless it is too long for some programs.
 * @param {Seat} seat
 * @param {string[]} lines
 */
export function mailOf(seat, lines) {
  const to = `mailto:${encodeURIComponent(seat.address).replaceAll("%40", "@")}?subject=${encodeURIComponent(seat.subject)}`;
  const whole = `${to}&body=${encodeURIComponent(sheetOf(seat, lines).replaceAll("\n", "\r\n"))}`;
  return whole.length > LONGEST ? { href: to, filled: false } : { href: whole, filled: true };
}

/**
 * A draft: its lines, those that want more words, and which of them the page knew to be possible.
 *
 * @typedef {{lines: string[], begun: Record<string, string>, known: string[]}} Draft
 */

/**
 * The draft that was kept for a report.
 * @param {Seat} seat
 * @returns {Draft}
 */
export function keptDraft(seat) {
  try {
    const kept = JSON.parse(localStorage.getItem(seat.key) || "[]");
    const lines = Array.isArray(kept) ? kept : kept.lines;
    const begun = Object.entries(kept.begun || {}).map(([slot, line]) => [slot, String(line)]);
    const known = Array.isArray(kept.known) ? kept.known.map(String) : [];
    return { lines: Array.isArray(lines) ? lines.map(String) : [], begun: Object.fromEntries(begun), known };
  } catch {
    return { lines: [], begun: {}, known: [] }; // some browsers keep nothing for pages that are files
  }
}

/**
 * Keeps a draft on this device; whether that was possible.
 * @param {Seat} seat
 * @param {Draft} draft
 */
export function keepDraft(seat, draft) {
  try {
    localStorage.setItem(seat.key, JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}
