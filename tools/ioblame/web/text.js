// SPDX-License-Identifier: GPL-2.0
// Numbers as text, as the command prints them, and elements
"use strict";

function textBytes(n) {
	const units = ["", "K", "M", "G", "T", "P"];
	let i = 0;
	while (n >= 1024 && i < units.length - 1) {
		n /= 1024;
		i++;
	}
	return (i && n < 10 ? n.toFixed(1) : String(Math.round(n))) + units[i];
}

function textTime(ns) {
	const units = ["ns", "us", "ms", "s"];
	let i = 0;
	while (ns >= 1000 && i < units.length - 1) {
		ns /= 1000;
		i++;
	}
	return (i && ns < 10 ? ns.toFixed(1) : String(Math.round(ns))) + units[i];
}

function textCount(n) {
	return n >= 1e9 ? (n / 1e9).toFixed(1) + "G" : n >= 1e6 ? (n / 1e6).toFixed(1) + "M" :
		n >= 1e4 ? (n / 1e3).toFixed(0) + "k" : String(Math.round(n * 10) / 10);
}

function textSeconds(s) {
	return s === 0 ? "0" : s < 1 ? textTime(s * 1e9) : s < 120 ? +s.toFixed(2) + "s" :
		s < 7200 ? +(s / 60).toFixed(1) + "min" : +(s / 3600).toFixed(1) + "h";
}

// An element; names only come in as text, never as HTML
function make(tag, attributes, ...children) {
	const element = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes || {}))
		element.setAttribute(name, value);
	element.append(...children);
	return element;
}

function byId(id) {
	return document.getElementById(id);
}

function styleOf(name) {
	return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
