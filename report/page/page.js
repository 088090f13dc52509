"use strict";
(() => {
  const root = document.documentElement;

  // The theme. It is set before anything is drawn; storage may be refused.
  const themeKey = "cadence-bench-theme";
  const remembered = () => { try { return localStorage.getItem(themeKey); } catch { return null; } };
  const remember = (theme) => { try { localStorage.setItem(themeKey, theme); } catch { /* this page only */ } };
  const stored = remembered();
  if (stored === "dark" || stored === "light") root.dataset.theme = stored;

  const dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => root.dataset.theme ? root.dataset.theme === "dark" : dark.matches;

  function themeButton() {
    const button = make("button", "Dark");
    button.type = "button";
    button.id = "theme";
    const show = () => button.setAttribute("aria-pressed", String(isDark()));
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      remember(root.dataset.theme);
      show();
    });
    show();
    document.querySelector(".bar").append(button);
  }

  dark.addEventListener("change", () => document.getElementById("theme").setAttribute("aria-pressed", String(isDark())));

  function make(tag, text) {
    const e = document.createElement(tag);
    if (text !== undefined) e.textContent = text;
    return e;
  }

  const say = (text) => { document.getElementById("said").textContent = text; };

  // Tables. A cell's number is its first one: "0.68 (0.6–0.7)" is 0.68, "45†" is 45,
  // and ">30" comes just after 30. A dash is missing and comes last in either order.
  const numberOf = /^([<>≥≤≈×~])?\s*([+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d+)?|[+-]?∞)/i;
  const missing = (text) => text === "" || text === "–" || text === "-";

  function parse(text) {
    const m = numberOf.exec(text.replace(/−/g, "-"));
    if (!m) return null;
    const digits = m[2].replace(/,/g, "");
    const value = digits.endsWith("∞") ? (digits[0] === "-" ? -Infinity : Infinity) : Number(digits);
    return { value, side: m[1] === ">" ? 1 : m[1] === "<" ? -1 : 0 };
  }

  const collator = new Intl.Collator("en", { numeric: true });

  // order compares two cells of a column, missing ones aside.
  function order(texts) {
    const numbers = new Map(texts.filter((t) => !missing(t)).map((t) => [t, parse(t)]));
    if ([...numbers.values()].some((n) => n === null)) return (a, b) => collator.compare(a, b);
    return (a, b) => {
      const x = numbers.get(a), y = numbers.get(b);
      if (x.value !== y.value) return x.value < y.value ? -1 : 1;
      return x.side - y.side;
    };
  }

  const sortings = new Map(); // by the table's name: what a person chose

  function sort(table, column, direction) {
    const body = table.tBodies[0];
    const text = (row) => row.cells[column].textContent.trim();
    const rows = [...body.rows].sort((a, b) => a.dataset.at - b.dataset.at);
    if (direction) {
      const compare = order(rows.map(text));
      const sign = direction === "ascending" ? 1 : -1;
      rows.sort((a, b) => {
        const x = text(a), y = text(b);
        if (missing(x) || missing(y)) return missing(x) - missing(y);
        return sign * compare(x, y);
      });
    }
    body.append(...rows);
    for (const th of table.tHead.rows[0].cells) th.setAttribute("aria-sort", "none");
    table.tHead.rows[0].cells[column].setAttribute("aria-sort", direction || "none");
  }

  const nextOf = { none: "ascending", ascending: "descending", descending: "" };

  function sortable(table) {
    if (!table.tHead || table.tBodies[0].rows.length < 2) return;
    const name = table.parentElement.getAttribute("aria-label");
    [...table.tBodies[0].rows].forEach((row, i) => { row.dataset.at = i; });
    [...table.tHead.rows[0].cells].forEach((th, column) => {
      const button = make("button", th.textContent);
      button.type = "button";
      th.replaceChildren(button);
      th.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => {
        const direction = nextOf[th.getAttribute("aria-sort")];
        sort(table, column, direction);
        sortings.set(name, { column, direction });
        say(direction ? `Sorted by ${button.textContent}, ${direction}.` : "In the original order.");
      });
    });
    const chosen = sortings.get(name);
    if (chosen && chosen.column < table.tHead.rows[0].cells.length) sort(table, chosen.column, chosen.direction);
  }

  // Charts. A point's title becomes its label, and a box that shows on hover and
  // focus. One point of a chart is in the tab order; arrows go to the others.
  let tip;

  function showTip(point) {
    tip.textContent = point.getAttribute("aria-label");
    tip.hidden = false;
    const at = point.querySelector(".hit").getBoundingClientRect();
    const room = document.documentElement.clientWidth - tip.offsetWidth - 8;
    tip.style.left = `${scrollX + Math.max(8, Math.min(at.left + at.width / 2 + 12, room))}px`;
    const above = at.top - tip.offsetHeight - 8;
    tip.style.top = `${scrollY + (above > 0 ? above : at.bottom + 8)}px`;
  }

  function hideTip() { tip.hidden = true; }

  const middle = (point) => {
    const box = point.querySelector(".hit").getBoundingClientRect();
    return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
  };

  // neighbour is where a key leads from a point: along its own line, or to the
  // nearest point of the line before or after.
  function neighbour(points, from, key) {
    const seen = points.filter((p) => p.getClientRects().length > 0);
    const line = seen.filter((p) => p.dataset.s === from.dataset.s);
    const i = line.indexOf(from);
    switch (key) {
      case "ArrowLeft": return line[i - 1];
      case "ArrowRight": return line[i + 1];
      case "Home": return line[0];
      case "End": return line[line.length - 1];
    }
    const lines = [...new Set(seen.map((p) => p.dataset.s))];
    const other = lines[lines.indexOf(from.dataset.s) + (key === "ArrowDown" ? 1 : -1)];
    const here = middle(from).x;
    return seen.filter((p) => p.dataset.s === other)
      .sort((a, b) => Math.abs(middle(a).x - here) - Math.abs(middle(b).x - here))[0];
  }

  const keys = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"]);

  function chartPoints(figure) {
    const points = [...figure.querySelectorAll(".point")];
    if (points.length === 0) return;
    const svg = figure.querySelector("svg.chart");
    svg.setAttribute("role", "group");
    points.forEach((point, i) => {
      const title = point.querySelector("title");
      point.setAttribute("aria-label", title.textContent);
      point.setAttribute("role", "img");
      point.setAttribute("tabindex", i === 0 ? "0" : "-1");
      title.remove();
      point.addEventListener("pointerenter", () => showTip(point));
      point.addEventListener("pointerleave", hideTip);
      point.addEventListener("focus", () => showTip(point));
      point.addEventListener("blur", hideTip);
      point.addEventListener("keydown", (e) => {
        if (!keys.has(e.key)) return;
        e.preventDefault();
        const to = neighbour(points, point, e.key);
        if (to) {
          point.setAttribute("tabindex", "-1");
          to.setAttribute("tabindex", "0");
          to.focus();
        }
      });
    });
  }

  const hidden = new Map(); // by chart: the names that a person hid

  function legend(figure) {
    const off = hidden.get(figure.id) || new Set();
    hidden.set(figure.id, off);
    const parts = () => figure.querySelectorAll("svg.chart [data-s]");
    const light = (name) => {
      for (const p of parts()) p.classList.toggle("dim", name !== null && p.dataset.s !== name);
    };
    for (const span of figure.querySelectorAll("[data-key]")) {
      const name = span.dataset.key;
      const button = make("button");
      button.type = "button";
      button.className = "key";
      button.title = "Hide or show";
      button.dataset.key = name;
      button.append(...span.childNodes);
      span.replaceWith(button);
      const show = () => {
        button.setAttribute("aria-pressed", String(!off.has(name)));
        for (const p of parts()) if (p.dataset.s === name) p.classList.toggle("off", off.has(name));
      };
      button.addEventListener("click", () => {
        if (!off.delete(name)) off.add(name);
        show();
        light(off.has(name) ? null : name);
      });
      for (const on of ["pointerenter", "focus"]) button.addEventListener(on, () => light(off.has(name) ? null : name));
      for (const out of ["pointerleave", "blur"]) button.addEventListener(out, () => light(null));
      show();
    }
  }

  function enhance() {
    document.querySelectorAll("main table").forEach(sortable);
    document.querySelectorAll("figure").forEach((figure) => { chartPoints(figure); legend(figure); });
  }

  // A sweep under way: the server pushes its state, and says when there is a newer
  // report, which takes the place of this one.
  let version = root.dataset.version;

  // route is the way from main to an element, by places among children.
  function route(e) {
    const way = [];
    for (; e && e.id !== "main"; e = e.parentElement) way.unshift([...e.parentElement.children].indexOf(e));
    return way;
  }

  async function refresh(to) {
    version = to;
    const answer = await fetch(location.href, { cache: "no-store" });
    if (!answer.ok) return;
    const newer = new DOMParser().parseFromString(await answer.text(), "text/html");
    const focused = document.activeElement;
    const way = document.getElementById("main").contains(focused) ? route(focused) : null;
    for (const part of ["header", "main"]) {
      document.querySelector(part).replaceWith(document.adoptNode(newer.querySelector(part)));
    }
    document.title = newer.title;
    hideTip();
    themeButton();
    enhance();
    if (way) {
      const again = way.reduce((e, i) => e && e.children[i], document.getElementById("main"));
      if (again) again.focus({ preventScroll: true });
    }
  }

  // liveTable shows a table of a state. Before there is a plan it has nothing.
  function liveTable(table) {
    const t = make("table"), head = t.createTHead().insertRow(), body = t.createTBody();
    (table.columns ?? []).forEach((c, i) => {
      const th = make("th", c);
      th.scope = "col";
      if (i === 0) th.className = "left";
      head.append(th);
    });
    for (const row of table.rows ?? []) {
      const tr = body.insertRow();
      row.forEach((cell, i) => {
        const c = make(i === 0 ? "th" : "td", cell);
        if (i === 0) { c.scope = "row"; c.className = "left"; }
        tr.append(c);
      });
    }
    const scroll = make("div");
    scroll.className = "scroll";
    scroll.append(t);
    return scroll;
  }

  function follow(events) {
    const live = document.getElementById("live");
    const title = live.querySelector("h2");
    const source = new EventSource(events);
    source.onmessage = (e) => {
      const s = JSON.parse(e.data);
      const bar = make("progress");
      bar.max = Math.max(1, s.all);
      bar.value = s.done;
      bar.setAttribute("aria-label", "Cells finished");
      live.replaceChildren(title, make("p", s.head), bar, liveTable(s.rungs), ...(s.now ?? []).map((line) => make("p", line)));
      if (s.over) { title.textContent = "Finished"; source.close(); }
      if (String(s.version) !== version) refresh(String(s.version));
    };
    source.onerror = () => { title.textContent = "Not running: the command that serves this page has ended"; };
    source.onopen = () => { title.textContent = "Running now"; };
  }

  document.addEventListener("DOMContentLoaded", () => {
    tip = make("div");
    tip.id = "tip";
    tip.hidden = true;
    tip.setAttribute("aria-hidden", "true");
    document.body.append(tip);
    document.addEventListener("keydown", (e) => { if (e.key === "Escape") hideTip(); });
    themeButton();
    enhance();
    if (root.dataset.events) follow(root.dataset.events);
  });
})();
