'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const page = document.getElementById('page');
const SHOWN = 20; /* nights in a row of cells */

/* An element: make('p.sub', text or children...). */
function make(what, ...children) {
	const [tag, ...names] = what.split('.');
	const e = document.createElement(tag);
	if (names.length)
		e.className = names.join(' ');
	e.append(...children.filter(c => c !== null && c !== undefined));
	return e;
}

const nights = new Map(data.nights.map(n => [n.id, n]));
const last = data.nights[data.nights.length - 1];
const lastParts = new Set(data.last); /* shards that share a database are nights of their own */
const tone = { 'new': 'bad', failed: 'bad', limit: 'unsure', flaky: 'bad', 'still there': 'unsure', gone: 'good', 'not seen': 'unsure',
	slower: 'unsure', 'fewer classes': 'unsure', known: '' };

function day(seconds) {
	return new Date(seconds * 1000).toLocaleDateString(undefined, { year: 'numeric', month: 'short', day: 'numeric' });
}

function count(n, one, many) {
	return `${n.toLocaleString()} ${n === 1 ? one : many}`;
}

function label(word) {
	const e = make('span.word', word);
	if (tone[word])
		e.classList.add(tone[word]);
	return e;
}

function nightName(id) {
	const n = nights.get(id);
	return n ? `night ${id}, ${day(n.started)}${n.revision ? ', ' + n.revision : ''}` : `night ${id}`;
}

function header() {
	const ended = data.nights.every(n => n.ended || !lastParts.has(n.id)), fresh = data.said.some(s => s.fresh);
	const badge = make('span.badge', fresh ? 'new findings' : ended ? 'nothing new' : 'interrupted');
	badge.classList.add(fresh ? 'violation' : ended ? 'clean' : 'unfinished');
	const facts = make('dl.facts');
	const add = (k, v) => facts.append(make('dt', k), make('dd', v));
	add('last night', nightName(last.id) + (last.shard ? `, shard ${data.nights.filter(n => lastParts.has(n.id))
		.map(n => n.shard).join(' ')}` : ''));
	add('tests', count(data.tests.length, 'test', 'tests'));
	add('nights', count(data.nights.length, 'night', 'nights'));
	page.append(make('header', make('h1', data.suite), badge), facts);
}

function tiles() {
	const box = make('div.tiles');
	const words = new Map();
	for (const s of data.said)
		words.set(s.word, (words.get(s.word) || 0) + 1);
	const now = data.tests.filter(t => t.points.length && t.points[t.points.length - 1].status === 'clean').length;
	const tile = (n, text, kind) => {
		const e = make('div.tile', make('b', n.toLocaleString()), make('span', text));
		if (kind)
			e.classList.add(kind);
		box.append(e);
	};
	tile(now, 'tests clean', 'good');
	for (const [word, n] of words)
		tile(n, word, tone[word]);
	page.append(box);
}

function saidList() {
	page.append(make('h3', 'last night'));
	const list = make('ul.list');
	for (const s of data.said) {
		const li = make('li', label(s.word), make('b', s.test), make('p', s.text));
		const f = data.findings[s.finding];
		if (f)
			li.append(make('p.sub', make('code', s.finding), '  ', make('code', f.statements)));
		list.append(li);
	}
	page.append(make('div.panel', data.said.length ? list : make('p.none-there', 'All tests as before.')));
}

/* Is it in the last record of a test? */
function present(id) {
	return data.tests.some(t => t.points.length && t.points[t.points.length - 1].findings.includes(id));
}

function findingList() {
	const all = Object.entries(data.findings).map(([id, f]) => ({ id, ...f, there: present(id) }));
	all.sort((a, b) => b.there - a.there || a.first - b.first || (a.id < b.id ? -1 : 1));
	page.append(make('h3', 'findings, oldest first'));
	const list = make('ul.list');
	for (const f of all) {
		const tests = Object.keys(f.tests);
		const word = !f.there ? 'gone' : f.known ? 'known' : lastParts.has(f.first) ? 'new' : 'still there';
		const li = make('li', label(word), f.message);
		const place = f.file ? `${f.file}${f.line ? ':' + f.line : ''}` : '';
		li.append(make('p.sub', make('code', place), place ? '  ' : '', make('code', f.statements)));
		if (f.repair)
			li.append(make('p.sub', `repair: ${f.repair} must be atomic${f.proven ? ' (proven)' : ''}`));
		li.append(make('p.age', `first in ${nightName(f.first)}; last in ${nightName(f.last)}; ` +
			(tests.length > 3 ? count(tests.length, 'test', 'tests') : tests.join(', ')) + '; ', make('code', f.id)));
		list.append(li);
	}
	page.append(make('div.panel', all.length ? list : make('p.none-there', 'Nothing was ever found.')));
}

