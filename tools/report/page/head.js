// Draws the part above the timeline: the sentence, and five numbers before and after.

function tile(what, was, now, text, options = {}) {
  const better = options.neutral ? '' : now < was ? 'good' : now > was ? 'bad' : '';
  const change =
    was === now || was === 0 ? 'unchanged' : (now > was ? '+' : '−') + percentText(Math.abs(now - was), was);
  const second = page.schedules.length > 1 ? element('div', { class: 'was' }, `${before.name} ${text(was)}, `,
    element('span', { class: better }, change)) : element('div', { class: 'was' }, 'unchanged');
  return element(
    'div', { class: 'tile' }, element('div', { class: 'what' }, what), element('div', { class: 'now' }, text(now)),
    options.more ? element('div', { class: 'was' }, options.more) : '', second);
}

function drawTiles() {
  const shares = `${percentText(after.exposed, after.total)} of the step`;
  document.getElementById('tiles').append(
    tile('step', before.total, after.total, timeText,
      { more: page.bounds === null ? '' : `bound ${timeText(page.bounds.merging.ns)}` }),
    tile('exposed communication', before.exposed, after.exposed, timeText, { more: shares }),
    tile('communication', before.communicating, after.communicating, timeText,
      { more: `${percentText(after.communicating - after.exposed, after.communicating)} hidden` }),
    tile('computation', before.compute, after.compute, timeText, { neutral: true }),
    tile('peak memory', before.peak, after.peak, bytesText,
      { more: page.budget === null ? 'no budget' : `budget ${bytesText(page.budget)}` }));
}

function worstKind() {
  const sums = new Map();
  for (const transfer of after.transfers) {
    const key = `${page.kinds[transfer.kind]} on group ${after.groups[transfer.group].name}`;
    sums.set(key, (sums.get(key) || 0) + transfer.exposed);
  }
  return [...sums].sort((a, b) => b[1] - a[1])[0];
}

function drawVerdict() {
  const verdict = document.getElementById('verdict');
  const strong = text => element('b', {}, text);
  if (page.schedules.length > 1)
    verdict.append(
      'The step takes ', strong(timeText(before.total)), ` ${before.name} and `, strong(timeText(after.total)),
      ` ${after.name}. `);
  else verdict.append('The step takes ', strong(timeText(after.total)), '. ');
  sayExposed(verdict, strong);
  drawOutlook(verdict);
}

function sayExposed(verdict, strong) {
  if (after.exposed === 0)
    return void verdict.append(after.transfers.length ? 'All communication is hidden.' : 'It has no communication.');
  const [key, sum] = worstKind();
  verdict.append('Computation still stalls for ', element('b', { class: 'bad' }, timeText(after.exposed)),
    ` (${percentText(after.exposed, after.total)}), `, sum >= after.exposed ? 'all of it' : strong(timeText(sum)) ,
    ` waiting for ${key}.`);
}

function drawHead() {
  document.title = `${page.graph}: ccgraph report`;
  document.getElementById('title').textContent = `${page.graph} · ${page.input}`;
  document.getElementById('subtitle').textContent =
    `${page.level} · ${page.machine} · ${whole.format(after.nodes.length)} nodes · ${page.tool}`;
  document.getElementById('text').textContent = page.summary;
  drawVerdict();
  drawTiles();
}

function chooseTheme() {
  const root = document.documentElement;
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const apply = isDark => (root.dataset.theme = isDark ? 'dark' : 'light', redraw());
  dark.addEventListener('change', event => apply(event.matches));
  document.getElementById('theme').onclick = () => apply(root.dataset.theme !== 'dark');
  apply(dark.matches);
}
