"use strict";
(() => {
	const $ = (id) => document.getElementById(id);
	const view = $("view"), plane = $("plane"), tip = $("tip");
	const ops = [...plane.querySelectorAll(".op")];
	const points = [...plane.querySelectorAll(".point")];
	const stop = plane.querySelector(".stop");
	const witness = ops.filter((o) => o.dataset.w).sort((a, b) => a.dataset.w - b.dataset.w);
	const width = +plane.dataset.width;
	let zoom = 1, byTime = false, current = -1;

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
		let first = calls[0], last = calls[0];
		for (const t of [...calls, ...rets.filter((r) => r !== null)]) {
			if (t < first) first = t;
			if (t > last) last = t;
		}
		const scale = (width - 60) / Math.max(1, Number(last - first));
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
		turn();
		$("scale").setAttribute("aria-pressed", byTime);
	};
	const turn = () => {
		/* The label stands on the side where there is room. */
		const x = stop ? get(stop, "--x") * zoom - view.scrollLeft : 0;
		if (stop)
			stop.classList.toggle("left", x > 260 && x + 260 > view.clientWidth);
	};
	const setZoom = (z, at = view.clientWidth / 2) => {
		const least = Math.min(1, view.clientWidth / width) / 2;
		const before = (view.scrollLeft + at) / zoom;
		zoom = Math.min(Math.max(z, least), 2000);
		set(plane, "--z", zoom);
		view.scrollLeft = before * zoom - at;
		turn();
	};
	const show = (from, to) => {
		setZoom(Math.min(byTime ? 1000 : 1, (view.clientWidth - 40) / (to - from)));
		view.scrollLeft = (from + to) / 2 * zoom - view.clientWidth / 2;
	};
	const showAll = () => show(0, width);
	const showWitness = () => witness.length ?
		show(Math.min(...witness.map((o) => get(o, "--x"))) - 20,
		     Math.max(...witness.map((o) => o.classList.contains("pending") ? get(o, "--x") + 120 : get(o, "--e"))) + 20) :
		view.clientWidth < width ? setZoom(1) : showAll();

	const line = (tag, text) => {
		const e = document.createElement(tag);
		e.textContent = text;
		tip.append(e);
	};
	const showTip = (o, x, y) => {
		const d = o.dataset;
		tip.replaceChildren();
		line("b", o.title0);
		line("i", "thread " + d.t + (d.l === "0" ? "" : ", line " + d.l));
		line("i", d.r === "" ? "called at " + d.c + ", never returned" :
			"from " + d.c + " to " + d.r + " (" + (BigInt(d.r) - BigInt(d.c)) + ")");
		if (d.n)
			line("i", "number " + d.n + " in the order found");
		if (d.w)
			line("em", $("why") ? $("why").textContent : "part of the witness");
		tip.hidden = false;
		const box = tip.getBoundingClientRect();
		tip.style.left = Math.max(8, Math.min(x + 14, innerWidth - box.width - 8)) + "px";
		tip.style.top = (y + box.height + 26 > innerHeight ? Math.max(8, y - box.height - 12) : y + 18) + "px";
	};
	const hideTip = () => { tip.hidden = true; };
	for (const o of ops) {
		o.title0 = o.title;
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
	const fits = () => document.documentElement.scrollHeight <= innerHeight;
	view.addEventListener("wheel", (e) => {
		if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY) || !(e.ctrlKey || e.metaKey || fits()))
			return;
		e.preventDefault();
		setZoom(zoom * Math.exp(-e.deltaY * .0022), e.clientX - view.getBoundingClientRect().left);
	}, { passive: false });
	view.addEventListener("scroll", turn);
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
		"next": () => { if (witness.length) goTo(witness[current = (current + 1) % witness.length]); },
		"back": () => { if (witness.length) goTo(witness[current = (current + witness.length * 2 - 1) % witness.length]); },
	};
	const keys = { "+": "in", "=": "in", "-": "out", "0": "all", "w": "core", "t": "scale", "d": "dim", "n": "next",
		       "p": "back" };
	for (const id in actions)
		if ($(id))
			$(id).addEventListener("click", actions[id]);
	addEventListener("keydown", (e) => {
		if (e.ctrlKey || e.metaKey || e.altKey)
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
	addEventListener("resize", () => setZoom(zoom));
	$("hint").textContent = (fits() ? "Wheel" : "Ctrl + wheel") + " or + and − zoom, dragging or ← → move";
	document.querySelector("nav").hidden = false;
	/* The witness, or where it ends if all of it would be too small to read. */
	showWitness();
	if (zoom < .6)
		setZoom(1);
	if (zoom === 1 && stop)
		view.scrollLeft = get(stop, "--x") - view.clientWidth * .75;
})();
