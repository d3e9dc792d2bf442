// SPDX-License-Identifier: GPL-2.0
// The page: puts what the command wrote into its places
"use strict";

const lines = byId("lines").textContent.trim().split("\n").map((line) => JSON.parse(line));
const charts = JSON.parse(byId("charts").textContent);

// Draw a chart again when a choice changes; each has its last drawing
function choosable(holder, draw, ...selects) {
	let plot = null;
	const again = () => {
		const x = plot && { ...plot.scales.x };
		if (plot)
			dropPlot(plot);
		plot = draw();
		if (x && x.min !== null)
			plot.setScale("x", { min: x.min, max: x.max });
	};
	for (const select of selects)
		select.addEventListener("change", again);
	redraws.push(again);
	again();
}

const redraws = [];

function showCharts() {
	wholeTime = [0, Math.max(charts.bins, 1) * charts.width_ns / 1e9];
	byId("bin").textContent = textSeconds(charts.width_ns / 1e9);
	const [bandwidth, latency, heatmap, place] =
		["bandwidth", "latency", "heat", "place"].map((id) => byId(id));
	const [ofBandwidth, ofLatency, ofPlace, disk] =
		["of-bandwidth", "of-latency", "of-place", "disk"].map((id) => byId(id));
	choosable(bandwidth, () => bandwidthChart(bandwidth, charts, ofBandwidth.value), ofBandwidth);
	choosable(latency, () => latencyChart(latency, charts, ofLatency.value), ofLatency);
	choosable(heatmap, () => latencyMap(heatmap, charts));
	charts.disks.forEach(({ disk: name, ios }, i) =>
		disk.append(make("option", { value: i }, `${name} (${textCount(ios)} IOs)`)));
	if (charts.disks.length)
		choosable(place, () => placeMap(place, charts, charts.disks[disk.value], ofPlace.value), ofPlace, disk);
	if (charts.more_disks)
		disk.parentElement.append(` and ${charts.more_disks} more disks`);
	byId("whole").addEventListener("click", () => zoomTime(...wholeTime));
	zoomTime(...wholeTime);
}

// As flame.c colours: warm, by the name only
function flameColour(name) {
	let h = 2166136261;
	for (const byte of new TextEncoder().encode(name))
		h = Math.imul(h ^ byte, 16777619) >>> 0;
	return `rgb(${205 + h % 50},${(h >>> 8) % 200},${(h >>> 16) % 55})`;
}

function svgElement(tag, attributes, text) {
	const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
	for (const [name, value] of Object.entries(attributes))
		element.setAttribute(name, value);
	if (text !== undefined)
		element.textContent = text;
	return element;
}

function flameBoxes(svg, boxes, unit) {
	const all = boxes[2], at = [];

	for (let i = 0; i < boxes.length; i += 3) {
		const [level, name, weight] = boxes.slice(i, i + 3);
		// children stand beside each other from where their parent begins
		const x = level ? at[level - 1] : 0;
		at[level] = x;
		if (level)
			at[level - 1] += weight;
		const g = svgElement("g", { "data-at": `${level} ${x} ${weight}` });
		g.append(svgElement("title", {}, `${name} (${weight} ${unit}, ${(100 * weight / all).toFixed(2)} %)`),
			 svgElement("rect", { height: 16, rx: 2, fill: flameColour(name) }),
			 svgElement("text", {}));
		svg.append(g);
	}
}

function showFlame() {
	const units = { bytes: "bytes", ios: "IOs", time: "us" };
	const holder = byId("flame-graph"), choice = byId("of-flame"), words = byId("search");
	let flame = null;

	// a new element each time: the old one's keys go with it
	const draw = () => {
		const boxes = charts.flames[choice.value];
		const svg = svgElement("svg", { tabindex: 0, role: "img", "aria-label": holder.dataset.label });
		holder.replaceChildren(svg);
		flame = null;
		if (!boxes.length || !boxes[2])
			return;
		flameBoxes(svg, boxes, units[choice.value]);
		svg.setAttribute("viewBox", `0 0 ${holder.clientWidth} 100`);
		flame = flameGraph(svg);
		svg.setAttribute("viewBox", `0 0 ${holder.clientWidth} ${flame.height}`);
		svg.setAttribute("width", holder.clientWidth);
		svg.setAttribute("height", flame.height);
		flame.search(words.value);
	};
	choice.addEventListener("change", draw);
	words.addEventListener("input", () => flame && flame.search(words.value));
	redraws.push(draw);
	draw();
}

function showAbout() {
	const head = lines.find((line) => line.type === "header"), end = lines.find((line) => line.type === "end");
	const begin = new Date(Number(head.time_ns) / 1e6);
	const list = [
		["Begun", begin.toLocaleString()], ["Lasted", `${charts.seconds.toFixed(3)} s`],
		["Kernel", head.kernel], ["ioblame", head.version],
		["Recording", charts.recording && charts.recording[0]],
		["Command", charts.ran && charts.ran.join(" ")],
		["Only", ["device", "pid", "comm", "cgroup", "file", "rw"].filter((key) => charts[key])
			.map((key) => `${key} ${charts[key].join(", ")}`).join("; ")],
		["IOs shown", `${end.shown_ios} (${end.shown_records} records)`],
		["Complete", end.complete ? "yes" : end.damaged ? "no, the recording is damaged" : "no, it ends early"],
	];
	byId("about").append(...list.filter(([, value]) => value)
		.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
	document.title = `ioblame report, ${begin.toLocaleString()}`;
}

let width = innerWidth;

function redrawAll() {
	redraws.forEach((again) => again());
}

showAbout();
showTables(byId("panels"), byId("tabs"), lines, charts.by);
showCharts();
showFlame();
addEventListener("resize", () => {
	if (innerWidth !== width)
		redrawAll();
	width = innerWidth;
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);
document.documentElement.dataset.ready = "yes";
