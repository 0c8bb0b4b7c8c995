// Filters: by who speaks, by tool, by agent, errors only.
const kinds = () => all("#filters input[name=show]");
function filtering() {
  return state.show || state.tool || state.agent || state.errors;
}
const filteredOut = (entry) => root.classList.contains("filtered") && entry.matches(".e:not(.hit, .way)");
// What the filter shows of what follows an entry, else of what stands before it.
function nearestShown(entry) {
  const entries = all(".e");
  const at = entries.indexOf(entry);
  const shown = (each) => each.classList.contains("hit");
  return entries.slice(at).find(shown) || entries.slice(0, at).filter(shown).pop();
}
function applyFilters() {
  const on = Boolean(filtering());
  root.classList.toggle("filtered", on);
  $("b-filter").setAttribute("aria-pressed", String(on));
  const entries = all(".e");
  for (const gone of all(".way")) gone.classList.remove("way");
  let n = 0;
  const shown = state.show ? new Set(state.show.split(",")) : null;
  const agent = state.agent;
  for (const entry of entries) {
    const { k, t, a } = entry.dataset;
    let hit = on && (!shown || shown.has(k));
    if (hit && state.tool) hit = t === state.tool;
    if (hit && state.errors) hit = entry.classList.contains("err");
    if (hit && agent) {
      const home = entry.parentElement.closest(".e[data-a]");
      hit = agent === "main" ? !home : Boolean(home && home.dataset.a === agent);
    }
    entry.classList.toggle("hit", hit);
    if (!hit) continue;
    n++;
    for (let at = entry.parentElement; at && at.tagName !== "MAIN"; at = at.parentElement) {
      if (at.matches(".e, .turn")) {
        if (at.classList.contains("way")) break;
        at.classList.add("way");
      } else if (at.tagName === "DETAILS") at.open = true;
    }
  }
  $("shown").textContent = on ? `${n} of ${entries.length} shown` : "";
  $("b-clear").hidden = !on;
  if (state.q) find(state.q, { jump: false });
}
function takeFilters() {
  const boxes = kinds();
  const checked = boxes.filter((box) => box.checked);
  state.show = checked.length === boxes.length ? "" : checked.map((box) => box.value).join(",") || "none";
  state.tool = $("f-tool") ? $("f-tool").value : "";
  state.agent = $("f-agent") ? $("f-agent").value : "";
  state.errors = $("f-errors").checked ? "1" : "";
  writeState();
  applyFilters();
}
function restoreFilters() {
  const shown = state.show ? state.show.split(",") : null;
  for (const box of kinds()) box.checked = !shown || shown.includes(box.value);
  for (const name of ["tool", "agent"]) {
    const list = $("f-" + name);
    if (list) list.value = state[name];
    if (!list || list.selectedIndex < 0) {
      state[name] = "";
      if (list) list.value = "";
    }
  }
  $("f-errors").checked = Boolean(state.errors);
  if (filtering()) $("filters").hidden = false;
  $("b-filter").setAttribute("aria-expanded", String(!$("filters").hidden));
  if (filtering() || root.classList.contains("filtered")) applyFilters();
  makeRoom();
}
// The filters stand over the page: what is gone to stops below them.
function makeRoom() {
  const tall = $("filters").offsetHeight;
  if (tall) root.style.setProperty("--top", `calc(var(--bar) + ${tall}px)`);
  else root.style.removeProperty("--top");
}
function clearFilters() {
  state.show = state.tool = state.agent = state.errors = "";
  writeState();
  restoreFilters();
}
ready(() => {
  $("b-filter").addEventListener("click", () => {
    const open = $("filters").hidden;
    $("filters").hidden = !open;
    $("b-filter").setAttribute("aria-expanded", String(open));
    if (open) $("filters").querySelector("input").focus();
  });
  $("filters").addEventListener("change", takeFilters);
  new ResizeObserver(makeRoom).observe($("filters"));
  $("b-clear").addEventListener("click", () => {
    clearFilters();
    $("b-filter").focus();
  });
});
