// Prepares the items of the timeline: for each schedule a row of computation, one for each group, and the curve of
// memory. An item has a begin, an end and a color; the items of a row are in the order of time and do not overlap.

const kindColors = ['all_gather', 'reduce_scatter', 'all_reduce', 'all_to_all'];
const colorOfKind = kind => (kindColors.includes(page.kinds[kind]) ? page.kinds[kind] : 'other');
const isProduct = operation =>
  /\b(mm|bmm|addmm|baddbmm|linear|convolution|.*attention.*|grouped_mm|_grouped_mm)\b/.test(operation);

function rowOfItems(title, items, detail) {
  items.sort((a, b) => a.begin - b.begin);
  return { title, detail, items, ends: Float64Array.from(items, item => item.end) };
}

function computeRow(schedule) {
  const items = [];
  for (let i = 0; i < schedule.nodes.length; ++i)
    if (schedule.roles[i] === ROLE.compute && schedule.end[i] > schedule.begin(i))
      items.push({ begin: schedule.begin(i), end: schedule.end[i], step: i,
        color: isProduct(operationOf(schedule.nodes[i])) ? 'matmul' : 'compute' });
  for (const transfer of schedule.transfers)
    if (transfer.exposed > 0)
      items.push({ begin: transfer.end - transfer.exposed, end: transfer.end, color: 'idle', transfer });
  return rowOfItems('computation', items, `${percentText(schedule.compute, schedule.total)} busy`);
}

function groupRow(schedule, index) {
  const group = schedule.groups[index];
  const items = schedule.transfers.filter(transfer => transfer.group === index).map(transfer =>
    ({ begin: transfer.begin, end: transfer.end, color: colorOfKind(transfer.kind), transfer }));
  const busy = items.reduce((sum, item) => sum + item.end - item.begin, 0);
  return rowOfItems(`group ${group.name}`, items, `${group.ranks} ranks, ${percentText(busy, schedule.total)} busy`);
}

function rowsOf(schedule) {
  const rows = [computeRow(schedule)];
  for (let group = 0; group < schedule.groups.length; ++group) rows.push(groupRow(schedule, group));
  return rows.filter((row, index) => index === 0 || row.items.length);
}

// Returns the first item that ends after this time.
function firstEndingAfter(row, time) {
  let low = 0, high = row.ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (row.ends[middle] > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

function stepAt(schedule, time) {
  let low = 0, high = schedule.end.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (schedule.end[middle] > time) high = middle;
    else low = middle + 1;
  }
  return low;
}
