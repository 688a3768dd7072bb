"use strict";
(() => {
	const data = JSON.parse(document.getElementById("data").textContent);
	const page = document.getElementById("page");
	const SHOWN = 1, CALL = 2, RETURN = 4, BLOCK = 8, END = 16;
	const ROW = 25;

	const el = (tag, of = {}, ...children) => {
		const e = document.createElement(tag);
		for (const k in of) {
			if (k === "class") e.className = of[k];
			else if (k.startsWith("on")) e.addEventListener(k.slice(2), of[k]);
			else if (k.startsWith("--")) e.style.setProperty(k, of[k]);
			else e.setAttribute(k, of[k]);
		}
		e.append(...children.filter((c) => c !== null));
		return e;
	};
	const count = (n, one, many) => n.toLocaleString("en") + " " + (n === 1 ? one : many);
	const base = (name) => name.slice(name.lastIndexOf("/") + 1);
	const place = (file, line) => file < 0 ? "" : base(data.files[file].name) + ":" + line;
	const threadClass = (t) => "thread thread" + (t ? (t - 1) % 7 + 1 : 0);

	/* Source lines: comments, words of the language and strings are told apart, a line at a time. */
	const words = /(\/\*.*?(?:\*\/|$)|\/\/.*$|^\s*\*.*$)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|\b(if|else|for|while|do|return|break|continue|goto|switch|case|default|struct|union|enum|static|const|void|int|long|short|char|unsigned|signed|bool|_Bool|_Atomic|volatile|sizeof|typedef|extern|inline|class|template|typename|public|private|namespace|using|auto|new|delete|try|catch|throw|nullptr|true|false|NULL)\b/g;
	const paint = (line) => {
		const to = el("span");
		let at = 0;
		for (const m of line.matchAll(words)) {
			to.append(line.slice(at, m.index), el(m[1] ? "em" : m[2] ? "q" : "b", {}, m[0]));
			at = m.index + m[0].length;
		}
		to.append(line.slice(at));
		return to;
	};
	const inBlocks = (repair, file, line) => repair && repair.blocks.some((b) => b.file === file && b.first <= line && line <= b.last);
	const code = (file, first, last, here, repair) => {
		const box = el("div", { class: "code" }), lines = file < 0 ? [] : data.files[file].lines;
		for (let n = Math.max(1, first); n <= Math.min(last, lines.length); n++)
			box.append(el("div", { class: (inBlocks(repair, file, n) ? "in " : "") + (n === here ? "here" : "") },
				      el("i", {}, String(n)), paint(lines[n - 1])));
		return box;
	};

	/* What is said first. */
	const fact = (to, name, text, kind = "") => to.append(el("dt", {}, name), el("dd", { class: kind }, text));
	const head = () => {
		const names = { violation: "violation", clean: "no violation", unfinished: "no violation, not finished" };
		const facts = el("dl", { class: "facts" });
		fact(facts, "bound", data.bound);
		fact(facts, "explored", count(data.executions, "execution", "executions") + " in " + data.seconds.toFixed(2) + " s, " +
		     count(data.classes, "class", "classes") + ", " + count(data.histories, "history", "histories"));
		fact(facts, "ends", Object.entries(data.ends).map(([k, n]) => n.toLocaleString("en") + " " + k).join(", "));
		if (data.wrong)
			fact(facts, "wrong", "a history that is not allowed in " + data.wrong.toLocaleString("en") + " of " +
			     count(data.classes, "class", "classes"));
		for (const l of data.limits)
			fact(facts, "limit", l, "limit");
		fact(facts, "client", data.arguments.join(" "));
		page.append(el("header", {}, el("h1", {}, base(data.program)), el("span", { class: "badge " + data.verdict }, names[data.verdict]),
			       el("span", { class: "space" }), el("button", { onclick: help, title: "?" }, "Keys")), facts);
	};

	/* The list of keys. */
	const keyList = el("dialog", {}, el("h3", {}, "Keys"), (() => {
		const dl = el("dl");
		for (const [k, what] of [["← →", "a step back, a step on"], ["↑ ↓", "the same"], ["Page Up/Down", "twenty steps"],
					 ["Home End", "the beginning, the end"], ["s S", "to where another thread goes on, back"],
					 ["b B", "to the next step in a marked block, back"], ["a", "all steps, or those that others see"],
					 ["Space", "play, stop"], ["n p", "next finding, previous one"], ["?", "this list"]])
			dl.append(el("dt", {}, k), el("dd", {}, what));
		return dl;
	})(), el("form", { method: "dialog" }, el("button", {}, "Close")));
	const help = () => keyList.open ? keyList.close() : keyList.showModal();

	/* The player of one execution. */
	let player = null;
	const makePlayer = (f) => {
		const shown = f.events.map((e, i) => i).filter((i) => f.events[i][3] & SHOWN);
		let list = shown.length ? shown : f.events.map((e, i) => i), all = false, at = 0, timer = 0, noting = 0;
		/* Threads that have a step in the list. */
		let used = [];
		const find = () => { const has = new Set(list.map((i) => f.events[i][0])); used = f.threads.map((t, i) => i).filter((i) => has.has(i)); };
		find();
		const repair = data.repairs[0];

		const slider = el("input", { type: "range", min: 0, "aria-label": "step" });
		const out = el("output");
		const allButton = el("button", { title: "a", "aria-pressed": false, onclick: () => toggle() }, "All steps");
		const playButton = el("button", { title: "Space", onclick: () => play(), "aria-label": "play" }, "▶ Play");
		const controls = el("div", { class: "controls" },
			el("button", { title: "←", "aria-label": "step back", onclick: () => go(at - 1) }, "◀"), slider,
			el("button", { title: "→", "aria-label": "step on", onclick: () => go(at + 1) }, "▶"), out, playButton, allButton);

		const headRow = el("div", { class: "head" }), rows = el("div", { class: "rows" });
		const track = el("div", { class: "track panel", tabindex: 0, "aria-label": "interleaving" }, headRow, rows);
		const cards = el("div", { class: "cards" }), values = el("div", { class: "values panel" });
		let compact = false;
		/* Columns are as wide as their texts, as far as there is room. */
		const widths = f.threads.map(() => 9);
		for (const [thread, text, , flags] of f.events)
			if (!(flags & END))
				widths[thread] = Math.max(widths[thread], Math.min(24, data.texts[text].length + 2));

		const layout = () => {
			const width = track.clientWidth || 800;
			compact = width < 118 * used.length + 190;
			const where = width >= 140 * used.length + 460;
			track.style.setProperty("--columns", compact ? "3.4em minmax(0,1fr)" :
				"3.6em " + used.map((t) => "minmax(90px, " + widths[t] + "fr)").join(" ") + (where ? " minmax(200px, 32fr)" : " minmax(90px, 12fr)"));
			track.style.setProperty("--least", "100%");
			headRow.replaceChildren(el("span", { class: "n" }, ""), ...(compact ? [el("span", {}, "interleaving")] :
				used.map((t) => el("span", { class: "cell " + threadClass(t), "--c": "" }, f.threads[t].name +
						   (f.threads[t].start ? "  " + f.threads[t].start : "")))));
			for (const [i, t] of used.entries())
				if (!compact) headRow.children[i + 1].style.color = "var(--t" + (t ? (t - 1) % 7 + 1 : 0) + ")";
			if (!compact)
				headRow.append(el("span", { class: "where" }, "source"));
			track.wide = where;
			draw(true);
		};
		const makeRow = (k) => {
			const e = f.events[list[k]], [thread, text, where, flags] = e, op = flags & (CALL | RETURN);
			const row = el("div", { class: "row" + (flags & BLOCK ? " block" : ""), onclick: () => go(k + 1) });
			const words = data.texts[text];
			const p = where < 0 ? null : f.places[where];
			row.style.top = k * ROW + "px";
			if (flags & END) row.classList.add("end");
			row.append(el("span", { class: "n" }, flags & END ? "end" : String(list[k] + 1)));
			if (compact) {
				row.append(el("span", { class: threadClass(thread), title: words }, el("span", { class: "tag" }, f.threads[thread].name),
					      el("span", { class: op ? "op" : "" }, words)));
				return row;
			}
			/* A text may go on over the columns behind, up to the source. */
			for (const [i, t] of used.entries()) {
				const cell = t === thread ? el("span", { class: "cell on " + threadClass(t) + (op ? " op" : ""), title: words }, words) :
					el("span", { class: "cell" });
				cell.style.gridColumn = t === thread ? (i + 2) + " / -2" : String(i + 2);
				row.append(cell);
			}
			const line = p && p[0] >= 0 && data.files[p[0]].lines[p[1] - 1];
			row.append(el("span", { class: "where", title: (p && p[2] || "") + (line ? "\n" + line.trim() : "") },
				      !p || op ? "" : track.wide ? place(p[0], p[1]) + (line ? "  " + line.trim() : "") : p[1] + "  " + (p[2] || "")));
			return row;
		};
		/* Only what is seen is in the page. */
		const drawn = new Map();
		const draw = (afresh = false) => {
			const top = Math.max(0, track.scrollTop - ROW), from = Math.max(0, Math.floor(top / ROW) - 4);
			const to = Math.min(list.length, Math.ceil((track.scrollTop + track.clientHeight) / ROW) + 4);
			if (afresh) {
				drawn.clear();
				rows.replaceChildren();
				rows.style.height = list.length * ROW + "px";
			}
			for (const [k, row] of drawn)
				if (k < from || k >= to) {
					row.remove();
					drawn.delete(k);
				}
			for (let k = from; k < to; k++) {
				if (!drawn.has(k)) {
					const row = makeRow(k);
					drawn.set(k, row);
					rows.append(row);
				}
				drawn.get(k).classList.toggle("now", k === at - 1);
				drawn.get(k).classList.toggle("later", k >= at);
			}
		};
		const hasSource = (where) => where >= 0 && f.places[where][0] >= 0 && data.files[f.places[where][0]].lines.length > 0;
		/* What is known after an event; going on from there costs only the steps between. */
		const ends = data.texts.indexOf("thread ends");
		const fresh = () => ({ upTo: -1, holds: new Map(), last: new Map(), ended: new Set() });
		let known = fresh();
		const state = () => {
			const upTo = at ? list[at - 1] : -1;
			if (upTo < known.upTo)
				known = fresh();
			for (let i = known.upTo + 1; i <= upTo; i++) {
				const [thread, text, where, , location, value] = f.events[i];
				if (hasSource(where) || !known.last.has(thread)) known.last.set(thread, i);
				if (text === ends) known.ended.add(thread);
				if (location < 0) continue;
				const before = known.holds.get(location);
				if (!before || before.value !== value) known.holds.set(location, { value, by: thread, at: i });
			}
			known.upTo = upTo;
			return known;
		};
		const drawValues = ({ upTo, holds }) => {
			const body = el("tbody");
			for (const [i, name] of f.locations.entries()) {
				const h = holds.get(i);
				if (!h) continue;
				body.append(el("tr", { class: h.at === upTo ? "changed" : "" }, el("td", {}, name),
					       el("td", {}, data.texts[h.value]),
					       el("td", { class: "by " + threadClass(h.by) }, f.threads[h.by].name + " #" + (h.at + 1))));
			}
			values.hidden = !holds.size;
			values.replaceChildren(el("table", {}, el("thead", {}, el("tr", {}, el("th", {}, "shared"), el("th", {}, "holds"),
				el("th", {}, "seen so since"))), body));
			const changed = body.querySelector(".changed");
			if (changed && values.scrollHeight > values.clientHeight)
				values.scrollTop = changed.offsetTop - values.clientHeight / 2;
		};
		const drawCards = ({ upTo, last, ended }) => {
			const acting = upTo < 0 ? -1 : f.events[upTo][0], narrow = innerWidth < 720;
			cards.replaceChildren(...used.map((t) => {
				const i = last.has(t) ? last.get(t) : -1, p = i < 0 || f.events[i][2] < 0 ? null : f.places[f.events[i][2]];
				const around = t === acting ? 3 : narrow ? 0 : 2;
				return el("section", { class: "card panel " + threadClass(t) + (t === acting ? " acting" : "") + (ended.has(t) ? " ended" : "") },
					el("h4", {}, f.threads[t].name, el("span", {}, p ? (p[2] ? p[2] + " · " : "") + place(p[0], p[1]) :
						f.threads[t].start || ""), ended.has(t) ? el("span", {}, "ended") : i >= 0 && f.events[i][3] & END ? el("strong", {}, "stops here") : null),
					p && p[0] >= 0 && data.files[p[0]].lines.length ? code(p[0], p[1] - around, p[1] + around, p[1], repair) :
						el("p", { class: "none" }, i < 0 ? "has not run yet" : data.texts[f.events[i][1]]));
			}));
		};
		const go = (k, scroll = true) => {
			at = Math.max(0, Math.min(list.length, k));
			slider.value = at;
			out.textContent = at ? "step " + at + " of " + list.length : "before the first of " + list.length;
			if (scroll) {
				const y = (at - 1) * ROW, view = track.clientHeight - ROW;
				if (y < track.scrollTop + ROW || y > track.scrollTop + view - 2 * ROW)
					track.scrollTop = Math.max(0, y - view / 2);
			}
			draw();
			const s = state();
			drawValues(s);
			drawCards(s);
			clearTimeout(noting);
			noting = setTimeout(() => history.replaceState(null, "", "#" + (current + 1) + "." + (at ? list[at - 1] + 1 : 0) +
								       (all ? "a" : "")), 400);
		};
		const toggle = () => {
			const event = at ? list[at - 1] : -1;
			all = !all;
			list = all || !shown.length ? f.events.map((e, i) => i) : shown;
			find();
			allButton.setAttribute("aria-pressed", all);
			slider.max = list.length;
			layout();
			go(list.filter((i) => i <= event).length);
		};
		const play = () => {
			if (timer || at >= list.length) {
				clearInterval(timer);
				timer = 0;
			} else {
				timer = setInterval(() => { go(at + 1); if (at >= list.length) play(); }, 450);
			}
			playButton.textContent = timer ? "■ Stop" : "▶ Play";
		};
		const seek = (step, wanted) => {
			for (let k = at - 1 + step; k >= 0 && k < list.length; k += step)
				if (wanted(k)) return go(k + 1);
			go(step < 0 ? 0 : list.length);
		};
		const thread = (k) => f.events[list[k]][0];
		const isSwitch = (k) => k === 0 || thread(k) !== thread(k - 1);
		const isBlock = (k) => (f.events[list[k]][3] & BLOCK) !== 0;

		slider.addEventListener("input", () => go(+slider.value));
		let waiting = false;
		track.addEventListener("scroll", () => {
			if (!waiting)
				requestAnimationFrame(() => { waiting = false; draw(); });
			waiting = true;
		});
		slider.max = list.length;
		return {
			parts: [el("h3", {}, "interleaving"), controls, el("div", { class: "player" }, track,
				el("div", { class: "side" }, cards, values))],
			begin: (event, everything) => {
				if (everything) toggle();
				layout();
				const first = list.findIndex((i) => f.events[i][3] & BLOCK);
				go(event !== null ? list.filter((i) => i < event).length : f.kind === "history" && first >= 0 ? first + 1 : list.length);
			},
			layout, stop: () => { if (timer) play(); },
			keys: {
				ArrowRight: () => go(at + 1), ArrowLeft: () => go(at - 1), ArrowDown: () => go(at + 1), ArrowUp: () => go(at - 1),
				PageDown: () => go(at + 20), PageUp: () => go(at - 20), Home: () => go(0), End: () => go(list.length),
				a: toggle, " ": play, s: () => seek(1, isSwitch), S: () => seek(-1, isSwitch), b: () => seek(1, isBlock), B: () => seek(-1, isBlock),
			},
		};
	};

	/* The history: the page of `linchpin check --html`, which sizes itself. */
	const picture = (f) => {
		if (!f.picture)
			return [];
		const frame = el("iframe", { title: "history", scrolling: "no" });
		const fit = () => { if (frame.contentDocument) frame.style.height = frame.contentDocument.documentElement.scrollHeight + "px"; };
		frame.addEventListener("load", () => {
			const d = frame.contentDocument;
			const style = d.createElement("style");
			style.textContent = "header, .why, #why { display: none !important } body { padding: 0 !important; background: transparent !important }" +
				" html { overflow: hidden }";
			d.head.append(style);
			fit();
			new ResizeObserver(fit).observe(d.body);
			d.addEventListener("keydown", (e) => { if (e.key === "?") e.stopPropagation(); });
		});
		frame.srcdoc = f.picture;
		return [el("h3", {}, "history"), frame];
	};

	const copy = (text) => {
		const button = el("button", { onclick: () => {
			const area = el("textarea");
			area.value = text;
			document.body.append(area);
			area.select();
			document.execCommand("copy");
			area.remove();
			button.textContent = "Copied";
			setTimeout(() => { button.textContent = "Copy"; }, 1200);
		} }, "Copy");
		return button;
	};
	const command = (text) => el("div", { class: "command panel" }, el("code", {}, text), copy(text));

	const repairs = (f) => {
		const box = el("div", { class: "repairs" });
		if (data.alone)
			return [el("h3", {}, "repairs"), el("p", {}, "The operations are wrong even one at a time, so no atomic block is a repair: " + data.alone)];
		if (f.serial)
			return [el("h3", {}, "repairs"), el("p", {}, "It also ends so with operations one at a time, so no atomic block is a repair.")];
		if (!data.repairs.length || !f.repairable)
			return [];
		data.repairs.slice(0, 8).forEach((r, i) => {
			const one = el("section", { class: "repair panel" });
			const cost = r.disabled || !data.all_compared ? "rules out " + r.disabled.toLocaleString("en") + " of " + count(data.correct, "right class", "right classes") + (data.all_compared ? "" : " that were compared") :
				"rules out no right class";
			const said = (name, t) => {
				if (!t) return [];
				if (t.why) return [el("span", {}, name + ": not explored, " + t.why)];
				const where = count(t.classes, "class", "classes") + ", " + t.seconds.toFixed(2) + " s";
				return t.result === "proven" ? [el("span", { class: "proven" }, "✓ " + name + ": proven for this client, " +
						(t.classes === 1 ? "the only class, " + t.seconds.toFixed(2) + " s" : "all " + where))] :
					t.result === "bounded" ? [el("span", {}, name + ": nothing wrong within " + where)] :
					[el("span", { class: "fails" }, "✗ " + name + ": something is wrong with it in force")];
			};
			one.append(el("p", {}, (i + 1) + ". " + r.text), el("p", { class: "cost" }, cost, ...said("atomic", r.atomic), ...said("as a lock", r.lock)));
			const more = r.held.filter((h) => !r.blocks.some((b) => b.file === h.file && b.first <= h.first && h.last <= b.last));
			if (more.length)
				one.append(el("p", { class: "cost" }, "as a lock it also has to hold " + more.map((h) => place(h.file, h.first) +
					(h.last > h.first ? "-" + h.last : "") + (h.function ? " (" + h.function + ")" : "")).join(", ")));
			for (const b of r.blocks)
				if (i < 3 && b.file >= 0) one.append(code(b.file, b.first - 2, b.last + 2, 0, r));
			box.append(one);
		});
		if (data.repairs.length > 8)
			box.append(el("p", {}, count(data.repairs.length - 8, "more repair", "more repairs")));
		return [el("h3", {}, "what must be atomic"), box];
	};
	const diff = () => {
		if (!data.diff)
			return [];
		const box = el("div", { class: "diff panel" });
		for (const line of data.diff.replace(/\n$/, "").split("\n"))
			box.append(el("div", { class: /^(---|\+\+\+|@@)/.test(line) ? "at" : line[0] === "+" ? "add" : line[0] === "-" ? "del" : "" }, line || " "));
		return [el("h3", {}, "patch"), box, el("p", {}, "Not built yet. To build and explore it: ",
			el("code", {}, "linchpin fix --build 'make' " + data.directory))];
	};

	/* What was tried: the lines of operations, each with what is known of it. */
	const coverage = () => {
		const c = data.coverage, facts = el("dl", { class: "facts" }), parts = [];
		if (!c) return [];
		const at = (l) => base(l.file) + ":" + l.line + " (" + l.function + ")";
		const row = (name, list) => { if (list.length) fact(facts, name, list.join(", "), "limit"); };
		fact(facts, "lines", (c.lines_with_code === null ? "which of them ran is not recorded; " : "code of " + c.lines_ran + " of " + c.lines_with_code + " ran; ") +
		     c.lines_with_steps + " access memory, " + c.lines_with_conflicts + " in conflict with another thread, " + c.lines_overlapped + " overlapped");
		fact(facts, "orders", c.pairs_in_both_orders + " of " + count(c.pairs.length, "pair", "pairs") + " of conflicting lines in both orders");
		row("not called", c.not_called.map(at));
		row("no overlap", c.operations_without_overlap.map((o) => o + "()"));
		row("no overlap", c.lines.filter((l) => l.overlapped === false).map(at));
		row("as if atomic", c.not_interleaved.map((b) => base(b.file) + ":" + b.line + (b.last > b.line ? "-" + b.last : "") + " (" + b.function + ")"));
		for (const f of data.files) {
			const known = new Map(c.lines.filter((l) => l.file === f.name).map((l) => [l.line, l]));
			if (!known.size || !f.lines.length) continue;
			const box = el("div", { class: "code panel cover" });
			let last = 0;
			for (let n = 1; n <= f.lines.length; n++) {
				const l = known.get(n), near = [-2, -1, 0, 1, 2].some((k) => known.has(n + k));
				if (!near) continue;
				if (last && n > last + 1) box.append(el("div", {}, el("i", {}, "…")));
				last = n;
				const mine = c.pairs.filter((p) => [p.first, p.second].some((x) => x.file === f.name && x.line === n));
				const open = mine.filter((p) => !(p.first_before_second && p.second_before_first)).length;
				const said = !l ? "" : l.ran === false ? "never ran" : l.overlapped === false ? "never overlapped" :
					open ? open + " of " + count(mine.length, "pair", "pairs") + " in one order only" : "";
				box.append(el("div", { class: !l ? "" : l.ran === false ? "never" : l.overlapped === false || open ? "partly" : l.ran || l.steps ? "tried" : "" },
					      el("i", {}, String(n)), paint(f.lines[n - 1]), said ? el("small", {}, said) : null));
			}
			parts.push(el("h4", {}, f.name), box);
		}
		return [el("section", { id: "coverage" }, el("h3", {}, "what was tried, in " + count(c.classes, "class", "classes")), facts, ...parts)];
	};

	const article = el("article"), findings = el("div", { class: "findings", role: "group", "aria-label": "findings" });
	let current = -1;
	const show = (i, event = null, everything = false) => {
		const f = data.findings[i], nav = [...findings.children];
		if (player) player.stop();
		current = i;
		nav.forEach((b, k) => b.setAttribute("aria-pressed", k === i));
		if (nav[i]) nav[i].scrollIntoView({ block: "nearest", inline: "nearest" });
		const error = el("div", { class: "error" }, el("h2", {}, f.message));
		const at = f.file >= 0 ? place(f.file, f.line) + (f.function ? " in " + f.function : "") + "; " : "";
		error.append(el("p", {}, at + "class " + f.class + ", " + (f.kind === "history" ? f.classes.toLocaleString("en") + " of " +
			count(data.classes, "class shows", "classes show") + " it" : count(f.classes, "class ends", "classes end") + " so") +
			(f.replayed ? "; executed again with the same result" : "")));
		if (f.notes.length || f.calls && f.calls.length > 1) {
			const ul = el("ul", { class: "notes" });
			for (const p of (f.calls || []).slice(1).map((c) => f.places[c]))
				ul.append(el("li", {}, el("code", {}, place(p[0], p[1])), "called from " + (p[2] || "?")));
			for (const n of f.notes)
				ul.append(el("li", {}, el("code", {}, n.file ? base(n.file) + ":" + n.line : ""), n.text));
			error.append(ul);
		}
		player = f.events ? makePlayer(f) : null;
		const parts = [error];
		if (f.file >= 0 && data.files[f.file].lines.length && f.kind !== "history")
			parts.push(el("div", { class: "panel", style: "margin-top:10px" }, code(f.file, f.line - 3, f.line + 3, f.line, data.repairs[0])));
		parts.push(...picture(f), ...(player ? player.parts : []), ...repairs(f), ...(f.repairable ? diff() : []),
			   el("h3", {}, "see every step in a terminal"), command(f.again));
		article.replaceChildren(...parts);
		if (player) player.begin(event, everything);
	};

	head();
	if (data.findings.length > 1) {
		data.findings.forEach((f, i) => findings.append(el("button", { onclick: () => show(i), title: f.message }, f.message,
			el("small", {}, (f.file >= 0 ? place(f.file, f.line) + " · " : "") + count(f.classes, "class", "classes")))));
		page.append(findings);
	}
	page.append(article, ...coverage(), keyList);
	const asked = /^#(\d+)\.(\d+)(a?)$/.exec(location.hash);
	if (data.findings.length && asked && data.findings[asked[1] - 1])
		show(asked[1] - 1, +asked[2], asked[3] === "a");
	else if (data.findings.length)
		show(0);
	addEventListener("resize", () => { if (player) player.layout(); });
	addEventListener("keydown", (e) => {
		if (e.ctrlKey || e.metaKey || e.altKey || (keyList.open && e.key !== "?"))
			return;
		if (e.target.tagName === "BUTTON" && e.key === " ")
			return;
		const keys = player ? player.keys : {};
		if (e.key === "?") help();
		else if (e.key === "n" && data.findings.length) show((current + 1) % data.findings.length);
		else if (e.key === "p" && data.findings.length) show((current + data.findings.length - 1) % data.findings.length);
		else if (Object.hasOwn(keys, e.key)) keys[e.key]();
		else return;
		e.preventDefault();
	});
})();
