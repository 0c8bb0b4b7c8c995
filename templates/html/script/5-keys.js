// Keyboard, theme, help, and opening or folding everything.
// Whether an entry is there for the reader, found without measuring: what content-visibility skips has no size yet.
function standing(entry) {
  if (entry.parentElement.closest("details:not([open])")) return false;
  return !root.classList.contains("filtered") || entry.matches(".hit, .way");
}
function onScreen() {
  const main = $("conversation").getBoundingClientRect();
  const x = main.left + main.width / 2;
  for (let y = 72; y < innerHeight; y += 24) {
    const found = document.elementFromPoint(x, y);
    const entry = found && found.closest(".e");
    if (entry) return entry;
  }
  return null;
}
function step(by) {
  const entries = all(".e").filter(standing);
  let at = now ? entries.indexOf(now) : -1;
  if (at < 0) {
    const first = onScreen();
    at = first ? entries.indexOf(first) - (by > 0 ? 1 : 0) : by > 0 ? -1 : entries.length;
  }
  const next = entries[Math.min(entries.length - 1, Math.max(0, at + by))];
  if (!next) return;
  state.at = next.id;
  writeState();
  go(next);
}
function foldNow() {
  const entry = now || onScreen() || document.querySelector(".e");
  if (!entry) return;
  if (!now) settle(entry);
  let details = own(entry, "details");
  if (!details.length) details = all("details", entry.closest(".turn") || entry);
  const open = !(details[0] && details[0].open);
  for (const each of details) each.open = open;
}
function foldAll(open) {
  for (const details of all("main .e > details")) details.open = open;
  $("b-fold").setAttribute("aria-pressed", String(open));
}
function help() {
  if (!$("help").open) $("help").showModal();
}
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches && event.target.matches("input:not([type=checkbox]), select, textarea");
  if (event.key === "Escape") {
    if ($("help").open) return; // the dialog closes itself
    if (root.classList.contains("drawer")) drawer(false);
    else if (event.target === $("q")) {
      event.preventDefault(); // else some browsers empty the field
      focusMatch();
    } else if (typing) event.target.blur();
    else if ($("q").value) {
      $("q").value = "";
      state.q = "";
      writeState();
      find("");
    } else if (!$("filters").hidden) {
      clearFilters();
      $("filters").hidden = true;
      $("b-filter").setAttribute("aria-expanded", "false");
    } else settle(null);
    return;
  }
  if (typing || $("help").open) return;
  if (event.key === "j" || event.key === "k") step(event.key === "j" ? 1 : -1);
  else if (event.key === "/") {
    $("q").focus();
    $("q").select();
  } else if (event.key === "o") foldNow();
  else if (event.key.toLowerCase() === "n" && search.total) {
    onward(event.key === "n" ? 1 : -1, false);
    focusMatch();
  } else if (event.key === "?") help();
  else return;
  event.preventDefault();
});
ready(() => {
  $("b-help").addEventListener("click", help);
  $("b-fold").addEventListener("click", () => foldAll($("b-fold").getAttribute("aria-pressed") !== "true"));
  const dark = () =>
    root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const mark = () => $("b-theme").setAttribute("aria-label", dark() ? "Light colours" : "Dark colours");
  $("b-theme").addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    try {
      localStorage.setItem("dragoman-theme", root.dataset.theme);
    } catch {
      /* not kept, then */
    }
    mark();
  });
  mark();
});
