// SPDX-License-Identifier: GPL-2.0
// Charts over time: bandwidth and latency by originator.  uPlot draws them.
//
// All charts of the page have one time: a part that is chosen in one is shown in all.
"use strict";

// Okabe and Ito: the colour-blind tell them apart.  Dashes are for those who see no colours.
const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#b5a400", "#888888"];
const DASHES = [[], [8, 4], [], [8, 4], [3, 3], [12, 3, 3, 3], [3, 3], []];

const plots = [];
let wholeTime = [0, 1], zooming = false;

// Show this part of the time in all charts
function zoomTime(min, max) {
	if (zooming)
		return;
	zooming = true;
	const width = Math.max(max - min, (wholeTime[1] - wholeTime[0]) / 1000);
	min = Math.max(wholeTime[0], Math.min(min, wholeTime[1] - width));
	max = Math.min(wholeTime[1], min + width);
	for (const plot of plots)
		plot.setScale("x", { min, max });
	const part = min > wholeTime[0] || max < wholeTime[1];
	byId("part").textContent = part ? `${textSeconds(min)} to ${textSeconds(max)}` : "the whole time";
	byId("whole").disabled = !part;
	zooming = false;
}

function timeKey(plot, event) {
	const { min, max } = plot.scales.x;
	const width = max - min, left = plot.cursor.left < 0 ? 0 : plot.cursor.left;
	const step = plot.over.clientWidth / 50;
	switch (event.key) {
	case "ArrowLeft":
	case "ArrowRight": {
		const sign = event.key === "ArrowLeft" ? -1 : 1;
		if (event.shiftKey)
			zoomTime(min + sign * width / 5, max + sign * width / 5);
		else
			plot.setCursor({ left: Math.max(0, Math.min(left + sign * step, plot.over.clientWidth - 1)),
					 top: plot.over.clientHeight / 2 });
		return true;
	}
	case "+":
	case "=": {
		const at = plot.cursor.left < 0 ? min + width / 2 : plot.posToVal(left, "x");
		zoomTime(at - width / 4, at + width / 4);
		return true;
	}
	case "-":
		zoomTime(min - width / 2, max + width / 2);
		return true;
	case "Escape":
	case "0":
		zoomTime(...wholeTime);
		return true;
	}
	return false;
}

// Steps of an axis of bytes are powers of two, and of a logarithmic axis, of ten
const BYTES = Array.from({ length: 60 }, (_, i) => 2 ** i);

function decades(u, axis, min, max) {
	const list = [];
	for (let v = 10 ** Math.ceil(Math.log10(min)); v <= max; v *= 10)
		list.push(v);
	return list;
}

function axes(valuesOfY, how) {
	const look = { stroke: styleOf("--text"), grid: { stroke: styleOf("--line"), width: 1 },
		       ticks: { stroke: styleOf("--line"), width: 1 } };
	return [
		{ ...look, values: (u, values) => values.map(textSeconds) },
		{ ...look, ...how, size: 64, values: (u, values) => values.map((v) => v === null ? "" : valuesOfY(v)) },
	];
}

// A chart with the page's time; @more has its series, its scale of y, and hooks
function timePlot(holder, data, textOfY, more) {
	const hooks = more.hooks || {};
	const plot = new uPlot({
		width: holder.clientWidth || 600, height: more.height || 240,
		scales: { x: { time: false, range: (u, min, max) => min === null ? wholeTime : [min, max] },
			  y: more.y },
		axes: axes(textOfY, more.axis), series: more.series,
		cursor: { sync: { key: "time" }, drag: { x: true, y: false, setScale: false },
			  points: { show: !more.quiet } },
		legend: { show: !more.quiet },
		hooks: {
			...hooks,
			setSelect: [(u) => {
				const { left, width } = u.select;
				if (width > 3)
					zoomTime(u.posToVal(left, "x"), u.posToVal(left + width, "x"));
				u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
			}],
		},
	}, data, holder);
	plots.push(plot);
	plot.over.addEventListener("dblclick", () => zoomTime(...wholeTime));
	holder.onkeydown = (event) => {
		if (event.target === holder && !event.altKey && !event.ctrlKey && timeKey(plot, event))
			event.preventDefault();
	};
	// a legend's row shows and hides its line, by the keyboard, too
	holder.querySelectorAll(".u-legend th").forEach((th) => {
		th.tabIndex = 0;
		th.setAttribute("role", "button");
		th.addEventListener("keydown", (event) => {
			if (event.key === "Enter" || event.key === " ") {
				event.preventDefault();
				th.click();
			}
		});
	});
	return plot;
}

function dropPlot(plot) {
	const at = plots.indexOf(plot);
	if (at >= 0)
		plots.splice(at, 1);
	plot.destroy();
}

function timeAxis(charts) {
	const width = charts.width_ns / 1e9;
	return Array.from({ length: charts.bins + 1 }, (_, i) => i * width);
}

function trackSeries(charts, text) {
	return [
		{ label: "time", value: (u, v) => v === null ? "" : textSeconds(v) },
		...charts.tracks.map((track, i) => {
			const colour = i === charts.tracks.length - 1 && track.name === "others" ?
				COLOURS.length - 1 : i;
			return {
				label: track.name, stroke: COLOURS[colour], dash: DASHES[colour], width: 2,
				paths: uPlot.paths.stepped({ align: 1 }), points: { show: false },
				value: (u, v) => v === null || v === undefined ? "" : text(v),
			};
		}),
	];
}

// The last bin ends with the run: it is what there is of it that its sum is divided by.  Where that
// is so little that one IO would be a peak, the bin has the mean of it and the one before.
function ratesOf(charts, sums) {
	const width = charts.width_ns / 1e9, last = charts.bins - 1;
	const part = Math.min(width, charts.until_ns / 1e9 - last * width);
	return sums.map((sum, i) => {
		if (i < last)
			return sum / width;
		if (part >= width / 10)
			return sum / part;
		return i ? (sums[i - 1] + sum) / (width + Math.max(part, 0)) : sum / width;
	});
}

function bandwidthChart(holder, charts, what) {
	const ios = what === "ios";
	const data = charts.tracks.map((track) => ratesOf(charts, track.ios.map((n, i) =>
		ios ? n : what === "both" ? track.read[i] + track.written[i] : track[what][i])).concat(null));
	const text = ios ? (v) => textCount(v) + "/s" : (v) => textBytes(v) + "/s";
	return timePlot(holder, [timeAxis(charts), ...data], text, {
		series: trackSeries(charts, text), axis: ios ? {} : { incrs: BYTES }, y: { range: (u, min, max) => [0, max ? max * 1.05 : 1] },
	});
}

function latencyChart(holder, charts, what) {
	const data = charts.tracks.map((track) => track.timed.map((n, i) =>
		!n ? null : Math.max(1, what === "mean" ? track.total_ns[i] / n : track.max_ns[i])).concat(null));
	return timePlot(holder, [timeAxis(charts), ...data], textTime, {
		series: trackSeries(charts, textTime), axis: { splits: decades },
		y: { distr: 3, range: (u, min, max) => min === null ? [1000, 1e9] :
		     uPlot.rangeLog(min, max, 10, true) },
	});
}
