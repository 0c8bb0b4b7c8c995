// Shared by all parts: elements, folded bodies, the place in the page, the state in the URL.
const root = document.documentElement;
root.classList.add("js");
const $ = (id) => document.getElementById(id);
const all = (selector, from = document) => Array.from(from.querySelectorAll(selector));
const ready = (start) =>
  document.readyState === "loading" ? document.addEventListener("DOMContentLoaded", start) : start();
const phone = () => !matchMedia("(min-width: 50rem)").matches;
const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

let theme = "";
try {
  theme = localStorage.getItem("dragoman-theme") || "";
} catch {
  /* a page in a sandbox has no storage */
}
if (theme === "light" || theme === "dark") root.dataset.theme = theme;

// A long page keeps folded bodies as text in <noscript>, so that they cost nothing until they are opened.
const own = (entry, selector) => all(selector, entry).filter((each) => each.closest(".e") === entry);
const LISTING = "pre.l:not([data-copy])"; // what an entry's listings are counted by: a copy in it is none of its own
function live(entry) {
  for (const lazy of own(entry, "noscript")) {
    const holder = document.createElement("template");
    holder.innerHTML = lazy.textContent;
    lazy.replaceWith(holder.content);
  }
  for (const same of own(entry, ".same[data-of]")) {
    const first = $(same.dataset.of);
    const n = Number(same.dataset.n);
    delete same.dataset.of;
    if (!first || first === entry) continue;
    live(first);
    const listing = own(first, LISTING)[n];
    if (!listing) continue;
    const copied = listing.cloneNode(true);
    copied.dataset.copy = "";
    same.after(copied);
  }
}
// What comes near the screen gets its bodies and its buttons. Turns are watched, not entries: there are fewer.
const close = new Set();
const near = new IntersectionObserver(
  (changes) => {
    for (const { target, isIntersecting } of changes) {
      if (!isIntersecting) {
        close.delete(target);
        continue;
      }
      close.add(target);
      for (const entry of all(".e", target)) furnish(entry);
    }
  },
  { rootMargin: "800px 0px" },
);
function furnish(entry) {
  const details = entry.querySelector(":scope > details");
  if (details && !details.open) return;
  live(entry);
  dress(entry);
}
document.addEventListener(
  "toggle",
  (event) => {
    const entry = event.target.open && event.target.closest(".e");
    if (entry && close.has(entry.closest("main > .turn"))) furnish(entry);
  },
  true,
);
ready(() => {
  for (const turn of all("main > .turn")) near.observe(turn);
});

// Open everything that an element lies in, and put it in front of the reader.
function reveal(element) {
  for (let at = element; at && at !== document.body; at = at.parentElement) {
    if (at.tagName === "DETAILS" && at !== element) at.open = true;
  }
}
let now = null;
function settle(entry) {
  if (now) now.classList.remove("now");
  now = entry;
  if (now) now.classList.add("now");
}
function go(entry, { open = false, focus = true, top = true } = {}) {
  if (!entry) return;
  reveal(entry);
  const details = entry.querySelector(":scope > details");
  if (details && open) {
    live(entry);
    details.open = true;
  }
  settle(entry);
  if (top) entry.scrollIntoView({ block: "start", behavior: "instant" });
  if (focus) {
    const target = (details && details.querySelector("summary")) || entry;
    if (target === entry && !entry.hasAttribute("tabindex")) entry.tabIndex = -1;
    target.focus({ preventScroll: true });
  }
}

// #m42&q=words&show=prompt,tool&tool=3&agent=1&errors=1, each part of it if need be
const state = { at: "", q: "", show: "", tool: "", agent: "", errors: "" };
function readState() {
  const parts = location.hash.slice(1).split("&");
  const at = parts[0].includes("=") ? "" : parts.shift(); // no id has a "="
  const given = new URLSearchParams(parts.join("&"));
  for (const key of Object.keys(state)) state[key] = given.get(key) || "";
  try {
    state.at = decodeURIComponent(at);
  } catch {
    state.at = "";
  }
}
function writeState(push = false) {
  const given = new URLSearchParams();
  for (const [key, value] of Object.entries(state)) if (key !== "at" && value) given.set(key, value);
  const rest = given.toString();
  const hash = "#" + [encodeURIComponent(state.at), rest].filter(Boolean).join("&");
  if (hash === (location.hash || "#")) return;
  try {
    history[push ? "pushState" : "replaceState"](null, "", hash);
  } catch {
    /* some embeddings forbid it; the page works without */
  }
}
function say(words, long = 1800) {
  $("said").textContent = words;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => ($("said").textContent = ""), long);
}
