// Prepares the measured step of --measured: for each rank a row of its program and rows of its collectives, with the
// texts that the pointer shows. Times are nanoseconds since the first rank began the step.
//
// page.measured is null, or:
//   step, steps    the number of the shown step, from 1, and of all steps
//   duration       of the shown step
//   left_out       ranks that are not shown
//   names          of nodes and events
//   collectives    [node, kind, ranks, waiting, transfer, cause, last rank, steps in which it is last, steps]: medians
//   ranks          {rank, lane: [kind, name, begin, duration, collective], transfers: [collective, name, begin, time
//                  until the last rank arrives, time until the end, last rank]}; -1: no name, no collective

const SPAN = { compute: 0, late: 1, data: 2, host: 3, unmatched: 4 };
const spanColors = ['compute', 'late', 'idle', 'host', 'other'];

const operationByName = new Map(page.nodes.name.map((name, node) => [name, operationOf(node)]));
const nameOfSpan = name => (name < 0 ? '' : page.measured.names[name]);
const firstNode = name => nameOfSpan(name).split(', ')[0];
const isMeasuredProduct = name => isProduct(operationByName.get(firstNode(name)) || '');
const colorOfKindName = kind => (kindColors.includes(kind) ? kind : 'other');

function spanItem([kind, name, begin, duration, account]) {
  const color = kind === SPAN.compute && isMeasuredProduct(name) ? 'matmul' : spanColors[kind];
  return { begin, end: begin + duration, color, span: { kind, name, account } };
}

// A transfer is two items: until its last rank arrives, and while its data moves.
function transferItems([account, name, begin, waiting, duration, lastRank]) {
  const color = account < 0 ? 'other' : colorOfKindName(page.measured.collectives[account][1]);
  const transfer = { account, name, waiting, duration, lastRank };
  const arrived = begin + waiting, end = begin + duration;
  return [
    { begin, end: arrived, color: 'late', measured: transfer },
    { begin: arrived, end, color, measured: transfer }
  ].filter(item => item.end > item.begin);
}

// Collectives of several groups overlap, so each is put into the first row that is free.
function packed(transfers) {
  const rows = [];
  for (const transfer of transfers) {
    const items = transferItems(transfer);
    if (!items.length) continue;
    const free = rows.find(row => row[row.length - 1].end <= items[0].begin);
    if (free) free.push(...items);
    else rows.push(items);
  }
  return rows;
}

function measuredRows() {
  return page.measured.ranks.flatMap(({ rank, lane, transfers }) => {
    const sum = kind => lane.reduce((all, span) => all + (span[0] === kind ? span[3] : 0), 0);
    const stalls = percentText(sum(SPAN.late) + sum(SPAN.data), page.measured.duration);
    return [
      rowOfItems(`rank ${rank}`, lane.map(spanItem), `${stalls} stalled`),
      ...packed(transfers).map(items => rowOfItems('', items, 'collectives'))
    ];
  });
}

const measuredPlot = () => ({ measured: page.measured, name: 'measured', rows: measuredRows(), top: 0 });

function measuredTitle() {
  const { step, steps, duration, left_out: leftOut } = page.measured;
  return `step ${step} of ${steps}, ${timeText(duration)}` + (leftOut ? `; ${leftOut} more ranks are not shown` : '');
}

// --- What the pointer shows ---

function accountLines(account) {
  if (account < 0) return ['not all ranks of this collective have a trace'];
  const [, kind, ranks, waiting, transfer, cause, last, lastSteps, steps] = page.measured.collectives[account];
  const lines = [
    `${kind} on ranks ${ranks.join(', ')}; median: ${timeText(waiting)} until the last rank arrives, ` +
      `${timeText(transfer)} for the data`
  ];
  if (cause && waiting > 0)
    lines.push(`rank ${last} arrives last in ${lastSteps} of ${steps} steps, because of ${cause}`);
  return lines;
}

function spanLines({ kind, name, account }, time) {
  const at = nameOfSpan(name) ? ` at ${nameOfSpan(name)}` : '';
  if (kind === SPAN.compute) return [nameOfSpan(name), [time, operationByName.get(firstNode(name)) || 'a kernel']];
  if (kind === SPAN.late) return [`waiting for the last rank${at}`, [time, ...accountLines(account)]];
  if (kind === SPAN.data) return [`waiting for data${at}`, [time, ...accountLines(account)]];
  if (kind === SPAN.host)
    return ['host', [time, name < 0 ? 'after the last node' : `before or in ${nameOfSpan(name)}`]];
  return [nameOfSpan(name), [time, 'no node of the graph']];
}

function measuredTip(item) {
  const time = timeText(item.end - item.begin);
  if (item.span) return spanLines(item.span, time);
  const { account, name, waiting, duration, lastRank } = item.measured;
  const parts = waiting > 0 ? `${timeText(waiting)} until rank ${lastRank} arrives, then ` : '';
  return [nameOfSpan(name), [`${parts}${timeText(duration - waiting)} for the data`, ...accountLines(account)]];
}

function measuredNameOf(item) {
  if (item.color === 'late') return 'late rank';
  if (item.span && item.span.kind === SPAN.data) return 'data';
  if (item.span && item.span.kind === SPAN.host) return 'host';
  return nameOfSpan(item.span ? item.span.name : item.measured.name);
}
