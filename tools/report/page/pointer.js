// Handles mouse, wheel and keyboard on the timeline, and shows the item under the pointer and the description of the
// selected one.

function itemAt(x, y) {
  for (const plot of plots) {
    const row = plot.rows.findIndex((_, index) => y >= rowTop(plot, index) && y < rowTop(plot, index) + ROW);
    if (row >= 0 && x >= LABELS) {
      const slack = 2 / scale(), time = timeAt(x);
      const first = firstEndingAfter(plot.rows[row], time - slack);
      const near = plot.rows[row].items.slice(first, first + 3).filter(item => item.begin <= time + slack);
      near.sort((a, b) => Math.abs(a.begin + a.end - 2 * time) - Math.abs(b.begin + b.end - 2 * time));
      return near.length ? { plot, item: near[0] } : { plot };
    }
    if (plot.schedule && y >= plot.memoryTop && y < plot.memoryTop + MEMORY && x >= LABELS)
      return { plot, memory: stepAt(plot.schedule, timeAt(x)) };
  }
  return null;
}

function whereLines(node) {
  const place = placeOf(node);
  const lines = [];
  if (place.module) lines.push(place.module);
  if (place.file) lines.push(`${place.file}:${place.line}`);
  if (place.code) lines.push(place.code);
  return lines;
}

function tipLines(found) {
  if (found.plot.measured) return measuredTip(found.item);
  const { schedule } = found.plot;
  if (found.memory !== undefined)
    return ['memory', [`${bytesText(schedule.alive[found.memory])} at ${nameOf(schedule.nodes[found.memory])}`,
      ...whereLines(schedule.nodes[found.memory])]];
  const { item } = found;
  if (item.transfer) {
    const transfer = item.transfer;
    const what = item.color === 'idle' ? [`computation stalls for ${timeText(transfer.exposed)}`] : [];
    return [
      nameOf(transfer.node),
      [
        ...what,
        `${page.kinds[transfer.kind]} on group ${schedule.groups[transfer.group].name}: ` +
          `${bytesText(transfer.bytes)} in ${timeText(transfer.duration)} ${
            rateText(transfer.bytes, transfer.duration)}`,
        `exposed ${timeText(transfer.exposed)}`, ...whereLines(transfer.node)
      ]
    ];
  }
  const node = schedule.nodes[item.step];
  return [
    nameOf(node),
    [
      `${operationOf(node)}, ${timeText(item.end - item.begin)} (${page.sources[schedule.sources[item.step]]})`,
      `${bytesText(schedule.alive[item.step])} alive`, ...whereLines(node)
    ]
  ];
}

function showTip(event) {
  const tip = document.getElementById('tip');
  const box = canvas.getBoundingClientRect();
  const found = itemAt(event.clientX - box.left, event.clientY - box.top);
  tip.hidden = !found || (!found.item && found.memory === undefined);
  if (tip.hidden) return;
  const [title, lines] = tipLines(found);
  tip.replaceChildren(element('b', {}, title), ...lines.map(line => element('div', {}, line)));
  const x = event.clientX - box.left, y = event.clientY - box.top;
  tip.style.left = Math.max(0, Math.min(x + 14, box.width - tip.offsetWidth - 8)) + 'px';
  tip.style.top = (y + 18 + tip.offsetHeight > box.height ? Math.max(0, y - tip.offsetHeight - 10) : y + 18) + 'px';
}

// Explains why the collective is exposed, in the order of the events.
function storyOf(plot, transfer) {
  const { schedule } = plot;
  const launched = schedule.begin(transfer.launch);
  const sentences = [`Launched at ${timeText(launched)}.`];
  if (transfer.begin > launched) {
    const ahead = schedule.transfers.filter(
      other => other.group === transfer.group && other.end === transfer.begin && other !== transfer)[0];
    sentences.push(
      `Its group is busy for ${timeText(transfer.begin - launched)} more` +
      (ahead ? `, last with ${nameOf(ahead.node)}.` : '.'));
  }
  sentences.push(`Runs for ${timeText(transfer.duration)}, until ${timeText(transfer.end)}.`);
  if (transfer.wait === null) sentences.push('No node waits for it before the end.');
  else {
    const reached = schedule.begin(transfer.wait);
    sentences.push(
      `Computation reaches its wait at ${timeText(reached)}` +
      (transfer.exposed ? ` and stalls for ${timeText(transfer.exposed)}.` :
         reached >= transfer.end ? `, ${timeText(reached - transfer.end)} after it has ended.` :
                                   '.'));
  }
  if (transfer.use !== null)
    sentences.push(
      `First read by ${nameOf(schedule.nodes[transfer.use])}, ${operationOf(schedule.nodes[transfer.use])}.`);
  if (schedule === after) sentences.push(causeOf(transfer));
  return sentences.join(' ');
}

