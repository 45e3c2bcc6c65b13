// Draws the timeline: one canvas, redrawn on each change. Items narrower than a pixel are added up for each pixel and
// color. The color of a pixel is then as strong as the covered part of its time, at any zoom and with any number of
// nodes.

const LABELS = 150, AXIS = 22, TITLE = 20, ROW = 26, GAP = 6, MEMORY = 64, RIGHT = 12;
const canvas = document.getElementById('canvas');
const pen = canvas.getContext('2d');
const longest = Math.max(
  ...page.schedules.map(schedule => schedule.total), page.measured === null ? 1 : page.measured.duration, 1);
const view = { from: 0, to: longest, chosen: null };
// The predicted schedules, the last one first; then the measured step, below the program that was measured.
const predicted =
  page.schedules.map(schedule => ({ schedule, name: schedule.name, rows: rowsOf(schedule), top: 0 })).reverse();
const plots = page.measured === null ? predicted : [...predicted, measuredPlot()];
let colors = {};

function layOut() {
  let top = AXIS;
  for (const plot of plots) {
    plot.top = top;
    plot.memoryTop = top + TITLE + plot.rows.length * (ROW + GAP);
    top = plot.memoryTop + (plot.schedule ? MEMORY : 0) + 14;
  }
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.parentElement.clientWidth;
  canvas.style.height = top + 'px';
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(top * ratio);
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  view.width = width;
  view.height = top;
  const style = getComputedStyle(document.documentElement);
  for (const name of
         ['page', 'panel', 'line', 'text', 'quiet', 'accent', 'row', 'matmul', 'compute', 'idle', 'memory',
          'memoryLine', 'good', 'other', 'late', 'host', ...kindColors])
    colors[name] = style.getPropertyValue('--' + name).trim();
}

const plotWidth = () => view.width - LABELS - RIGHT;
const scale = () => plotWidth() / (view.to - view.from);
const xOf = time => LABELS + (time - view.from) * scale();
const timeAt = x => view.from + (x - LABELS) / scale();
const rowTop = (plot, row) => plot.top + TITLE + row * (ROW + GAP);

function drawAxis() {
  const rough = (view.to - view.from) / Math.max(2, plotWidth() / 110);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(factor => factor * power).find(candidate => candidate >= rough);
  const digits = Math.max(0, Math.ceil(-Math.log10(step / 1e6) - 1e-9));
  pen.fillStyle = colors.quiet;
  pen.textAlign = 'center';
  for (let time = Math.ceil(view.from / step) * step; time <= view.to; time += step) {
    const x = Math.round(xOf(time)) + 0.5;
    pen.strokeStyle = colors.line;
    pen.beginPath(), pen.moveTo(x, AXIS - 4), pen.lineTo(x, view.height), pen.stroke();
    pen.fillText((time / 1e6).toFixed(digits) + ' ms', x, AXIS - 8);
  }
  pen.textAlign = 'left';
}

function drawItems(row, top) {
  const thin = {};
  const wide = scale();
  for (let i = firstEndingAfter(row, view.from); i < row.items.length && row.items[i].begin < view.to; ++i) {
    const item = row.items[i];
    const x = Math.max(LABELS, xOf(item.begin)), end = Math.min(view.width - RIGHT, xOf(item.end));
    if (end - x >= 1.5) {
      pen.fillStyle = colors[item.color];
      pen.fillRect(x, top, end - x - (end - x > 4 ? 0.6 : 0), ROW);
      if (end - x > 60) drawName(item, x, top, end - x);
    } else {
      const cover = thin[item.color] || (thin[item.color] = new Float32Array(Math.ceil(view.width) + 1));
      cover[Math.floor(x)] += (item.end - item.begin) * wide;
    }
  }
  for (const color of Object.keys(thin).sort()) {
    pen.fillStyle = colors[color];
    thin[color].forEach((cover, x) => {
      if (cover === 0) return;
      pen.globalAlpha = Math.min(1, Math.max(0.12, cover));
      pen.fillRect(x, top, 1, ROW);
    });
    pen.globalAlpha = 1;
  }
}

