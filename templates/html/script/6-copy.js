// Copy buttons: for code, for a message as Markdown, for a link. Made when an entry comes near the screen.
function button(words, title, action, name) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = name || "";
  made.dataset.words = words; // shown by the style sheet: what is searched must not hold the page's own words
  made.setAttribute("aria-label", title);
  made.addEventListener("click", (event) => {
    event.preventDefault();
    action();
  });
  return made;
}
async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  say(what + " copied");
}
function codeOf(pre) {
  const copied = pre.cloneNode(true);
  const diff = pre.classList.contains("diff");
  for (const gone of all(diff ? "b, .hunk" : "b", copied)) gone.remove();
  return copied.textContent;
}
function linkTo(entry) {
  return location.href.split("#")[0] + "#" + entry.id;
}
// A block that moves into its frame takes its words out of every range: what search has marked is marked anew.
function dress(entry) {
  for (const pre of own(entry, "pre")) {
    if (pre.parentElement.classList.contains("pre")) continue;
    const frame = document.createElement("div");
    frame.className = "pre";
    pre.replaceWith(frame);
    remark();
    frame.append(pre, button("Copy", "Copy this text", () => copy(codeOf(pre), "Text"), "copy"));
    if (pre.scrollWidth > pre.clientWidth || pre.scrollHeight > pre.clientHeight) pre.tabIndex = 0; // near the screen only
  }
  for (const table of own(entry, "table")) if (table.scrollWidth > table.clientWidth) table.tabIndex = 0;
  if (entry.dataset.dressed) return;
  const acts = document.createElement("span");
  acts.className = "acts";
  acts.append(
    button("Markdown", "Copy this message as Markdown", () => copy(markdown(entry), "Markdown")),
    button("Link", "Copy a link to this message", () => copy(linkTo(entry), "Link")),
  );
  const head = entry.querySelector(":scope > .head");
  const body = entry.querySelector(":scope > details > .body");
  if (head) head.insertBefore(acts, head.querySelector(".at"));
  else if (body) body.append(acts);
  else return;
  entry.dataset.dressed = "1";
}
// The rendered message back into Markdown.
function markdown(entry) {
  live(entry);
  const summary = entry.querySelector(":scope > details > summary");
  const body = entry.querySelector(":scope > .body, :scope > details > .body");
  const head = summary ? "**" + summary.textContent.trim().replace(/\s+/g, " ") + "**\n\n" : "";
  return (head + (body ? blocks(body) : "")).replace(/\n{3,}/g, "\n\n").trim() + "\n";
}
function fence(text, language) {
  const runs = text.match(/`{3,}/g) || [];
  const ticks = "`".repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return `${ticks}${language}\n${text.replace(/\n$/, "")}\n${ticks}\n\n`;
}
function blocks(parent) {
  let out = "";
  let line = "";
  const flush = () => {
    if (line.trim()) out += line.trim() + "\n\n";
    line = "";
  };
  for (const node of parent.childNodes) {
    const name = node.nodeName;
    if (node.nodeType === Node.TEXT_NODE) line += node.data;
    else if (node.nodeType !== Node.ELEMENT_NODE || node.matches(".acts, .copy, .label, .e, noscript")) continue;
    else if (/^H[1-6]$/.test(name)) {
      flush();
      out += "#".repeat(Math.max(1, Number(name[1]) - 2)) + " " + inline(node).trim() + "\n\n";
    } else if (name === "PRE") {
      flush();
      const diff = node.classList.contains("diff");
      out += fence(codeOf(node), diff ? "diff" : node.dataset.language || "");
    } else if (name === "UL" || name === "OL") {
      flush();
      let n = Number(node.getAttribute("start") || 1);
      for (const item of node.children) {
        const mark = name === "OL" ? `${n++}. ` : "- ";
        const said = blocks(item).trim();
        const boxed = item.matches(".task") ? said.replace(/^[☐☑]/, (box) => (box === "☐" ? "[ ]" : "[x]")) : said;
        const inner = boxed.replace(/\n{2,}(?=\s*(?:[-*]|\d+\.) )/g, "\n");
        out += mark + inner.replace(/\n(?=.)/g, "\n" + " ".repeat(mark.length)) + "\n";
      }
      out += "\n";
    } else if (name === "BLOCKQUOTE") {
      flush();
      out += blocks(node).trim().replace(/^/gm, "> ") + "\n\n";
    } else if (name === "TABLE") {
      flush();
      all("tr", node).forEach((row, i) => {
        const cells = Array.from(row.children, (cell) => inline(cell).trim().replace(/\|/g, "\\|").replace(/\n/g, " "));
        out += `| ${cells.join(" | ")} |\n` + (i ? "" : `|${cells.map(() => " --- ").join("|")}|\n`);
      });
      out += "\n";
    } else if (name === "HR") {
      flush();
      out += "---\n\n";
    } else if (/^(P|DT|DD|FIGCAPTION)$/.test(name)) {
      flush();
      out += inline(node).trim() + "\n\n";
    } else if (node.classList.contains("said") || node.classList.contains("plain")) {
      flush();
      out += node.textContent + "\n\n";
    } else if (/^(DIV|SECTION|ARTICLE|DL|FIGURE|DETAILS|SUMMARY)$/.test(name)) {
      flush();
      out += blocks(node);
    } else line += inlineOf(node);
  }
  flush();
  return out;
}
const inline = (parent) =>
  Array.from(parent.childNodes, (node) =>
    node.nodeType === Node.TEXT_NODE ? node.data : node.nodeType === Node.ELEMENT_NODE ? inlineOf(node) : "",
  ).join("");
function inlineOf(node) {
  const text = inline(node);
  switch (node.nodeName) {
    case "STRONG":
    case "B":
      return text && `**${text}**`;
    case "EM":
      return text && `*${text}*`;
    case "DEL":
    case "S":
      return text && `~~${text}~~`;
    case "CODE": {
      const ticks = "`".repeat(1 + Math.max(0, ...(text.match(/`+/g) || []).map((run) => run.length)));
      return ticks.length > 1 ? `${ticks} ${text} ${ticks}` : "`" + text + "`";
    }
    case "A": {
      const href = node.getAttribute("href") || "";
      return href && !href.startsWith("#") ? (href === text ? `<${href}>` : `[${text}](${href})`) : text;
    }
    case "BR":
      return "  \n";
    case "IMG":
      return `[${node.alt || "image"}]`;
    case "BUTTON":
      return "";
    default:
      return text;
  }
}
