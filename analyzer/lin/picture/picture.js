"use strict";
(() => {
	const $ = (id) => document.getElementById(id);
	const view = $("view"), plane = $("plane"), tip = $("tip"), axis = $("axis"), keyList = $("keys");
	const ops = [...plane.querySelectorAll(".op")];
	const points = [...plane.querySelectorAll(".point")];
	const gaps = [...plane.querySelectorAll(".gap")];
	const stop = plane.querySelector(".stop");
	const witness = ops.filter((o) => o.dataset.w).sort((a, b) => a.dataset.w - b.dataset.w);
	const width = +plane.dataset.width;
	let zoom = 1, byTime = false, current = -1, first = 0n, scale = 1;

	const get = (e, name) => +e.style.getPropertyValue(name);
	const set = (e, name, v) => e.style.setProperty(name, v);

	/* The positions by order of events come with the page; those by the clock are computed once. */
	for (const o of ops)
		o.byOrder = [get(o, "--x"), get(o, "--e")];
	for (const p of points)
		p.byOrder = [get(p, "--x")];
	const byClock = () => {
		/* Times are 64-bit numbers: subtract before they lose digits. */
		const calls = ops.map((o) => BigInt(o.dataset.c));
		const rets = ops.map((o) => o.dataset.r === "" ? null : BigInt(o.dataset.r));
		let last = calls[0];
		first = calls[0];
		for (const t of [...calls, ...rets.filter((r) => r !== null)]) {
			if (t < first) first = t;
			if (t > last) last = t;
		}
		scale = (width - 60) / Math.max(1, Number(last - first));
		const x = (t) => 14 + Number(t - first) * scale;
		ops.forEach((o, i) => o.byTime = [x(calls[i]), rets[i] === null ? width : x(rets[i])]);
		let at = 0;
		const named = new Map(ops.map((o) => [o.dataset.i, o]));
		[...points].sort((a, b) => a.dataset.n - b.dataset.n).forEach((p) => {
			at = Math.max(at, named.get(p.dataset.i).byTime[0]);
			p.byTime = [at];
		});
	};
	const place = () => {
		if (byTime && ops.length && !ops[0].byTime)
			byClock();
		for (const o of ops) {
			const [x, e] = byTime ? o.byTime : o.byOrder;
			set(o, "--x", x);
			set(o, "--e", e);
		}
		for (const p of points)
			set(p, "--x", (byTime ? p.byTime : p.byOrder)[0]);
		const last = plane.querySelector(".last");
		if (stop && last)
			set(stop, "--x", get(last, "--e"));
		plane.classList.toggle("by-time", byTime);
		ticks = null;
		zoomed();
		$("scale").setAttribute("aria-pressed", byTime);
	};

	/* Half a label misleads: it is shown whole or, if it is long, most of it; otherwise not at all. */
	for (const o of ops) {
		const number = o.querySelector(".number");
		o.natural = o.querySelector(".label").scrollWidth;
		o.number = number ? number.offsetWidth : 0;
	}
	const narrow = () => {
		for (const o of ops) {
			const room = (get(o, "--e") - get(o, "--x")) * zoom - 12;
			o.classList.toggle("narrow", room - (o.number && o.number + 5) < Math.min(o.natural, 140));
			o.classList.toggle("bare", room + 8 < o.number);
		}
		let end = -Infinity;
		for (const g of gaps) {
			const middle = get(g, "--x") * zoom, half = g.textContent.length * 4 + 4;
			g.classList.toggle("crowded", middle - half < end);
			if (middle - half >= end)
				end = middle + half;
		}
	};

	/* The axis: by order it names the times of events where there is room, to scale it has even steps. */
	const base = BigInt(axis.dataset.base);
	let ticks = null;
	const eventTicks = () => {
		const all = [];
		for (const o of ops) {
			all.push([get(o, "--x"), BigInt(o.dataset.c)]);
			if (o.dataset.r !== "")
				all.push([get(o, "--e"), BigInt(o.dataset.r)]);
		}
		all.sort((a, b) => a[0] - b[0] || (a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : 0));
		return all.filter((t, i) => !i || t[1] !== all[i - 1][1]).map(([x, t]) => [x, String(t - base)]);
	};
	const evenTicks = (from, to) => {
		const time = (x) => (x - 14) / scale, list = [];
		const least = 90 / zoom / scale, ten = 10 ** Math.floor(Math.log10(least));
		const step = Math.max(1, [1, 2, 5, 10].map((k) => k * ten).find((k) => k >= least));
		const offset = Number(first - base);
		for (let t = Math.ceil((time(from) + offset) / step) * step; t <= time(to) + offset; t += step)
			list.push([14 + (t - offset) * scale, String(Math.round(t))]);
		return list;
	};
	const drawAxis = () => {
		const from = (view.scrollLeft - view.clientWidth) / zoom, to = (view.scrollLeft + 2 * view.clientWidth) / zoom;
		const end = Math.max(width * zoom, view.clientWidth), list = [];
		let free = -Infinity;
		if (!byTime && !ticks)
			ticks = eventTicks();
		for (const [x, text] of byTime ? evenTicks(Math.max(0, from), Math.min(to, width)) : ticks) {
			const right = x * zoom + text.length * 7 + 5;
			if (x * zoom < free || right > end)
				continue;
			free = right + 10;
			if (x < from || x > to)
				continue;
			const e = document.createElement("span");
			e.textContent = text;
			set(e, "--x", x);
			list.push(e);
		}
		axis.replaceChildren(...list);
	};
	const turn = () => {
		/* The caption stands on the side where there is room. */
		const x = stop ? get(stop, "--x") * zoom - view.scrollLeft : 0;
		if (stop)
			stop.classList.toggle("left", x + 180 > view.clientWidth);
	};
	const zoomed = () => { narrow(); drawAxis(); turn(); };
	const setZoom = (z, at = view.clientWidth / 2) => {
		const fill = view.clientWidth / width, least = Math.min(1, fill);
		const before = (view.scrollLeft + at) / zoom;
		zoom = Math.min(Math.max(z, least), Math.max(2000, fill));
		set(plane, "--z", zoom);
		view.scrollLeft = before * zoom - at;
		zoomed();
	};
	const show = (from, to, most) => {
		setZoom(Math.min(most, view.clientWidth / (to - from)));
		view.scrollLeft = (from + to) / 2 * zoom - view.clientWidth / 2;
	};
	/* A history that has room is as wide as the page. */
	const fits = () => view.clientWidth >= width;
	const showAll = () => show(0, width, Infinity);
	const showWitness = () => witness.length && (byTime || !fits()) ?
		show(Math.min(...witness.map((o) => get(o, "--x"))) - 20,
		     Math.max(...witness.map((o) => o.classList.contains("pending") ? get(o, "--x") + 120 : get(o, "--e"))) + 20,
		     byTime ? 1000 : 1) :
		fits() || byTime ? showAll() : setZoom(1);

	const line = (tag, text) => {
		const e = document.createElement(tag);
		e.textContent = text;
		tip.append(e);
	};
	const showTip = (o, x, y) => {
		const d = o.dataset;
		tip.replaceChildren();
		line("b", o.title0);
		line("i", o.thread + (d.l === "0" ? "" : ", line " + d.l));
		line("i", d.r === "" ? "called at " + d.c + ", never returned" :
			"from " + d.c + " to " + d.r + " (" + (BigInt(d.r) - BigInt(d.c)) + ")");
		if (d.n)
			line("i", "number " + d.n + (stop ? " in the longest order of the witness" : " in the order found"));
		if (d.s) {
			line("i", "then the object holds");
			line("code", d.s);
		}
		if (stop && d.w && !d.n)
			line("em", "has no place in the longest order of the witness");
		tip.hidden = false;
		const box = tip.getBoundingClientRect();
		tip.style.left = Math.max(8, Math.min(x + 14, innerWidth - box.width - 8)) + "px";
		tip.style.top = (y + box.height + 26 > innerHeight ? Math.max(8, y - box.height - 12) : y + 18) + "px";
	};
	const rows = [...plane.querySelectorAll(".row")];
	const names = [...document.querySelectorAll("#names div")].map((e) => e.textContent);
	const hideTip = () => { tip.hidden = true; };
	for (const o of ops) {
		o.title0 = o.title;
		o.thread = names[rows.indexOf(o.parentNode)];
		o.removeAttribute("title");
		o.addEventListener("mousemove", (e) => showTip(o, e.clientX, e.clientY));
		o.addEventListener("mouseleave", hideTip);
		o.addEventListener("focus", () => {
			const box = o.getBoundingClientRect();
			showTip(o, Math.max(box.left, 0), box.bottom - 14);
		});
		o.addEventListener("blur", hideTip);
	}

	const goTo = (o) => {
		const middle = (get(o, "--x") + get(o, "--e")) / 2 * zoom;
		view.scrollLeft = middle - view.clientWidth / 2;
		o.focus({ preventScroll: true });
		o.scrollIntoView({ block: "nearest", inline: "nearest" });
	};
	for (const row of document.querySelectorAll("tr[data-w]")) {
		const o = witness[row.dataset.w - 1];
		if (!o)
			continue;
		row.addEventListener("mouseenter", () => o.classList.add("hot"));
		row.addEventListener("mouseleave", () => o.classList.remove("hot"));
		row.addEventListener("click", () => goTo(o));
	}

	/* A plain wheel zooms where there is nothing to scroll; otherwise Ctrl has to be held. */
	const short = () => document.documentElement.scrollHeight <= innerHeight;
	view.addEventListener("wheel", (e) => {
		if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY) || !(e.ctrlKey || e.metaKey || short()))
			return;
		e.preventDefault();
		setZoom(zoom * Math.exp(-e.deltaY * .0022), e.clientX - view.getBoundingClientRect().left);
	}, { passive: false });
	let waiting = false;
	view.addEventListener("scroll", () => {
		if (!waiting)
			requestAnimationFrame(() => { waiting = false; drawAxis(); turn(); });
		waiting = true;
	});
	let from = null;
	view.addEventListener("pointerdown", (e) => { if (e.button === 0) from = [e.clientX, view.scrollLeft]; });
	addEventListener("pointermove", (e) => {
		if (!from || (!view.classList.contains("dragging") && Math.abs(e.clientX - from[0]) < 4))
			return;
		view.classList.add("dragging");
		view.scrollLeft = from[1] - (e.clientX - from[0]);
	});
	addEventListener("pointerup", () => { from = null; view.classList.remove("dragging"); });

	const actions = {
		"in": () => setZoom(zoom * 1.4), "out": () => setZoom(zoom / 1.4), "all": showAll, "core": showWitness,
		"scale": () => { byTime = !byTime; place(); showWitness(); },
		"dim": () => $("dim").setAttribute("aria-pressed", plane.classList.toggle("dimmed")),
		"help": () => keyList.open ? keyList.close() : keyList.showModal(),
		"next": () => { if (witness.length) goTo(witness[current = (current + 1) % witness.length]); },
		"back": () => { if (witness.length) goTo(witness[current = (current + witness.length * 2 - 1) % witness.length]); },
	};
	const keys = { "+": "in", "=": "in", "-": "out", "0": "all", "w": "core", "t": "scale", "d": "dim", "n": "next",
		       "p": "back", "?": "help" };
	for (const id in actions)
		if ($(id))
			$(id).addEventListener("click", actions[id]);
	addEventListener("keydown", (e) => {
		if (e.ctrlKey || e.metaKey || e.altKey || (keyList.open && e.key !== "?"))
			return;
		if (e.key === "ArrowLeft" || e.key === "ArrowRight")
			view.scrollLeft += (e.key === "ArrowLeft" ? -1 : 1) * view.clientWidth / 6;
		else if (e.key === "Escape")
			hideTip();
		else if (actions[keys[e.key]])
			actions[keys[e.key]]();
		else
			return;
		e.preventDefault();
	});
	/* The witness, or where it ends if there is no room for the labels of all of it. */
	const begin = () => {
		showWitness();
		if (zoom < 1)
			setZoom(1);
		if (zoom === 1 && stop)
			view.scrollLeft = get(stop, "--x") - view.clientWidth * .75;
	};
	let touched = false;
	for (const kind of ["wheel", "pointerdown", "keydown", "click"])
		addEventListener(kind, () => { touched = true; }, { capture: true, passive: true });
	addEventListener("resize", () => touched ? setZoom(zoom) : begin());
	document.querySelector("nav").hidden = false;
	begin();
})();
