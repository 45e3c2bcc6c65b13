'use strict';
// Unpacks the data of the page: the columns that C++ wrote become typed arrays and objects. Times are in nanoseconds.

const ROLE = { compute: 'C', launch: 'L', wait: 'W', free: 'F' };

function runningSum(deltas) {
  const sums = new Float64Array(deltas.length);
  let sum = 0;
  for (let i = 0; i < deltas.length; ++i) sums[i] = sum += deltas[i];
  return sums;
}

function unpackTransfer(row, schedule, index) {
  const [launch, wait, use, group, kind, tensors, inBytes, outBytes, begin, duration, exposed] = row;
  return { index, launch, wait, use, group, kind, tensors, inBytes, outBytes, bytes: Math.max(inBytes, outBytes), begin,
    end: begin + duration, duration, exposed, node: schedule.nodes[launch] };
}

// Steps: end[i], where step i begins at the end of the step before; alive[i]; roles[i]; nodes[i] is an index of the
// page's nodes.
function unpackSchedule(packed) {
  const schedule = { ...packed, end: runningSum(packed.ends), alive: runningSum(packed.alive) };
  schedule.transfers = packed.transfers.map((row, index) => unpackTransfer(row, packed, index));
  schedule.begin = i => (i === 0 ? 0 : schedule.end[i - 1]);
  return schedule;
}

const page = JSON.parse(document.getElementById('data').textContent);
page.schedules = page.schedules.map(unpackSchedule);
const before = page.schedules[0];
const after = page.schedules[page.schedules.length - 1];

function placeOf(node) {
  const [file, line, module, code] = page.places[page.nodes.place[node]];
  return { file: page.files[file], line, module: page.modules[module], code };
}

function sourceOf(node) {
  const place = placeOf(node);
  return place.file ? place.file.split('/').slice(-2).join('/') + ':' + place.line : '';
}

const nameOf = node => page.nodes.name[node];
const operationOf = node => page.operations[page.nodes.operation[node]];

// --- Numbers ---

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1, minimumFractionDigits: 1 });
const whole = new Intl.NumberFormat('en-US');

// Tenths are truncated, as in the summary, so that a number is written in one way.
const tenths = value => Math.trunc(value * 10 + 1e-6) / 10;

function timeText(ns) {
  return ns >= 1e6 ? grouped.format(tenths(ns / 1e6)) + ' ms' : grouped.format(tenths(ns / 1e3)) + ' µs';
}

function bytesText(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (Math.abs(bytes) >= 1024 && unit + 1 < units.length) bytes /= 1024, ++unit;
  return (unit === 0 ? bytes : bytes.toFixed(1)) + ' ' + units[unit];
}

const percentText = (part, all) => (all === 0 ? '0' : tenths(100 * part / all).toFixed(1)) + ' %';
// Bytes per nanosecond are gigabytes per second.
const rateText = (bytes, ns) =>
  (ns === 0 || bytes === 0 ? '' : (bytes / ns).toFixed(bytes / ns < 10 ? 2 : 0) + ' GB/s');

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (name === 'onclick') made.onclick = value;
    else if (value !== undefined) made.setAttribute(name, value);
  made.append(...children);
  return made;
}
