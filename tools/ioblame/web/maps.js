// SPDX-License-Identifier: GPL-2.0
// Heat maps: latency by time, and place on the disk by time
"use strict";

// Cividis: from dark blue to yellow for all eyes, and its lightness alone says as much
const RAMP = [[0, 32, 76], [61, 78, 107], [124, 123, 120], [188, 174, 108], [255, 234, 70]];

// On a dark page the darkest would not be seen
const DARKEST = [52, 84, 150];

function heat(part) {
	const ramp = matchMedia("(prefers-color-scheme: dark)").matches ? [DARKEST, ...RAMP.slice(1)] : RAMP;
	const at = Math.max(0, Math.min(1, part)) * (ramp.length - 1);
	const i = Math.min(Math.floor(at), ramp.length - 2);
	const mix = ramp[i].map((v, k) => Math.round(v + (ramp[i + 1][k] - v) * (at - i)));
	return `rgb(${mix.join(",")})`;
}

// Few among many are still seen: the scale is logarithmic
function heatOf(value, least, most) {
	return heat(most > least ? (Math.log(value) - Math.log(least)) / (Math.log(most) - Math.log(least)) : 1);
}

// Where the pointer or the keyboard is, in words
function tellCell(holder, u, cells, text) {
	const out = holder.nextElementSibling;
	const { left, top } = u.cursor;
	if (left < 0) {
		out.textContent = out.dataset.hint;
		return;
	}
	const x = u.posToVal(left, "x"), y = u.posToVal(top, "y");
	const cell = cells.find((c) => x >= c.x && x < c.x + c.width && y >= c.y && y < c.top);
	out.textContent = cell ? text(cell) : out.dataset.hint;
}

// @cells: x, width, y, top, value.  They are drawn below the lines of the chart.
function heatPlot(holder, charts, cells, more) {
	const values = cells.map((cell) => cell.value);
	const least = values.reduce((a, b) => Math.min(a, b), Infinity);
	const most = values.reduce((a, b) => Math.max(a, b), 0);
	return timePlot(holder, more.data, more.textOfY, {
		series: more.series, y: more.y, axis: more.axis, quiet: more.quiet, height: 280,
		hooks: {
			drawAxes: [(u) => {
				const { left, top, width, height } = u.bbox;
				u.ctx.save();
				u.ctx.beginPath();
				u.ctx.rect(left, top, width, height);
				u.ctx.clip();
				for (const cell of cells) {
					const x0 = u.valToPos(cell.x, "x", true);
					const x1 = u.valToPos(cell.x + cell.width, "x", true);
					const y0 = u.valToPos(cell.top, "y", true);
					const y1 = u.valToPos(Math.max(cell.y, more.lowest || 0), "y", true);
					u.ctx.fillStyle = heatOf(cell.value, least, most);
					u.ctx.fillRect(x0, y0, Math.max(1, x1 - x0 - 0.3), Math.max(1, y1 - y0 - 0.3));
				}
				u.ctx.restore();
			}],
			setCursor: [(u) => tellCell(holder, u, cells, more.text)],
		},
	});
}

// The value that @part of a bin's IOs do not exceed, as the command reckons it
function percentile(counts, slots, part) {
	const all = counts.reduce((sum, [, n]) => sum + n, 0);
	let seen = 0;
	for (const [slot, n] of counts) {
		seen += n;
		if (seen > Math.min(Math.floor(part * all), all - 1))
			return (slots[slot] + slots[slot + 1]) / 2;
	}
	return null;
}

function latencyMap(holder, charts) {
	const width = charts.width_ns / 1e9, slots = charts.slots;
	const cells = [], bins = Array.from({ length: charts.bins }, () => []);
	for (let i = 0; i < charts.latency.length; i += 3) {
		const [bin, slot, n] = charts.latency.slice(i, i + 3);
		cells.push({ x: bin * width, width, y: Math.max(1, slots[slot]), top: Math.max(2, slots[slot + 1]),
			     value: n });
		bins[bin].push([slot, n]);
	}
	const low = cells.reduce((a, c) => Math.min(a, c.y), Infinity);
	const high = cells.reduce((a, c) => Math.max(a, c.top), 1);
	const line = (label, stroke, dash) => ({
		label, stroke, dash, width: 2, paths: uPlot.paths.stepped({ align: 1 }), points: { show: false },
		value: (u, v) => v === null || v === undefined ? "" : textTime(v),
	});
	return heatPlot(holder, charts, cells, {
		data: [timeAxis(charts), ...[0.5, 0.99].map((part) =>
			bins.map((counts) => percentile(counts, slots, part)).concat(null))],
		series: [{ label: "time", value: (u, v) => v === null ? "" : textSeconds(v) },
			 line("P50", "#d55e00", []), line("P99", "#cc79a7", [6, 3])],
		y: { distr: 3, range: () => cells.length ? [low / 1.1, high * 1.1] : [1000, 1e9] },
		axis: { splits: decades }, textOfY: textTime, lowest: 1,
		text: (c) => `${textSeconds(c.x)}: ${c.value} IOs took ${textTime(c.y)} to ${textTime(c.top)}`,
	});
}

function placeMap(holder, charts, disk, what) {
	const width = charts.width_ns * charts.cell_bins / 1e9, step = disk.step * 512;
	const cells = [];
	for (let i = 0; i < disk.cells.length; i += 6) {
		const [time, place, ios, bytes, us, timed] = disk.cells.slice(i, i + 6);
		const mean = timed ? us * 1000 / timed : null;
		const value = what === "ios" ? ios || null : what === "bytes" ? bytes : mean;
		if (value === null)
			continue;
		cells.push({ x: time * width, width, y: place * step, top: (place + 1) * step,
			     value: Math.max(1, value), ios, bytes, mean });
	}
	const high = cells.reduce((a, c) => Math.max(a, c.top), step);
	return heatPlot(holder, charts, cells, {
		data: [timeAxis(charts), timeAxis(charts).map(() => null)],
		series: [{}, { points: { show: false } }], quiet: true,
		y: { range: () => [0, high] }, axis: { incrs: BYTES }, textOfY: textBytes,
		text: (c) => `${textSeconds(c.x)}, ${textBytes(c.y)} to ${textBytes(c.top)}: ${c.ios} IOs, ` +
			`${textBytes(c.bytes)}, ` + (c.mean === null ? "times not known" : `${textTime(c.mean)} on average`),
	});
}
