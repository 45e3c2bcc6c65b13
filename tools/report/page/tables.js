// Fills the tables: collectives, groups, remarks.

// --- Collectives ---

const collectives = { plot: plots[0], list: null };
const exposedBefore = new Map(before.transfers.map(transfer => [nameOf(transfer.node), transfer.exposed]));

const columns = [
  { title: 'collective', text: t => nameOf(t.node), key: t => t.launch },
  { title: 'kind', text: t => page.kinds[t.kind], key: t => page.kinds[t.kind] },
  { title: 'group', text: t => collectives.plot.schedule.groups[t.group].name, key: t => t.group },
  { title: 'bytes', number: true, text: t => bytesText(t.bytes), key: t => t.bytes },
  {
    title: 'launched, ms',
    number: true,
    text: t => (collectives.plot.schedule.begin(t.launch) / 1e6).toFixed(3),
    key: t => collectives.plot.schedule.begin(t.launch)
  },
  { title: 'takes, µs', number: true, text: t => grouped.format(t.duration / 1e3), key: t => t.duration },
  {
    title: 'exposed, µs',
    number: true,
    text: t => (t.exposed ? grouped.format(t.exposed / 1e3) : '0'),
    key: t => t.exposed
  },
  { title: 'module', text: t => placeOf(t.node).module, key: t => placeOf(t.node).module },
  {
    title: 'source',
    text: t => sourceOf(t.node),
    full: t => whereLines(t.node).slice(-2).join(' '),
    key: t => sourceOf(t.node)
  },
];
if (page.schedules.length > 1)
  columns.splice(7, 0, { title: `${before.name}, µs`, number: true, key: t => exposedBefore.get(nameOf(t.node)) ?? -1,
    text: t => (exposedBefore.has(nameOf(t.node)) ? grouped.format(exposedBefore.get(nameOf(t.node)) / 1e3) : '') });

const wordsOfTransfer = t =>
  `${nameOf(t.node)} ${placeOf(t.node).module} ${placeOf(t.node).file}:${placeOf(t.node).line}`;

function isWanted(t) {
  const kind = document.getElementById('kind').value, group = document.getElementById('group').value;
  const exposedOnly = document.getElementById('exposedOnly').checked;
  return (!kind || page.kinds[t.kind] === kind) &&
    (!group || collectives.plot.schedule.groups[t.group].name === group) && (!exposedOnly || t.exposed > 0);
}

function fillSelect(id, words, all) {
  const select = document.getElementById(id);
  select.replaceChildren(
    ...(all ? [element('option', { value: '' }, all)] : []),
    ...words.map(word => element('option', { value: word }, word)));
  return select;
}

function startCollectives() {
  const { schedule } = collectives.plot;
  const all = () => collectives.plot.schedule.transfers;
  const which = fillSelect('which', predicted.map(plot => plot.name));
  const kind = fillSelect('kind', [...new Set(schedule.transfers.map(t => page.kinds[t.kind]))].sort(), 'all');
  const group = fillSelect('group', schedule.groups.map(entry => entry.name), 'all');
  const list = collectives.list = new List({
    parts: { table: 'table', filter: 'filter', count: 'count', more: 'more' },
    columns,
    first: 'exposed, µs',
    rows: all,
    words: wordsOfTransfer,
    wanted: isWanted,
    open: t => openTransfer(collectives.plot, t),
    isChosen: t => isChosenOf(collectives.plot)(t),
    count: found => `${whole.format(found.length)} of ${whole.format(all().length)}, ` +
      `${timeText(found.reduce((total, t) => total + t.exposed, 0))} exposed`,
  });
  for (const input of [kind, group, document.getElementById('exposedOnly')]) input.onchange = () => list.restart();
  which.onchange = () => (collectives.plot = predicted[which.selectedIndex], list.restart());
}

// --- Groups ---

function drawGroups() {
  const rows = predicted.flatMap(({ schedule }) => schedule.groups.map((group, index) => {
    const transfers = schedule.transfers.filter(t => t.group === index);
    const sum = of => transfers.reduce((total, t) => total + of(t), 0);
    return {
      schedule,
      group,
      count: transfers.length,
      bytes: sum(t => t.bytes),
      busy: sum(t => t.duration),
      exposed: sum(t => t.exposed)
    };
  })).filter(row => row.count);
  const groupColumns = [
    { title: 'schedule', text: row => row.schedule.name },
    { title: 'group', text: row => row.group.name + (row.group.description ? ` (${row.group.description})` : '') },
    {
      title: 'ranks',
      text: row => `${row.group.ranks} on ${row.group.hosts} node${row.group.hosts === 1 ? '' : 's'}${
        row.group.assumed ? ', assumed' : ''}`
    },
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

const remarkColumns = ['pass', 'what', 'reason', 'node', 'facts', 'source'].map((title, index) =>
  ({ title, text: remark => remark[index], key: remark => remark[index] }));
// Remarks are in the order in which they were made, unless a column is sorted.
remarkColumns.unshift(
  { title: '#', number: true, text: remark => whole.format(remark.number), key: remark => -remark.number });

function startRemarks() {
  const counts = new Map();
  page.remarks.forEach((remark, index) => {
    remark.number = index + 1;
    const key = remark.slice(0, 3).join(' ');
    counts.set(key, (counts.get(key) || 0) + 1);
  });
  const list = new List({
    parts: { table: 'remarkTable', filter: 'remarkFilter', count: 'remarkCount', more: 'moreRemarks' },
    columns: remarkColumns,
    first: '#',
    rows: () => page.remarks,
    words: remark => remark.join(' '),
    open: remark => openNode(remark[3]),
    count: found => `${whole.format(found.length)} of ${whole.format(page.remarks.length)}`,
  });
  for (const [key, count] of [...counts].sort((a, b) => b[1] - a[1]).slice(0, 12)) {
    const [pass, kind, reason] = key.split(' ');
    const search = () => (list.filter.value = key, list.restart());
    document.getElementById('reasons').append(element(
      'button', { type: 'button', title: page.reasons[`${pass} ${reason}`], onclick: search },
      `${whole.format(count)} ${kind}: ${reason}`));
  }
}

// Opens the collective that a node launches or completes, if the last schedule has one.
function openNode(name) {
  const { schedule } = plots[0];
  const transfer = schedule.transfers.find(
    t => nameOf(t.node) === name || (t.wait !== null && nameOf(schedule.nodes[t.wait]) === name));
  if (transfer) openTransfer(plots[0], transfer);
}
