const SHOWN = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const MINUTE = 60_000;

/**
 * The two largest units of a span, such as "4 days 11 hours".
 * @param {number} minutes
 */
function spanOfTime(minutes) {
  const parts = Object.entries({ day: Math.floor(minutes / 1440), hour: Math.floor(minutes / 60) % 24, minute: minutes % 60 });
  const first = parts.findIndex(([, number]) => number);
  const told = first < 0 ? [] : parts.slice(first, first + 2).filter(([, number]) => number);
  return told.map(([unit, number]) => `${number} ${unit}${number === 1 ? "" : "s"}`).join(" ") || "less than a minute";
}

/** Tells each deadline in the reader's own time zone, with the time that is left. */
function countDown() {
  for (const due of document.querySelectorAll("[data-due]")) {
    const time = due.querySelector("time");
    if (!time) continue;
    due.setAttribute("title", due.getAttribute("title") || due.textContent || "");
    const at = new Date(time.dateTime);
    const left = at.getTime() - Date.now();
    time.textContent = SHOWN.format(at).replace(",", "");
    due.replaceChildren(time, left > 0 ? ` your time, in ${spanOfTime(Math.floor(left / MINUTE))}` : " your time, which is past");
  }
}

countDown();
setInterval(countDown, MINUTE / 2);
