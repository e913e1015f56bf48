/* The table of all matches, and the histogram of their scores. */

const before = many ? ['image', 'page'] : [];
const names = [columns[0], ...before, ...columns.slice(1), 'match and template'];
const words = new Intl.Collator(undefined, { numeric: true });
const heads = names.map(name => name === 'match and template' ? make('th', { scope: 'col', text: name })
  : make('th', { scope: 'col', 'aria-sort': 'none', 'data-key': name },
      make('button', { type: 'button', text: name, click: () => sortBy(name) })));
const body = make('tbody');
const caption = make('caption');
const pager = make('nav', { id: 'pager', 'aria-label': 'Pages of the table' });

/* The value of a row in a column, for sorting. */
function keyOf(name) {
  if (name === 'image') return r => r.scene.name;
  if (name === 'page') return r => r.scene.page;
  if (name === 'template') return r => r.templ.name;
  const i = columns.indexOf(name);
  return r => r.cell[i] === '' ? -Infinity : Number(r.cell[i]);
}

function sortBy(name) {
  const first = name === 'score' && !SMALL_IS_GOOD;
  order = { key: name, turned: order.key === name ? !order.turned : first };
  page = 0;
  update();
  say(`Sorted by ${name}, ${order.turned ? 'descending' : 'ascending'}`);
}

/* Adds to the row of a scene's table what the table of all scenes shows. */
function complete(row) {
  if (row.done) return;
  row.done = true;
  const cells = row.tr.cells;
  cells[0].replaceChildren(make('button', {
    type: 'button', text: row.cell[0], 'aria-label': `Show match ${row.number}`, click: () => select(row, true),
  }));
  if (many)
    cells[0].after(make('td', {}, make('bdi', { text: row.scene.name })), make('td', { text: row.scene.page }));
  const [crop, templ, draw] = pair(row, CROP);
  const cell = make('td', { class: 'pair' }, crop, templ);
  cell.drawPair = draw;
  row.tr.append(cell);
  sight.observe(cell);
}

function drawTable() {
  const part = view.slice(page * ROWS_PER_PAGE, (page + 1) * ROWS_PER_PAGE);
  part.forEach(complete);
  body.replaceChildren(...part.map(r => r.tr));
  for (const th of heads)
    if (th.dataset.key)
      th.setAttribute('aria-sort', th.dataset.key !== order.key ? 'none' : order.turned ? 'descending' : 'ascending');
  const pages = Math.ceil(view.length / ROWS_PER_PAGE), first = page * ROWS_PER_PAGE;
  caption.textContent = view.length === rows.length ? plural(rows.length, 'match', 'es')
    : `${view.length} of ${plural(rows.length, 'match', 'es')}`;
  if (pages > 1)
    caption.textContent += `, ${first + 1} to ${first + part.length} shown`;
  const turn = (id, text, to) => make('button',
    { type: 'button', id, text, disabled: to < 0 || to >= pages || to === page, click: () => { page = to; drawTable(); } });
  pager.hidden = pages < 2;
  pager.replaceChildren(turn('first', 'First', 0), turn('previous', 'Previous', page - 1),
    make('span', { text: `Page ${page + 1} of ${pages}` }), turn('next', 'Next', page + 1), turn('last', 'Last', pages - 1));
}

const histogram = make('figure', { id: 'histogram' });

function binOf(score) {
  return highest > lowest ? Math.min(BINS - 1, Math.floor((score - lowest) / (highest - lowest) * BINS)) : 0;
}

function drawHistogram() {
  const count = new Array(BINS).fill(0), width = 640, height = 120, bar = width / BINS;
  for (const r of view) count[binOf(r.score)]++;
  const most = Math.max(1, ...count), at = i => lowest + (highest - lowest) * i / BINS;
  const label = `Histogram of ${plural(view.length, 'score')}` + (view.length
    ? ` from ${shown(lowest)} to ${shown(highest)}; ${most} in the fullest of ${BINS} steps` : '');
  histogram.replaceChildren(
    make('svg:svg', { viewBox: `0 0 ${width} ${height + 24}`, role: 'img', 'aria-label': label },
      ...count.map((n, i) => make('svg:rect', { class: 'bar', x: i * bar + 1, width: bar - 2,
        y: height - height * n / most, height: height * n / most },
        make('svg:title', { text: `${shown(at(i))} to ${shown(at(i + 1))}: ${n}` }))),
      make('svg:line', { x1: 0, x2: width, y1: height, y2: height }),
      make('svg:text', { x: 0, y: height + 17, text: rows.length ? shown(lowest) : '' }),
      make('svg:text', { x: width / 2, y: height + 17, 'text-anchor': 'middle', text: 'score' }),
      make('svg:text', { x: width, y: height + 17, 'text-anchor': 'end', text: rows.length ? shown(highest) : '' })),
    make('figcaption', { text: `${most} in the fullest of ${BINS} steps` }));
}
