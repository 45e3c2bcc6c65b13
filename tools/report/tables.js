// The tables: collectives, groups, remarks. Rows are made as they are needed, a page of them at a time.

const ROWS = 400;

function headOf(table, columns, sortBy) {
  const row = element('tr');
  for (const column of columns) {
    const cell = element('th', { class: column.number ? 'number' : '', scope: 'col' });
    if (sortBy) cell.append(element('button', { type: 'button', onclick: () => sortBy(column) }, column.title));
    else cell.append(element('button', { type: 'button', disabled: '' }, column.title));
    row.append(cell);
    column.head = cell;
  }
  table.tHead.replaceChildren(row);
}

function rowOf(columns, value, attributes) {
  return element('tr', attributes, ...columns.map(column => {
    const text = column.text(value);
    return element('td', { class: column.number ? 'number' : undefined, title: text.length > 40 ? (column.full || column.text)(value) : undefined }, text);
  }));
}

function fillTable(table, columns, values, limit, attributes = () => ({})) {
  const rows = document.createDocumentFragment();
  for (const value of values.slice(0, limit)) rows.append(rowOf(columns, value, attributes(value)));
  table.tBodies[0].replaceChildren(rows);
}

function offerMore(button, shown, all, show) {
  button.hidden = shown >= all;
  button.textContent = `show ${Math.min(ROWS, all - shown)} more of ${whole.format(all - shown)}`;
  button.onclick = show;
}

// --- Collectives ---

const list = { plot: plots[0], sort: null, down: true, limit: ROWS };
const table = document.getElementById('table');
const exposedBefore = new Map(before.transfers.map(transfer => [nameOf(transfer.node), transfer.exposed]));

const columns = [
  { title: 'collective', text: t => nameOf(t.node), key: t => t.launch },
  { title: 'kind', text: t => page.kinds[t.kind], key: t => page.kinds[t.kind] },
  { title: 'group', text: t => list.plot.schedule.groups[t.group].name, key: t => t.group },
  { title: 'bytes', number: true, text: t => bytesText(t.bytes), key: t => t.bytes },
  { title: 'launched, ms', number: true, text: t => (list.plot.schedule.begin(t.launch) / 1e6).toFixed(3), key: t => list.plot.schedule.begin(t.launch) },
  { title: 'takes, µs', number: true, text: t => grouped.format(t.duration / 1e3), key: t => t.duration },
  { title: 'exposed, µs', number: true, text: t => (t.exposed ? grouped.format(t.exposed / 1e3) : '0'), key: t => t.exposed },
  { title: 'module', text: t => placeOf(t.node).module, key: t => placeOf(t.node).module },
  { title: 'source', text: t => sourceOf(t.node), full: t => whereLines(t.node).slice(-2).join(' '), key: t => sourceOf(t.node) },
];
if (page.schedules.length > 1)
  columns.splice(7, 0, { title: `${before.name}, µs`, number: true, key: t => exposedBefore.get(nameOf(t.node)) ?? -1,
    text: t => (exposedBefore.has(nameOf(t.node)) ? grouped.format(exposedBefore.get(nameOf(t.node)) / 1e3) : '') });

function sortBy(column) {
  list.down = list.sort === column ? !list.down : Boolean(column.number);
  list.sort = column;
  drawCollectives();
}

function wanted() {
  const text = document.getElementById('filter').value.toLowerCase();
  const kind = document.getElementById('kind').value, group = document.getElementById('group').value;
  const exposedOnly = document.getElementById('exposedOnly').checked;
  const { schedule } = list.plot;
  return schedule.transfers.filter(t => (!kind || page.kinds[t.kind] === kind) && (!group || schedule.groups[t.group].name === group) &&
    (!exposedOnly || t.exposed > 0) &&
    (!text || `${nameOf(t.node)} ${placeOf(t.node).module} ${placeOf(t.node).file}:${placeOf(t.node).line}`.toLowerCase().includes(text)));
}

function drawCollectives() {
  const found = wanted();
  const { key } = list.sort;
  found.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : a.launch - b.launch) * (list.down ? -1 : 1));
  for (const column of columns)
    column.head.setAttribute('aria-sort', column === list.sort ? (list.down ? 'descending' : 'ascending') : 'none'),
    column.head.firstChild.textContent = column.title + (column === list.sort ? (list.down ? ' ▾' : ' ▴') : '');
  fillTable(table, columns, found, list.limit, t => ({ tabindex: 0, 'data-index': t.index }));
  const sum = found.reduce((total, t) => total + t.exposed, 0);
  document.getElementById('count').textContent =
    `${whole.format(found.length)} of ${whole.format(list.plot.schedule.transfers.length)}, ${timeText(sum)} exposed`;
  offerMore(document.getElementById('more'), list.limit, found.length, () => (list.limit += ROWS, drawCollectives()));
  markRow();
}

