/**
 * What a page knows of the report it belongs to, written by `pbem.report.renderer`.
 *
 * @typedef {object} Seat
 * @property {string} header the first line of its sheets
 * @property {string} address to which they are mailed
 * @property {string} subject
 * @property {string} key under which its draft is kept
 * @property {string | null} due ISO 8601, UTC
 * @property {boolean} awaited
 * @property {import("./grammar.js").Desk | null} desk
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
 * The lines of a draft that was kept for a report.
 * @param {Seat} seat
 * @returns {string[]}
 */
export function keptLines(seat) {
  try {
    const lines = JSON.parse(localStorage.getItem(seat.key) || "[]");
    return Array.isArray(lines) ? lines.map(String) : [];
  } catch {
    return []; // some browsers keep nothing for pages that are files
  }
}

/**
 * Keeps a draft on this device; whether that was possible.
 * @param {Seat} seat
 * @param {string[]} lines
 */
export function keepLines(seat, lines) {
  try {
    localStorage.setItem(seat.key, JSON.stringify(lines));
    return true;
  } catch {
    return false;
  }
}
