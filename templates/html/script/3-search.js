// Search over everything, folded bodies included. Found words are painted with the Custom Highlight
// API: nothing in the page is changed, however many there are.
const search = { units: [], texts: [], listings: new Map(), hits: [], total: 0, hidden: 0, at: -1, began: null, expression: null, run: 0, indexed: false };
const entities = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&#34;": '"', "&#39;": "'", "&quot;": '"', "&#x27;": "'" };

// The parts of an entry that are searched: its line and its body, but not the entries within it. The page's own
// buttons hold no text nodes, so that a part's text is the transcript's alone.
function parts(entry) {
  const found = [];
  const add = (at) => {
    for (const child of at.children) {
      if (child.matches("details, section, .turn")) add(child);
      else if (child.matches(".body")) child.querySelector(".e") ? add(child) : found.push(child);
      else if (!child.matches(".e, .at, header, .head, .acts")) found.push(child);
    }
  };
  add(entry);
  return found;
}
function pieces(entry) {
  const found = [];
  for (const part of parts(entry)) {
    const walk = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) found.push(walk.currentNode);
  }
  return found;
}
// An entry's text in pieces, as it will stand once everything in it is live: the n-th match here is the n-th range
// there. The copies of a repeated listing share one string, so that a piece costs nothing.
const SAME = /<p class="same" data-of="([^"]*)" data-n="(\d+)">[^]*?<\/p>/g;
function textOf(entry) {
  const found = [""];
  const own = (text) => (found[found.length - 1] += text);
  const copied = (of, n) => found.push(listing(of, n), "");
  for (const part of parts(entry)) {
    const lazy = part.firstElementChild;
    if (lazy && lazy.nodeName === "NOSCRIPT") {
      const source = lazy.textContent;
      let from = 0;
      for (const same of source.matchAll(SAME)) {
        const to = same.index + same[0].length;
        own(plain(source.slice(from, to)));
        copied(same[1], same[2]);
        from = to;
      }
      own(plain(source.slice(from)));
    } else {
      const range = document.createRange();
      range.selectNodeContents(part);
      for (const same of all(".same[data-of]", part)) {
        const before = range.cloneRange();
        before.setEndAfter(same);
        own(before.toString());
        copied(same.dataset.of, same.dataset.n);
        range.setStartAfter(same);
      }
      own(range.toString());
    }
  }
  return found;
}
function listing(of, n) {
  const key = `${of} ${n}`;
  if (!search.listings.has(key)) search.listings.set(key, listed($(of), n));
  return search.listings.get(key);
}
function listed(entry, n) {
  const [lazy] = entry ? own(entry, "noscript") : [];
  if (lazy) return plain((lazy.textContent.match(/<pre class="l[ "][^]*?<\/pre>/g) || [])[n] || "");
  const live = entry && own(entry, LISTING)[n];
  return live ? live.textContent : "";
}
function plain(source) {
  return source
    .replace(/<pre([^>]*)>\n/g, "<pre$1>")
    .replace(/<[^>]*>/g, "")
    .replace(/&(?:lt|gt|amp|quot|#34|#39|#x27);/g, (found) => entities[found]);
}
function expressionFor(words) {
  const parts = words.trim().split(/\s+/).filter(Boolean);
  if (!parts.length) return null;
  return new RegExp(parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\s+"), /^[\x20-\x7e]*$/.test(words) ? "gi" : "giu");
}
const pause = () => new Promise((go_on) => setTimeout(go_on));

async function index() {
  if (search.indexed) return;
  if (search.indexing) return search.indexing;
  search.indexing = (async () => {
    search.units = all(".e");
    let start = performance.now();
    for (let i = search.texts.length; i < search.units.length; i++) {
      search.texts.push(textOf(search.units[i]));
      if (performance.now() - start > 30) {
        await pause();
        start = performance.now();
      }
    }
    search.listings.clear(); // the pieces hold what is needed of it
    search.indexed = true;
  })();
  return search.indexing;
}
// `began`: where the reader was before the first letter. Each letter looks on from there, and words that are nowhere
// lead back.
async function find(words, { jump = true, began = null } = {}) {
  const run = ++search.run;
  search.expression = expressionFor(words);
  search.hits = [];
  search.total = 0;
  search.hidden = 0;
  search.at = -1;
  if (!search.expression) {
    paint();
    count();
    return;
  }
  $("count").textContent = "…";
  if (document.readyState === "loading") await new Promise((done) => ready(done));
  await index();
  if (run !== search.run) return;
  let start = performance.now();
  for (let i = 0; i < search.units.length; i++) {
    const expression = search.expression;
    expression.lastIndex = 0;
    let n = 0;
    const text = search.texts[i].join("");
    while (expression.exec(text)) n++;
    if (n && shut(search.units[i])) search.hidden += n;
    else if (n) {
      search.hits.push({ unit: i, from: search.total, n });
      search.total += n;
    }
    if (performance.now() - start > 30) {
      await pause();
      if (run !== search.run) return;
      start = performance.now();
    }
  }
  if (jump && search.total) {
    const here = unitOf(began ? began.now : now);
    const first = search.hits.find((hit) => hit.unit >= here) || search.hits[0];
    show(first.from, false);
  } else {
    paint();
    count();
    if (began && !search.total) goBack(began);
  }
}
// The place on the screen is kept by what is seen there: what was opened on the way may have moved it.
function standpoint() {
  const entry = onScreen();
  return { now, at: state.at, entry, top: entry ? entry.getBoundingClientRect().top : 0, y: scrollY };
}
function goBack(place) {
  settle(place.now);
  state.at = place.at;
  writeState();
  if (!place.entry) {
    scrollTo({ top: place.y, behavior: "instant" });
    return;
  }
  // What content-visibility skipped has its size a frame after it is back on the screen.
  place.entry.scrollIntoView({ block: "start", behavior: "instant" });
  const put = () => scrollBy({ top: place.entry.getBoundingClientRect().top - place.top, behavior: "instant" });
  requestAnimationFrame(() => {
    put();
    requestAnimationFrame(put);
  });
}
const shut = (entry) => root.classList.contains("filtered") && !entry.classList.contains("hit");
function count() {
  const { total, at, hidden } = search;
  const box = $("count");
  const more = (words, name) => {
    const made = document.createElement("span");
    made.className = name;
    made.textContent = words;
    box.append(made);
  };
  box.textContent = !search.expression ? "" : !total ? "none" : (at < 0 ? "" : at + 1 + " / ") + total;
  if (hidden) {
    more(" · ", "dot");
    more(`${hidden} hidden`, "hidden");
  }
  if (hidden && !total) more(" by the filter", "wide");
  const found = !total ? "no match" : at < 0 ? `${total} match${total > 1 ? "es" : ""}` : `match ${at + 1} of ${total}`;
  const filtered = hidden ? `, ${hidden} hidden by the filter` : "";
  box.setAttribute("aria-label", search.expression ? found + filtered : "");
  $("b-prev").disabled = $("b-next").disabled = !total;
}
function ranges(entry) {
  const nodes = pieces(entry);
  const starts = [];
  let text = "";
  for (const node of nodes) {
    starts.push(text.length);
    text += node.data;
  }
  const place = (offset, end) => {
    let low = 0;
    let high = nodes.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (end ? starts[middle] < offset : starts[middle] <= offset) low = middle;
      else high = middle - 1;
    }
    return [nodes[low], offset - starts[low]];
  };
  const found = [];
  const expression = search.expression;
  expression.lastIndex = 0;
  if (!nodes.length) return found;
  for (let match; (match = expression.exec(text)); ) {
    const range = document.createRange();
    range.setStart(...place(match.index, false));
    range.setEnd(...place(match.index + match[0].length, true));
    found.push(range);
  }
  return found;
}
function paint(current) {
  if (!window.CSS || !CSS.highlights) return;
  CSS.highlights.delete("found");
  CSS.highlights.delete("found-now");
  if (!search.expression || !search.total) return;
  // The units around the current one: what a screen or two can show.
  const at = current ? search.hits.indexOf(current) : 0;
  const near = [];
  for (const hit of search.hits.slice(Math.max(0, at - 40), at + 40)) {
    const entry = search.units[hit.unit];
    if (!entry.querySelector("noscript") || hit === current) near.push(...ranges(entry));
  }
  CSS.highlights.set("found", new Highlight(...near));
}
// The words of the match that was gone to, and everything near it, painted.
function mark() {
  const hit = search.hits.find((each) => search.at < each.from + each.n);
  const range = ranges(search.units[hit.unit])[search.at - hit.from];
  paint(hit);
  if (range && window.CSS && CSS.highlights) {
    const one = new Highlight(range);
    one.priority = 1;
    CSS.highlights.set("found-now", one);
  }
  return range;
}
function remark() {
  if (!search.total || search.marking) return;
  search.marking = requestAnimationFrame(() => {
    search.marking = 0;
    if (!search.total) return;
    if (search.at < 0) paint();
    else mark();
  });
}
function show(at, focus = true) {
  if (!search.total) return;
  search.at = (at + search.total) % search.total;
  const hit = search.hits.find((each) => search.at < each.from + each.n);
  const entry = search.units[hit.unit];
  live(entry);
  reveal(entry);
  const inside = ranges(entry)[search.at - hit.from];
  for (let node = inside && inside.startContainer.parentElement; node && node !== entry; node = node.parentElement) {
    if (node.tagName === "DETAILS" && !(node.querySelector(":scope > summary") || node).contains(inside.startContainer)) {
      node.open = true;
    }
  }
  settle(entry);
  furnish(entry); // before the words are looked for: it would take them away from under the mark
  const range = mark();
  if (range) {
    entry.scrollIntoView({ block: "nearest", behavior: "instant" });
    requestAnimationFrame(() => {
      const box = range.getBoundingClientRect();
      const pre = range.startContainer.parentElement && range.startContainer.parentElement.closest("pre");
      if (pre) {
        const frame = pre.getBoundingClientRect();
        if (box.top < frame.top || box.bottom > frame.bottom) pre.scrollTop += box.top - frame.top - frame.height / 3;
      }
      const place = range.getBoundingClientRect();
      if (place.top < 80 || place.bottom > innerHeight - 40) {
        scrollBy({ top: place.top - innerHeight / 3, behavior: "instant" });
      }
    });
  }
  state.at = entry.id;
  state.q = $("q").value;
  writeState();
  count();
  if (focus && document.activeElement !== $("q")) $("q").focus({ preventScroll: true });
}
// The next match or the one before: of the current one, else of where the reader is.
function onward(by, focus) {
  search.began = null;
  if (!search.total) return;
  if (search.at >= 0) {
    show(search.at + by, focus);
    return;
  }
  const here = unitOf(now);
  const hit =
    by > 0
      ? search.hits.find((each) => each.unit >= here) || search.hits[0]
      : search.hits.filter((each) => each.unit < here).pop() || search.hits[search.hits.length - 1];
  show(by > 0 ? hit.from : hit.from + hit.n - 1, focus);
}
// From the field to where the reader is: the current match's entry, else the page. The matches stay.
function focusMatch() {
  if (now && standing(now)) go(now, { top: false });
  else $("conversation").focus({ preventScroll: true });
}
// Which of the entries it is; of what is none, the first one in it or after it.
function unitOf(element) {
  if (!element) return -1;
  const at = search.units.indexOf(element);
  if (at >= 0) return at;
  return search.units.findIndex(
    (unit) => element.compareDocumentPosition(unit) & Node.DOCUMENT_POSITION_FOLLOWING,
  );
}
function restoreSearch() {
  if ($("q").value === state.q) return;
  $("q").value = state.q;
  find(state.q, { jump: !state.at });
}
ready(() => {
  let timer = 0;
  $("q").addEventListener("focus", () => index(), { once: true });
  $("q").addEventListener("input", () => {
    clearTimeout(timer);
    const began = (search.began ||= standpoint());
    $("count").textContent = $("q").value.trim() ? "…" : "";
    timer = setTimeout(() => {
      state.q = $("q").value;
      writeState();
      find(state.q, { began });
    }, 140);
  });
  $("q").addEventListener("blur", () => (search.began = null));
  $("q").addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    clearTimeout(timer);
    if (search.expression && state.q === $("q").value) onward(event.shiftKey ? -1 : 1);
    else {
      state.q = $("q").value;
      find(state.q, { began: search.began });
    }
  });
  $("find").addEventListener("submit", (event) => event.preventDefault());
  $("b-next").addEventListener("click", () => onward(1, false));
  $("b-prev").addEventListener("click", () => onward(-1, false));
  count();
});