function markRow() {
  for (const row of table.tBodies[0].querySelectorAll('.chosen')) row.classList.remove('chosen');
  if (!view.chosen || view.chosen.plot !== list.plot) return;
  const row = table.tBodies[0].querySelector(`[data-index="${view.chosen.transfer.index}"]`);
  if (row) row.classList.add('chosen');
}

function chooseRow(event) {
  const row = event.target.closest('tr[data-index]');
  if (!row || (event.type === 'keydown' && event.key !== 'Enter')) return;
  choose(list.plot, list.plot.schedule.transfers[row.dataset.index], { zoom: true });
  canvas.scrollIntoView({ block: 'nearest' });
}

function fillSelect(id, words, all) {
  const select = document.getElementById(id);
  select.replaceChildren(...(all ? [element('option', { value: '' }, all)] : []), ...words.map(word => element('option', { value: word }, word)));
  select.onchange = () => (list.limit = ROWS, drawCollectives());
}

function startCollectives() {
  const { schedule } = list.plot;
  fillSelect('which', plots.map(plot => plot.schedule.name));
  document.getElementById('which').onchange = event => (list.plot = plots[event.target.selectedIndex], drawCollectives());
  fillSelect('kind', [...new Set(schedule.transfers.map(t => page.kinds[t.kind]))].sort(), 'all');
  fillSelect('group', schedule.groups.map(group => group.name), 'all');
  document.getElementById('filter').oninput = document.getElementById('exposedOnly').onchange = () => (list.limit = ROWS, drawCollectives());
  table.tBodies[0].addEventListener('click', chooseRow);
  table.tBodies[0].addEventListener('keydown', chooseRow);
  headOf(table, columns, sortBy);
  sortBy(columns.find(column => column.title === 'exposed, µs'));
}

// --- Groups ---

function drawGroups() {
  const rows = plots.flatMap(({ schedule }) => schedule.groups.map((group, index) => {
    const transfers = schedule.transfers.filter(t => t.group === index);
    const sum = of => transfers.reduce((total, t) => total + of(t), 0);
    return { schedule, group, count: transfers.length, bytes: sum(t => t.bytes), busy: sum(t => t.duration), exposed: sum(t => t.exposed) };
  })).filter(row => row.count);
  const groupColumns = [
    { title: 'schedule', text: row => row.schedule.name },
    { title: 'group', text: row => row.group.name + (row.group.description ? ` (${row.group.description})` : '') },
    { title: 'ranks', text: row => `${row.group.ranks} on ${row.group.hosts} node${row.group.hosts === 1 ? '' : 's'}${row.group.assumed ? ', assumed' : ''}` },
    { title: 'transfers', number: true, text: row => whole.format(row.count) },
    { title: 'bytes', number: true, text: row => bytesText(row.bytes) },
    { title: 'busy', number: true, text: row => `${timeText(row.busy)}, ${percentText(row.busy, row.schedule.total)}` },
    { title: 'bytes / time', number: true, text: row => rateText(row.bytes, row.busy) },
    { title: 'exposed', number: true, text: row => timeText(row.exposed) },
  ];
  const groupTable = document.getElementById('groupTable');
  headOf(groupTable, groupColumns);
  fillTable(groupTable, groupColumns, rows, rows.length);
}

// --- Remarks ---

const remarkList = { limit: ROWS };
const remarkColumns = [
  { title: 'pass', text: r => r[0] }, { title: 'what', text: r => r[1] }, { title: 'reason', text: r => r[2] },
  { title: 'node', text: r => r[3] }, { title: 'facts', text: r => r[4] }, { title: 'source', text: r => r[5] },
];

function drawRemarks() {
  const text = document.getElementById('remarkFilter').value.toLowerCase();
  const found = text ? page.remarks.filter(remark => remark.join(' ').toLowerCase().includes(text)) : page.remarks;
  const remarkTable = document.getElementById('remarkTable');
  fillTable(remarkTable, remarkColumns, found, remarkList.limit);
  document.getElementById('remarkCount').textContent = `${whole.format(found.length)} of ${whole.format(page.remarks.length)}`;
  offerMore(document.getElementById('moreRemarks'), remarkList.limit, found.length, () => (remarkList.limit += ROWS, drawRemarks()));
}

function startRemarks() {
  const counts = new Map();
  for (const remark of page.remarks) {
    const key = remark.slice(0, 3).join(' ');
    counts.set(key, (counts.get(key) || 0) + 1);
  }
  const filter = document.getElementById('remarkFilter');
  const search = text => (filter.value = text, remarkList.limit = ROWS, drawRemarks());
  for (const [key, count] of [...counts].sort((a, b) => b[1] - a[1]).slice(0, 12)) {
    const [pass, kind, reason] = key.split(' ');
    document.getElementById('reasons').append(element('button', { type: 'button', title: page.reasons[`${pass} ${reason}`], onclick: () => search(key) },
      `${whole.format(count)} ${kind}: ${reason}`));
  }
  filter.oninput = () => search(filter.value);
  headOf(document.getElementById('remarkTable'), remarkColumns);
  drawRemarks();
}
