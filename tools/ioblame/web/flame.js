// SPDX-License-Identifier: GPL-2.0
// A flame graph that zooms and searches, alone in an SVG or in a page.
//
// Each box is a <g data-at="LEVEL X WEIGHT"> with its title, rectangle and text, X and
// WEIGHT in the unit of the graph.  So the picture is whole without a script, and this
// only draws it again for another width or another part.
"use strict";

function flameGraph(svg) {
	const MARGIN = 10, HEAD = 8, FOOT = 26, ROW = 17, CHAR = 7;
	const alone = svg === document.documentElement;
	const boxes = Array.from(svg.querySelectorAll("g[data-at]"), (g) => {
		const [level, x, weight] = g.getAttribute("data-at").split(" ").map(Number);
		const title = g.querySelector("title").textContent;
		const rect = g.querySelector("rect");
		return {
			g, level, x, weight, rect, title, text: g.querySelector("text"),
			name: title.slice(0, title.lastIndexOf(" (")), fill: rect.getAttribute("fill"),
		};
	});
	if (!boxes.length)
		return null;
	const root = boxes[0];
	const deepest = boxes.reduce((most, box) => Math.max(most, box.level), 0);
	// a picture alone has room for its title, and for boxes that were too narrow to draw
	const height = alone ? svg.viewBox.baseVal.height : HEAD + FOOT + (deepest + 1) * ROW;
	let zoom = root, focus = root, found = [], words = "", typing = false;

	const within = (box, other) =>
		box.x >= other.x && box.x + box.weight <= other.x + other.weight;

	function label(x, text, role) {
		const at = document.createElementNS("http://www.w3.org/2000/svg", "text");
		at.setAttribute("y", height - 8);
		at.setAttribute("x", x);
		at.setAttribute("class", role);
		at.textContent = text;
		svg.appendChild(at);
		return at;
	}
	const status = label(MARGIN, "", "flame-status");

	function say(text) {
		status.textContent = text;
	}

	function cut(name, width) {
		const chars = Math.floor((width - 6) / CHAR);
		if (chars < 3)
			return "";
		return name.length > chars ? name.slice(0, chars - 2) + ".." : name;
	}

	function draw() {
		const width = svg.viewBox.baseVal.width - 2 * MARGIN;
		const scale = width / zoom.weight;

		for (const box of boxes) {
			const below = box.level >= zoom.level && within(box, zoom);
			const above = box.level < zoom.level && within(zoom, box);
			const w = above ? width : below ? box.weight * scale : 0;
			if (w < 0.3) {
				box.g.setAttribute("display", "none");
				continue;
			}
			const x = MARGIN + (above ? 0 : (box.x - zoom.x) * scale);
			const y = height - FOOT - (box.level + 1) * ROW;
			box.g.removeAttribute("display");
			box.g.setAttribute("opacity", above ? 0.55 : 1);
			box.rect.setAttribute("x", x.toFixed(1));
			box.rect.setAttribute("y", y);
			box.rect.setAttribute("width", w.toFixed(1));
			box.rect.setAttribute("fill", box.found ? "#56b4e9" : box.fill);
			box.rect.setAttribute("stroke", box === focus && svg.contains(document.activeElement) ?
					      "#000" : "none");
			box.text.setAttribute("x", (x + 3).toFixed(1));
			box.text.setAttribute("y", y + 12);
			box.text.textContent = cut(box.name, w);
		}
	}

	// What is found, without what lies within something found: that would count twice
	function foundWeight() {
		let sum = 0, end = -1;
		for (const box of found.slice().sort((a, b) => a.x - b.x || b.weight - a.weight)) {
			if (box.x < end)
				continue;
			sum += box.weight;
			end = box.x + box.weight;
		}
		return sum;
	}

	function summary() {
		let text = zoom === root ? "click or Enter zooms, / searches" :
			`${zoom.title}; Esc goes back`;
		if (typing)
			text = `search: ${words}_`;
		else if (words)
			text = `"${words}": ${(100 * foundWeight() / root.weight).toFixed(1)} % in ` +
				`${found.length} boxes; ` + text;
		say(text);
	}

	function search(text) {
		const wanted = text.toLowerCase();
		words = text;
		for (const box of boxes)
			box.found = Boolean(wanted) && box.name.toLowerCase().includes(wanted);
		found = boxes.filter((box) => box.found);
		draw();
		summary();
		return found.length;
	}

	function zoomTo(box) {
		zoom = box;
		focus = box;
		draw();
		summary();
	}

	// The box that the keyboard goes to from the one in focus
	function neighbour(key) {
		const shown = boxes.filter((box) => !box.g.hasAttribute("display"));
		if (key === "ArrowDown")
			return shown.filter((box) => box.level === focus.level - 1 && within(focus, box))[0];
		if (key === "ArrowUp")
			return shown.filter((box) => box.level === focus.level + 1 && within(box, focus))
				.sort((a, b) => b.weight - a.weight)[0];
		const row = shown.filter((box) => box.level === focus.level);
		return row[row.indexOf(focus) + (key === "ArrowRight" ? 1 : -1)];
	}

	function typeKey(event) {
		if (event.key === "Enter" || event.key === "Escape") {
			typing = false;
			search(event.key === "Enter" ? words : "");
			return true;
		}
		if (event.key === "Backspace")
			search(words.slice(0, -1));
		else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey)
			search(words + event.key);
		else
			return false;
		return true;
	}

	function pressKey(event) {
		if (typing)
			return typeKey(event);
		switch (event.key) {
		case "/":
			typing = true;
			search("");
			return true;
		case "Enter":
			zoomTo(focus);
			return true;
		case "Escape":
			search("");
			zoomTo(root);
			return true;
		}
		if (!event.key.startsWith("Arrow"))
			return false;
		const to = neighbour(event.key);
		if (to) {
			focus = to;
			draw();
			say(to.title);
		}
		return true;
	}

	// A page has other places for keys; a picture alone has none
	const keys = alone ? document : svg;
	keys.addEventListener("keydown", (event) => {
		if (!event.altKey && pressKey(event))
			event.preventDefault();
	});
	svg.addEventListener("click", (event) => {
		const g = event.target.closest("g[data-at]");
		zoomTo(boxes.find((box) => box.g === g) || root);
	});
	svg.addEventListener("focus", draw);
	svg.addEventListener("blur", draw);
	summary();
	return { draw, search, height };
}