const nameOfItem = (schedule, item) => nameOf(item.transfer ? item.transfer.node : schedule.nodes[item.step]);

function drawName(item, x, top, width) {
  const text = view.drawing.measured ? measuredNameOf(item) :
    item.color === 'idle'            ? 'idle' :
                                       nameOfItem(view.drawing.schedule, item);
  pen.save();
  pen.beginPath(), pen.rect(x, top, width - 3, ROW), pen.clip();
  pen.fillStyle = item.color === 'late' ? '#1b1f24' : '#fff';
  pen.fillText(text, x + 4, top + ROW / 2 + 4);
  pen.restore();
}

// Draws the largest number of live bytes within each pixel as an area, and the budget as a dashed line.
function drawMemory(plot, most) {
  const { schedule, memoryTop } = plot;
  const yOf = bytes => memoryTop + MEMORY - bytes / most * (MEMORY - 6);
  pen.beginPath();
  const last = Math.min(view.width - RIGHT, xOf(schedule.total));
  pen.moveTo(LABELS, memoryTop + MEMORY);
  let i = stepAt(schedule, view.from);
  for (let x = LABELS; x < last; ++x) {
    let bytes = schedule.alive[i];
    for (const time = timeAt(x + 1); i + 1 < schedule.end.length && schedule.end[i] <= time;)
      bytes = Math.max(bytes, schedule.alive[++i]);
    pen.lineTo(x, yOf(bytes)), pen.lineTo(x + 1, yOf(bytes));
  }
  pen.lineTo(Math.max(LABELS, last), memoryTop + MEMORY);
  pen.fillStyle = colors.memory, pen.fill();
  pen.strokeStyle = colors.memoryLine, pen.stroke();
  if (page.budget !== null && page.budget <= most) {
    pen.setLineDash([5, 4]), pen.strokeStyle = colors.idle;
    pen.beginPath(), pen.moveTo(LABELS, yOf(page.budget)), pen.lineTo(view.width - RIGHT, yOf(page.budget)),
      pen.stroke();
    pen.setLineDash([]);
  }
  label('memory', `peak ${bytesText(schedule.peak)}`, memoryTop, MEMORY);
}

function label(title, detail, top, height) {
  pen.fillStyle = colors.page;
  pen.fillRect(0, top - 2, LABELS - 1, height + 4);
  pen.fillStyle = colors.text;
  pen.fillText(title.length > 22 ? title.slice(0, 21) + '…' : title, 8, top + 11);
  pen.fillStyle = colors.quiet;
  pen.fillText(detail, 8, top + 23);
}

function titleOf(plot) {
  if (plot.measured) return measuredTitle();
  const { total, exposed } = plot.schedule;
  return `step ${timeText(total)}, exposed ${timeText(exposed)} (${percentText(exposed, total)})`;
}

function drawPlot(plot, most) {
  view.drawing = plot;
  pen.fillStyle = colors.text;
  pen.font = 'bold 12px system-ui, sans-serif';
  pen.fillText(plots.length > 1 ? plot.name : 'schedule', 8, plot.top + 14);
  pen.font = '12px system-ui, sans-serif';
  pen.fillStyle = colors.quiet;
  pen.fillText(titleOf(plot), LABELS, plot.top + 14);
  const end = Math.min(view.width - RIGHT, xOf(plot.measured ? plot.measured.duration : plot.schedule.total));
  plot.rows.forEach((row, index) => {
    const top = rowTop(plot, index);
    pen.fillStyle = colors.row;
    if (end > LABELS) pen.fillRect(LABELS, top, end - LABELS, ROW);
    pen.font = '11px system-ui, sans-serif';
    drawItems(row, top);
    label(row.title, row.detail, top, ROW);
  });
  if (!plot.schedule) return;
  drawMemory(plot, most);
  if (plot.schedule === after && page.bounds !== null) drawBound(plot);
}

