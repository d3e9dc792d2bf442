// SPDX-License-Identifier: GPL-2.0
// Tables that sort, of the lines of `report --json`
"use strict";

// key of the line, head, how it is shown; "rare": only where it is not 0 everywhere
const COLUMNS = [
	["who", "PID", "text"], ["comm", "COMM", "text"], ["unit", "UNIT", "text"],
	["device", "DEVICE", "text"], ["cgroup", "CGROUP", "text"], ["op", "OP", "text"], ["stack", "STACK", "stack"],
	["reads", "READS", "count"], ["read_bytes", "READ", "bytes"],
	["writes", "WRITES", "count"], ["write_bytes", "WRITTEN", "bytes"],
	["discards", "DISCARDS", "count", "rare"], ["discard_bytes", "DISCARDED", "bytes", "rare"],
	["flushes", "FLUSHES", "count", "rare"], ["errors", "ERRORS", "count", "rare"],
	["p50_ns", "P50", "time"], ["p99_ns", "P99", "time"], ["mean_ns", "MEAN", "time"],
	["why", "WHY", "text"], ["via", "VIA", "text"], ["file", "FILE", "text"],
];

const NAMES = {
	process: ["who", "comm", "why", "via", "file"], file: ["file", "who", "comm", "why"], device: ["device"],
	cgroup: ["cgroup"], stack: ["stack", "comm", "why", "file"], op: ["op"], why: ["why"],
};

function columnsOf(by, rows) {
	const names = NAMES[by];
	const first = names.filter((key) => key !== "why" && key !== "via" && key !== "file" || key === names[0]);
	const chosen = COLUMNS.filter(([key, , kind, rare]) =>
		kind === "text" || kind === "stack" ? names.includes(key) && !first.includes(key) :
		!rare || rows.some((row) => row[key]));
	return first.map((key) => COLUMNS.find((c) => c[0] === key)).concat(chosen);
}

function shown(row, key, kind) {
	const value = key === "via" ? `${row.via_pid} ${row.via_comm}` : row[key];
	if (value === null || value === undefined)
		return "-";
	if (kind === "bytes")
		return textBytes(value);
	if (kind === "time")
		return textTime(value);
	if (key === "file" && row.files > 1)
		return `${value} (+${row.files - 1})`;
	return String(value);
}

function stackCell(row) {
	const frames = row.stack || [];
	if (!frames.length)
		return make("td", {}, "no stack");
	return make("td", {}, make("details", {}, make("summary", {}, frames[0].split("+")[0]),
				   make("pre", {}, frames.join("\n"))));
}

function cell(row, [key, , kind]) {
	if (kind === "stack")
		return stackCell(row);
	const td = make("td", { class: kind === "text" ? "name" : "number" }, shown(row, key, kind));
	if (kind !== "text" && row[key] !== null && row[key] !== undefined) {
		td.dataset.key = key;
		td.dataset.value = row[key];
		td.title = `${row[key]}${kind === "time" ? " ns" : kind === "bytes" ? " bytes" : ""}`;
	}
	return td;
}

function compare(a, b, key) {
	const [x, y] = [a[key], b[key]];
	if (typeof x === "number" || typeof y === "number")
		return (y === null ? -1 : y) - (x === null ? -1 : x);
	return String(x).localeCompare(String(y), undefined, { numeric: true });
}

function fillTable(table, by, rows, columns, order) {
	const body = table.tBodies[0];
	const sorted = order.key ? rows.slice().sort((a, b) => order.sign * compare(a, b, order.key)) : rows;
	body.replaceChildren(...sorted.map((row) => make("tr", {}, ...columns.map((column) => cell(row, column)))));
	table.querySelectorAll("th").forEach((th, i) => {
		const on = order.key && columns[i][0] === order.key;
		th.setAttribute("aria-sort", !on ? "none" :
			(typeof (rows[0] || {})[order.key] === "number") === (order.sign > 0) ?
			"descending" : "ascending");
	});
}

function makeTable(by, rows) {
	const columns = columnsOf(by, rows), order = { key: null, sign: 1 };
	const table = make("table", { id: `table-${by}` }, make("caption", {}, `By ${by}`),
			   make("thead", {}, make("tr", {})), make("tbody", {}));
	for (const [key, head, kind] of columns) {
		const button = make("button", { type: "button" }, head);
		button.addEventListener("click", () => {
			order.sign = order.key === key ? -order.sign : 1;
			order.key = key;
			fillTable(table, by, rows, columns, order);
		});
		table.tHead.rows[0].append(make("th", { scope: "col", class: kind === "text" ? "name" : "number" },
						button));
	}
	fillTable(table, by, rows, columns, order);
	return table;
}

// A table for each pivot, one of them in sight
function showTables(holder, tabs, lines, first) {
	const all = lines.filter((line) => line.type === "rows");
	const buttons = all.map(({ of: by, rows: there }) => {
		const rows = lines.filter((line) => line.type === by);
		const panel = make("div", { role: "tabpanel", id: `panel-${by}`, "aria-labelledby": `tab-${by}`,
					    tabindex: "0" },
				   makeTable(by, rows));
		if (there > rows.length)
			panel.append(make("p", { class: "hint" }, `${there - rows.length} more rows are in ` +
					  `ioblame report --json${by in NAMES ? ` --by ${by}` : ""}`));
		const button = make("button", { type: "button", role: "tab", id: `tab-${by}`,
						"aria-controls": `panel-${by}` }, by);
		holder.append(panel);
		tabs.append(button);
		return button;
	});
	const choose = (i, focus) => {
		buttons.forEach((button, k) => {
			button.setAttribute("aria-selected", k === i);
			button.tabIndex = k === i ? 0 : -1;
			holder.children[k].hidden = k !== i;
		});
		if (focus)
			buttons[i].focus();
	};
	buttons.forEach((button, i) => {
		button.addEventListener("click", () => choose(i));
		button.addEventListener("keydown", (event) => {
			const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
			if (step)
				choose((i + step + buttons.length) % buttons.length, true);
		});
	});
	choose(Math.max(0, all.findIndex((line) => line.of === first)));
}