/* A test that finds only what is expected looks calm. */
function look(p) {
	return p.status === 'violation' && p.known ? 'known' : p.status;
}

function cells(test) {
	const box = make('span.cells');
	const by = new Map(test.points.map(p => [p.night, p]));
	const newest = nights.get(test.points[test.points.length - 1].night), shard = newest ? newest.shard : last.shard;
	/* Of other shards it is not a part. */
	for (const n of data.nights.filter(n => n.shard === shard || by.has(n.id)).slice(-SHOWN)) {
		const p = by.get(n.id);
		const c = make('i.' + (p ? look(p) : 'none'));
		c.title = nightName(n.id) + ': ' + (p ? `${look(p)}, ${count(p.classes, 'class', 'classes')}` : 'not run');
		box.append(c);
	}
	box.setAttribute('role', 'img');
	box.setAttribute('aria-label', test.points.slice(-SHOWN).map(look).join(', '));
	return box;
}

/* Processor time of the last nights as a line. */
function spark(points) {
	const ns = 'http://www.w3.org/2000/svg';
	const svg = document.createElementNS(ns, 'svg');
	const shown = points.slice(-SHOWN), most = Math.max(...shown.map(p => p.processor), 0.01);
	const at = (p, i) => [shown.length > 1 ? 3 + i / (shown.length - 1) * 114 : 117, 19 - p.processor / most * 16];
	const path = document.createElementNS(ns, 'path'), dot = document.createElementNS(ns, 'circle');
	svg.setAttribute('viewBox', '0 0 120 22');
	svg.setAttribute('class', 'spark');
	path.setAttribute('d', shown.map((p, i) => (i ? 'L' : 'M') + at(p, i).join(' ')).join(''));
	const [x, y] = at(shown[shown.length - 1], shown.length - 1);
	dot.setAttribute('cx', x);
	dot.setAttribute('cy', y);
	dot.setAttribute('r', 2.5);
	svg.append(path, dot);
	svg.setAttribute('role', 'img');
	svg.setAttribute('aria-label', 'processor time, at most ' + most.toFixed(1) + ' s');
	return svg;
}

function more(test) {
	const p = test.points[test.points.length - 1];
	const dl = make('dl');
	const add = (k, v) => dl.append(make('dt', k), make('dd', v));
	add('command', make('code', test.command));
	add('last', `${nightName(p.night)}: ${p.status}, ${count(p.classes, 'class', 'classes')}, ` +
		`${count(p.executions, 'execution', 'executions')}, ${p.complete ? 'complete' : 'not complete'}`);
	if (p.message)
		add('message', p.message);
	for (const l of test.limits)
		add('limit', l);
	for (const id of p.findings)
		add('finding', make('span', make('code', id), ' ', data.findings[id].message));
	add('build', make('code', p.build));
	const td = make('td', dl);
	td.colSpan = 5;
	return make('tr.more', td);
}

function row(test) {
	const p = test.points[test.points.length - 1];
	const name = make('button', test.name);
	const tr = make('tr', make('td.name', name), make('td', cells(test)), make('td.num', p.classes.toLocaleString()),
		make('td.num.wide', p.processor.toFixed(1) + ' s'), make('td.wide', spark(test.points)));
	let open = null;
	name.setAttribute('aria-expanded', 'false');
	name.addEventListener('click', () => {
		if (open)
			open.remove();
		open = open ? null : more(test);
		if (open)
			tr.after(open);
		name.setAttribute('aria-expanded', open ? 'true' : 'false');
	});
	return tr;
}

function testTable() {
	page.append(make('h3', 'tests'));
	const input = make('input');
	input.type = 'search';
	input.placeholder = 'name of a test';
	input.setAttribute('aria-label', 'show tests whose name contains');
	const body = make('tbody');
	const draw = () => {
		const text = input.value.toLowerCase();
		body.replaceChildren(...data.tests.filter(t => t.points.length && t.name.toLowerCase().includes(text)).map(row));
	};
	input.addEventListener('input', draw);
	draw();
	const table = make('table.trend', make('thead', make('tr', make('th', 'test'), make('th', 'nights'), make('th.num', 'classes'),
		make('th.num.wide', 'processor'), make('th.wide', 'its trend'))), body);
	const key = make('p.key');
	for (const s of ['clean', 'known', 'violation', 'unfinished', 'failed', 'none'])
		key.append(make('span', make('span.cells', make('i.' + s)), s === 'none' ? 'not run' : s));
	page.append(make('div.filter', input), make('div.panel', make('div.scroll', table)), key);
}

if (last) {
	header();
	tiles();
	saidList();
	findingList();
	testTable();
} else {
	page.append(make('h1', data.suite), make('p', 'There was no night yet.'));
}
