/**
 * The data that a page brings, written by `pbem.web.page.json_script`.
 * @param {string} name
 * @returns {any}
 */
export function island(name) {
  const element = document.getElementById(name);
  return element ? JSON.parse(element.textContent || "null") : null;
}
