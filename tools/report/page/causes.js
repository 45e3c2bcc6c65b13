// Shows the limiting factors of the step: its lower bounds, why each exposed collective cannot begin earlier or must
// end, and what would help.

// --- Bounds ---

const heldBy = bound => (bound.group ? `group ${bound.group}` : 'computation');
const aboveText = (now, least, text) =>
  (now <= least ? 'reached' : `${text(now - least)}, ${percentText(now - least, now)}`);

function boundRows() {
  const { merging, order, within, change, memory } = page.bounds;
  const time = (what, bound) => ({
    what,
    was: timeText(before.total),
    now: timeText(after.total),
    least: timeText(bound.ns),
    above: aboveText(after.total, bound.ns, timeText),
    held: heldBy(bound)
  });
  const peak = {
    what: 'peak memory, in any order',
    was: bytesText(before.peak),
    now: bytesText(after.peak),
    least: bytesText(memory.bytes),
    above: aboveText(after.peak, memory.bytes, bytesText),
    held: memory.node === null ? '' : nameOf(memory.node),
    node: memory.node
  };
  return [
    time('step, in any order with any merging', merging),
    ...(within ? [time('step, in any such order within the memory budget', within)] : []),
    time('step, in any order without merging', order),
    ...(change ? [time('step, with any kept gathers and pieces', change)] : []), peak
  ];
}

function drawBounds() {
  document.getElementById('bounds').hidden = page.bounds === null;
  if (page.bounds === null) return;
  const boundColumns = [
    { title: '', text: row => row.what },
    { title: before.name, number: true, text: row => row.was },
    { title: after.name, number: true, text: row => row.now },
    { title: 'bound', number: true, text: row => row.least },
    { title: `${after.name} is above it by`, number: true, text: row => row.above },
    { title: 'held by', text: row => row.held },
  ];
  if (page.schedules.length === 1) boundColumns.splice(1, 1);
  const boundTable = document.getElementById('boundTable');
  headOf(boundTable, boundColumns);
  fillTable(boundTable, boundColumns, boundRows(), 3);
}

// --- What is exposed ---

// States why the collective cannot begin earlier; the possible gain and the missing bytes are columns of their own.
const holderText = e => e.pin === 'input' && e.needs === null ?
  'the start of the program' :
  pinWords[e.pin] + (e.needs !== null && (e.pin === 'group' || e.pin === 'input') ? `, ${nameOf(e.needs)}` : '');
const pinWords = {
  group: 'its group',
  input: 'its input',
  fixed: 'its place',
  budget: 'the memory budget',
  order: 'the order'
};

function unpackExposure(row) {
  const [transfer, pin, begin, needs, slack, lacks, readerText, reader, early] = row;
  return { transfer: after.transfers[transfer], pin, begin, needs, slack, lacks, readerText, reader, early };
}
const exposures = page.exposures.map(unpackExposure);
const exposureOf = new Map(exposures.map(exposure => [exposure.transfer, exposure]));

const exposureColumns = [
  { title: 'collective', text: e => nameOf(e.transfer.node), key: e => e.transfer.launch },
  { title: 'group', text: e => after.groups[e.transfer.group].name, key: e => e.transfer.group },
  { title: 'bytes', number: true, text: e => bytesText(e.transfer.bytes), key: e => e.transfer.bytes },
  {
    title: 'exposed, µs',
    number: true,
    text: e => grouped.format(e.transfer.exposed / 1e3),
    key: e => e.transfer.exposed
  },
  { title: 'begins late for', text: holderText, full: e => e.begin, key: e => `${e.pin} ${holderText(e)}` },
  {
    title: 'earlier by, µs',
    number: true,
    text: e => (e.slack ? grouped.format(e.slack / 1e3) : ''),
    key: e => e.slack
  },
  { title: 'lacks', number: true, text: e => (e.lacks ? bytesText(e.lacks) : ''), key: e => e.lacks },
  { title: 'needed by', text: e => e.readerText, key: e => e.readerText },
  { title: 'module', text: e => placeOf(e.transfer.node).module, key: e => placeOf(e.transfer.node).module },
  {
    title: 'source',
    text: e => sourceOf(e.transfer.node),
    full: e => whereLines(e.transfer.node).slice(-2).join(' '),
    key: e => sourceOf(e.transfer.node)
  },
];

let exposedList = null;
function startExposed() {
  document.getElementById('exposed').hidden = exposures.length === 0;
  const pin = fillSelect('pin', [...new Set(exposures.map(e => pinWords[e.pin]))].sort(), 'anything');
  exposedList = new List({
    parts: { table: 'exposedTable', filter: 'exposedFilter', count: 'exposedCount', more: 'moreExposed' },
    columns: exposureColumns,
    first: 'exposed, µs',
    rows: () => exposures,
    words: e => `${wordsOfTransfer(e.transfer)} ${e.begin} ${e.readerText}`,
    wanted: e => !pin.value || pinWords[e.pin] === pin.value,
    open: e => openTransfer(plots[0], e.transfer),
    isChosen: e => isChosenOf(plots[0])(e.transfer),
    count: found => `${whole.format(found.length)} of ${whole.format(exposures.length)}, ` +
      `${timeText(found.reduce((total, e) => total + e.transfer.exposed, 0))} exposed`,
  });
  pin.onchange = () => exposedList.restart();
}

// Ends the description of a collective that has an explanation.
function causeOf(transfer) {
  const exposure = exposureOf.get(transfer);
  return exposure ? `Its beginning: ${exposure.begin}. Its end: needed by ${exposure.readerText}.` : '';
}

// --- Advice ---

const adviceColumns = [
  { title: 'with', text: a => a.change, key: a => a.change },
  {
    title: 'saves',
    number: true,
    text: a => (a.saved < 0 ? '−' : '') +
      `${timeText(Math.abs(a.saved))}, ${percentText(Math.abs(a.saved), after.total)}`,
    key: a => a.saved
  },
  { title: 'step', number: true, text: a => timeText(a.total), key: a => a.total },
  {
    title: 'memory',
    number: true,
    text: a => (a.memory > 0   ? '+' :
                  a.memory < 0 ? '−' :
                                 '') +
      bytesText(Math.abs(a.memory)),
    key: a => a.memory
  },
  { title: 'the command that does it', code: true, text: a => a.command, key: a => a.command },
];

function startAdvice() {
  document.getElementById('advice').hidden = page.advice === null;
  if (page.advice === null) return;
  new List({
    parts: { table: 'adviceTable', filter: 'adviceFilter', count: 'adviceCount', more: 'moreAdvice' },
    columns: adviceColumns,
    first: 'saves',
    rows: () => page.advice,
    words: a => `${a.change} ${a.command}`,
    count: found =>
      (page.advice.length ? `${found.length} of ${page.advice.length}, each tried on this program` :
                            'nothing that was tried saves a hundredth of the step'),
  });
}

// Shows "A step in any order takes ... at least. More memory would save ..."
function drawOutlook(verdict) {
  if (page.bounds !== null)
    verdict.append(
      ` No order is faster than ${timeText(page.bounds.merging.ns)}, because of ${heldBy(page.bounds.merging)}.`);
  const best = page.advice === null ? undefined : page.advice.find(a => a.saved > 0);
  if (best !== undefined)
    verdict.append(' ', element('a', { href: '#advice' }, `${best.change} would save ${timeText(best.saved)}.`));
}