function choose(plot, transfer, options = {}) {
  view.chosen = transfer ? { plot, transfer } : null;
  const story = document.getElementById('story');
  story.hidden = !transfer;
  if (transfer) {
    const { schedule } = plot;
    const kind = `${page.kinds[transfer.kind]}, ${bytesText(transfer.bytes)}${
      transfer.tensors > 1 ? `, ${transfer.tensors} tensors` : ''}, ${schedule.name}. `;
    story.replaceChildren(element('b', {}, nameOf(transfer.node)), ' ', kind, storyOf(plot, transfer), ' ',
      element('span', { class: 'quiet' }, whereLines(transfer.node).slice(0, 2).join(', ')));
    if (options.zoom) {
      const times = [
        schedule.begin(transfer.launch), transfer.end,
        transfer.wait === null ? transfer.end : schedule.end[transfer.wait]
      ];
      const from = Math.max(Math.min(...times), transfer.begin - 3 * transfer.duration),
            to = Math.min(Math.max(...times), transfer.end + 3 * transfer.duration);
      look(from - 0.4 * (to - from) - 1e3, to + 0.4 * (to - from) + 1e3);
    }
  }
  for (const list of [collectives.list, exposedList]) list.mark();
  redrawSoon();
}

let worstIndex = -1;
const worstPlot = plots[0];
const worst =
  worstPlot.schedule.transfers.filter(transfer => transfer.exposed > 0).sort((a, b) => b.exposed - a.exposed);
function nextWorst(step) {
  if (!worst.length) return;
  worstIndex = (worstIndex + step + worst.length) % worst.length;
  choose(worstPlot, worst[worstIndex], { zoom: true });
}

const keys = {
  ArrowLeft: () => pan(-0.15),
  ArrowRight: () => pan(0.15),
  '+': () => zoom(0.6),
  '=': () => zoom(0.6),
  ArrowUp: () => zoom(0.6),
  '-': () => zoom(1 / 0.6),
  ArrowDown: () => zoom(1 / 0.6),
  0: () => look(0, longest),
  Home: () => look(0, longest),
};
const anywhere = {
  n: () => nextWorst(1),
  p: () => nextWorst(-1),
  '/': () => document.getElementById('filter').focus(),
  Escape: () => choose(null, null),
};

function listen() {
  let drag = null;
  canvas.addEventListener('pointerdown', event => {
    drag = { x: event.clientX, from: view.from, to: view.to, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', event => {
    if (!drag) return showTip(event);
    const shift = (drag.x - event.clientX) / scale();
    drag.moved = drag.moved || Math.abs(event.clientX - drag.x) > 3;
    canvas.classList.toggle('dragging', drag.moved);
    if (drag.moved) look(drag.from + shift, drag.to + shift);
  });
  canvas.addEventListener('pointerup', event => {
    const box = canvas.getBoundingClientRect();
    const found = drag && !drag.moved ? itemAt(event.clientX - box.left, event.clientY - box.top) : null;
    if (drag && !drag.moved) choose(found && found.plot, found && found.item && found.item.transfer);
    drag = null;
    canvas.classList.remove('dragging');
  });
  canvas.addEventListener('pointerleave', () => (document.getElementById('tip').hidden = true));
  canvas.addEventListener('wheel', event => {
    event.preventDefault();
    const x = event.clientX - canvas.getBoundingClientRect().left;
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan(event.deltaX / plotWidth());
    else zoom(1.0015 ** event.deltaY, timeAt(Math.max(LABELS, x)));
  }, { passive: false });
  canvas.addEventListener('keydown', event => act(event, keys));
  document.addEventListener('keydown', event => {
    if (!/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || event.key === 'Escape') act(event, anywhere);
  });
  for (const [id, action] of [
         ['closer', () => zoom(0.5)], ['farther', () => zoom(2)], ['fit', () => look(0, longest)],
         ['worst', () => nextWorst(1)]])
    document.getElementById(id).onclick = action;
  window.addEventListener('resize', redrawSoon);
}

function act(event, actions) {
  if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(actions, event.key)) return;
  event.preventDefault();
  actions[event.key]();
}

function drawLegend() {
  const used =
    new Set(page.schedules.flatMap(schedule => schedule.transfers.map(transfer => colorOfKind(transfer.kind))));
  const entries = [
    ['matmul', 'products'], ['compute', 'other computation'],
    ['idle', page.measured === null ? 'idle: exposed' : 'idle: exposed; measured: waiting for data'],
    ...[...kindColors, 'other']
      .filter(kind => used.has(kind))
      .map(kind => [kind, kind === 'other' ? 'other transfers' : kind]),
    ['memory', 'memory'],
    ...(page.measured === null ? [] : [['late', 'measured: waiting for the last rank'], ['host', 'measured: host']])
  ];
  for (const [color, text] of entries)
    document.getElementById('legend').append(
      element('span', {}, element('i', { style: `background: var(--${color})` }), text));
}