// Returns whether a text that ends at x does not overlap the title of the plot.
function fitsAfterTitle(text, x, plot) {
  return x - pen.measureText(text).width > LABELS + pen.measureText(titleOf(plot)).width + 8;
}

// Draws the lower bound for any order. Its name stands before the upper end of the line, or else below the line.
function drawBound(plot) {
  const x = Math.round(xOf(page.bounds.merging.ns)) + 0.5;
  if (x < LABELS || x > view.width - RIGHT) return;
  pen.strokeStyle = pen.fillStyle = colors.good;
  pen.setLineDash([3, 3]);
  pen.beginPath(), pen.moveTo(x, plot.top + TITLE - 4), pen.lineTo(x, plot.memoryTop + MEMORY), pen.stroke();
  pen.setLineDash([]);
  pen.font = '12px system-ui, sans-serif';
  const isAbove = fitsAfterTitle('bound', x - 4, plot);
  pen.textAlign = isAbove ? 'right' : 'center';
  pen.fillText('bound', isAbove ? x - 4 : x, isAbove ? plot.top + 14 : plot.memoryTop + MEMORY + 12);
  pen.textAlign = 'left';
}

// Draws launch, collective, wait and use of the selected item, and a line through them.
function drawChosen() {
  const { plot, transfer } = view.chosen;
  const { schedule } = plot;
  const row =
    plot.rows.findIndex(candidate => candidate.items.some(item => item.transfer === transfer && item.color !== 'idle'));
  const compute = rowTop(plot, 0) + ROW, stream = rowTop(plot, row);
  const points = [
    ['launch', schedule.begin(transfer.launch), compute], ['', transfer.begin, stream - 1],
    ['', transfer.end, stream - 1]
  ];
  if (transfer.wait !== null) points.push(['wait', schedule.end[transfer.wait], compute]);
  if (transfer.use !== null) points.push(['use', schedule.begin(transfer.use), compute - ROW]);
  pen.strokeStyle = colors.accent;
  pen.lineWidth = 2;
  pen.strokeRect(xOf(transfer.begin), stream - 1, Math.max(2, (transfer.end - transfer.begin) * scale()), ROW + 2);
  pen.beginPath();
  points.forEach(([, time, y], index) => (index ? pen.lineTo(xOf(time), y) : pen.moveTo(xOf(time), y)));
  pen.stroke();
  for (const [text, time, y] of points.filter(point => point[0])) markPoint(text, xOf(time), y);
  pen.lineWidth = 1;
}

function markPoint(text, x, y) {
  pen.fillStyle = colors.accent;
  pen.beginPath(), pen.arc(x, y, 3.5, 0, 7), pen.fill();
  const at = [x + 6, y + (text === 'use' ? -4 : 12)];
  pen.font = 'bold 11px system-ui, sans-serif';
  pen.lineWidth = 4;
  pen.strokeStyle = colors.page;
  pen.strokeText(text, ...at), pen.fillText(text, ...at);
}

function redraw() {
  layOut();
  pen.fillStyle = colors.page;
  pen.fillRect(0, 0, view.width, view.height);
  pen.font = '11px system-ui, sans-serif';
  drawAxis();
  const most = Math.max(...page.schedules.map(schedule => schedule.peak), 1);
  for (const plot of plots) drawPlot(plot, most);
  if (view.chosen) {
    pen.save();
    pen.beginPath(), pen.rect(LABELS, 0, view.width - LABELS, view.height), pen.clip();
    drawChosen();
    pen.restore();
  }
}

let asked = false;
function redrawSoon() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => (asked = false, redraw()));
}

function look(from, to) {
  const span = Math.min(Math.max(to - from, 200), longest * 1.02);
  view.from = Math.min(Math.max(from, -longest * 0.01), longest * 1.01 - span);
  view.to = view.from + span;
  redrawSoon();
}

function zoom(factor, time = (view.from + view.to) / 2) {
  look(time - (time - view.from) * factor, time + (view.to - time) * factor);
}
const pan = share => look(view.from + share * (view.to - view.from), view.to + share * (view.to - view.from));
