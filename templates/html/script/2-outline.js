// The outline: where the reader is, and a drawer on a phone.
function drawer(open) {
  if (phone()) {
    root.classList.toggle("drawer", open);
    if (open) {
      const here = $("outline").querySelector("a[aria-current]") || $("outline").querySelector("a");
      if (here) here.focus();
    } else if ($("outline").contains(document.activeElement)) {
      $("b-outline").focus();
    }
  } else {
    root.classList.toggle("no-outline", !open);
  }
  $("b-outline").setAttribute("aria-expanded", String(open));
}
const drawerOpen = () => (phone() ? root.classList.contains("drawer") : !root.classList.contains("no-outline"));

ready(() => {
  if (!$("outline")) return;
  $("b-outline").setAttribute("aria-expanded", String(drawerOpen()));
  $("b-outline").addEventListener("click", () => drawer(!drawerOpen()));
  $("shade").addEventListener("click", () => drawer(false));
  matchMedia("(min-width: 50rem)").addEventListener("change", () => {
    root.classList.remove("drawer");
    $("b-outline").setAttribute("aria-expanded", String(drawerOpen()));
  });
  const links = new Map(all("#outline a[href^='#']").map((link) => [link.hash.slice(1), link]));
  let marked = null;
  let waiting = false;
  const look = () => {
    waiting = false;
    const entry = onScreen();
    const turn = entry && entry.closest("main > .turn");
    const before = turn && turn.previousElementSibling; // what follows a break has no prompt of its own
    const head = turn && (turn.querySelector(":scope > .prompt") || (before && before.matches(".cutline") && before));
    const link = (head && links.get(head.id)) || null;
    if (link === marked) return;
    if (marked) marked.removeAttribute("aria-current");
    marked = link;
    $("where").textContent = marked ? marked.querySelector(".tx").textContent : "";
    if (!marked) return;
    marked.setAttribute("aria-current", "true");
    const box = $("outline");
    const place = marked.getBoundingClientRect();
    const frame = box.getBoundingClientRect();
    if (place.top < frame.top || place.bottom > frame.bottom) box.scrollTop += place.top - frame.top - frame.height / 3;
  };
  const soon = () => {
    if (!waiting) requestAnimationFrame(look);
    waiting = true;
  };
  addEventListener("scroll", soon, { passive: true });
  addEventListener("resize", soon, { passive: true });
  soon();
});

// Links within the page keep the search and the filters in the address.
document.addEventListener("click", (event) => {
  const link = event.target.closest && event.target.closest("a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  const href = link.getAttribute("href") || "";
  if (!href.startsWith("#") || href.length < 2) return;
  const target = $(decodeURIComponent(href.slice(1)));
  if (!target) return;
  event.preventDefault();
  if (phone() && $("outline") && $("outline").contains(link)) drawer(false);
  const entry = target.closest(".e") || target;
  if (filteredOut(entry)) clearFilters();
  state.at = target.id;
  writeState(true);
  go(entry, { open: link.closest(".timeline, .same, .foot") !== null });
});
function arrive() {
  readState();
  if (typeof restoreFilters === "function") restoreFilters();
  if (typeof restoreSearch === "function") restoreSearch();
  const target = state.at && $(state.at);
  if (!target) return;
  const entry = target.closest(".e") || target;
  if (!filteredOut(entry)) {
    go(entry, { open: true, focus: false });
    return;
  }
  const shown = nearestShown(entry);
  go(shown, { focus: false });
  say("The filter hides the message of this link" + (shown ? ": here is the nearest" : ""), 5000);
}
addEventListener("hashchange", arrive);
addEventListener("popstate", arrive);
ready(arrive);
