// Implements a table that sorts by any column, filters by words, and creates its rows as needed, a page at a time.

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

function cellOf(column, value) {
  const text = column.text(value);
  const full = column.full ? column.full(value) : text.length > 40 && !column.code ? text : undefined;
  return element('td', { class: column.number ? 'number' : column.code ? 'code' : undefined, title: full },
    column.code ? element('code', {}, text) : text);
}

function fillTable(table, columns, values, limit, attributes = () => ({})) {
  const rows = document.createDocumentFragment();
  for (const value of values.slice(0, limit))
    rows.append(element('tr', attributes(value), ...columns.map(column => cellOf(column, value))));
  table.tBodies[0].replaceChildren(rows);
}

function offerMore(button, shown, all, show) {
  button.hidden = shown >= all;
  button.textContent = `show ${Math.min(ROWS, all - shown)} more of ${whole.format(all - shown)}`;
  button.onclick = show;
}

function markSorted(columns, sort, down) {
  for (const column of columns) {
    column.head.setAttribute('aria-sort', column === sort ? (down ? 'descending' : 'ascending') : 'none');
    column.head.firstChild.textContent = column.title + (column === sort ? (down ? ' ▾' : ' ▴') : '');
  }
}

const byKey = (key, down) => (a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) * (down ? -1 : 1);

// `parts` has the ids of the table, the filter, the count and the button for more; `rows` returns all values, `words`
// the filtered text, `wanted` (optional) a further condition, `count` the sentence beside the filter; `open` handles a
// click or Enter on a row.
class List {
  constructor(options) {
    Object.assign(this, { wanted: () => true, limit: ROWS, down: true }, options);
    const part = name => document.getElementById(this.parts[name]);
    [this.table, this.filter, this.said, this.more] = ['table', 'filter', 'count', 'more'].map(part);
    this.filter.oninput = () => this.restart();
    for (const event of ['click', 'keydown']) this.table.tBodies[0].addEventListener(event, this.openRow.bind(this));
    headOf(this.table, this.columns, column => this.sortBy(column));
    this.sortBy(this.columns.find(column => column.title === this.first));
  }

  sortBy(column) {
    this.down = this.sort === column ? !this.down : Boolean(column.number);
    this.sort = column;
    this.draw();
  }

  restart() {
    this.limit = ROWS;
    this.draw();
  }

  found() {
    const text = this.filter.value.toLowerCase();
    return this.rows().filter(value => this.wanted(value) && (!text || this.words(value).toLowerCase().includes(text)));
  }

  draw() {
    this.shown = this.found().sort(byKey(this.sort.key, this.down));
    markSorted(this.columns, this.sort, this.down);
    const numbers = new Map(this.shown.map((value, index) => [value, index]));
    fillTable(
      this.table, this.columns, this.shown, this.limit, value => ({ tabindex: 0, 'data-index': numbers.get(value) }));
    this.said.textContent = this.count(this.shown);
    offerMore(this.more, this.limit, this.shown.length, () => (this.limit += ROWS, this.draw()));
    this.mark();
  }

  openRow(event) {
    const row = event.target.closest('tr[data-index]');
    if (row && this.open && (event.type === 'click' || event.key === 'Enter')) this.open(this.shown[row.dataset.index]);
  }

  // Marks the row of the item that is selected in the timeline.
  mark() {
    for (const row of this.table.tBodies[0].querySelectorAll('.chosen')) row.classList.remove('chosen');
    const index = this.isChosen ? this.shown.findIndex(this.isChosen) : -1;
    if (index >= 0 && index < this.limit) this.table.tBodies[0].rows[index].classList.add('chosen');
  }
}

// Shows a collective in the timeline.
function openTransfer(plot, transfer) {
  choose(plot, transfer, { zoom: true });
  canvas.scrollIntoView({ block: 'nearest' });
}
const isChosenOf = plot => transfer =>
  Boolean(view.chosen) && view.chosen.plot === plot && view.chosen.transfer === transfer;
