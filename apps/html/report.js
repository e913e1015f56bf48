/* Makes a report out of its scenes and tables: one viewer, one table, a histogram. Everything that
 * comes from names is set as text, never as HTML. */
(() => {
'use strict';

const ROWS_PER_PAGE = 200, LABELS = 150, BINS = 40, CROP = 48, DETAIL = 168;
const SMALL_IS_GOOD = document.body.dataset.smallIsGood === '1';
const SVG = 'http://www.w3.org/2000/svg';

/* Creates an element. `text` is its text; a function is a listener; the rest are attributes. */
function make(tag, attributes = {}, ...children) {
  const e = tag.startsWith('svg:') ? document.createElementNS(SVG, tag.slice(4))
                                   : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'text') e.textContent = value;
    else if (typeof value === 'function') e.addEventListener(name, value);
    else if (value === true) e.setAttribute(name, '');
    else if (value !== false && value !== undefined) e.setAttribute(name, value);
  }
  e.append(...children);
  return e;
}

const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const plural = (n, word, more = 's') => `${n} ${word}${n === 1 ? '' : more}`;
const shown = score => Math.abs(score) < 10 ? score.toFixed(4) : score.toPrecision(5);

/* ---- What the page contains ---- */

const templs = all('#templates .templ').map(figure => ({
  name: figure.querySelector('bdi').textContent,
  image: figure.querySelector('img'),
  colour: figure.dataset.colour,
  line: figure.dataset.line,
  on: true,
  count: 0,
}));

const rows = [];
const scenes = all('#scenes .scene').map((section, index) => {
  const image = section.querySelector('img');
  const scene = {
    name: section.dataset.name,
    page: Number(section.dataset.page),
    about: section.querySelector('p').textContent,
    stage: section.querySelector('.stage'),
    layer: section.querySelector('.layer'),
    svg: section.querySelector('svg'),
    image,
    width: Number(image.getAttribute('width')),
    height: Number(image.getAttribute('height')),
    factor: Number(section.querySelector('.layer').dataset.factor),
    rows: [],
  };
  for (const tr of section.querySelectorAll('tbody tr')) {
    const cell = [...tr.cells].map(c => c.textContent);
    const row = {
      tr, scene, index, cell, templ: templs[tr.dataset.t], done: false,
      number: Number(cell[0]), x: Number(cell[2]), y: Number(cell[3]),
      width: Number(cell[4]), height: Number(cell[5]), score: Number(cell[8]),
    };
    row.templ.count++;
    scene.rows.push(row);
    rows.push(row);
  }
  return scene;
});
const columns = all('.scene th').slice(0, scenes.length ? scenes[0].rows.length ?
  scenes[0].rows[0].cell.length : document.querySelector('.scene thead tr').cells.length : 0)
  .map(th => th.textContent);
const many = scenes.length > 1;
const scores = rows.map(r => r.score);
const lowest = scores.reduce((a, b) => Math.min(a, b), Infinity);
const highest = scores.reduce((a, b) => Math.max(a, b), -Infinity);

/* ---- State ---- */

let current = -1;            /* the scene that is shown */
let zoom = 1;                /* screen pixels per pixel of the scene */
let limit = SMALL_IS_GOOD ? highest : lowest;
let view = rows;             /* the rows that are shown, in their order */
let page = 0;
let order = { key: '#', turned: false };
let selected = null;
let stage = null;

const isShown = row => row.templ.on && (SMALL_IS_GOOD ? row.score <= limit : row.score >= limit);
const status = make('p', { id: 'status', role: 'status' });
const say = text => { status.textContent = text; };

/* ---- The viewer ---- */

const sceneSelect = make('select', { id: 'scene', change: () => showScene(sceneSelect.selectedIndex) },
  ...scenes.map(s => make('option', { text: title(s) })));
const sceneAbout = make('p', { id: 'scene-about' });
const zoomText = make('output', { id: 'zoom', for: 'viewer' });
const viewer = make('div', { id: 'viewer' });
const detail = make('section', { id: 'detail', 'aria-label': 'Selected match' },
  make('p', { text: 'Select a match in the picture or in the table to see it beside its template.' }));

function title(scene) {
  return scene.page ? `${scene.name}, page ${scene.page}` : scene.name;
}

function button(id, text, label, click) {
  return make('button', { type: 'button', id, text, title: label, 'aria-label': label, click });
}

function fitZoom() {
  const s = scenes[current];
  return Math.min(stage.clientWidth / s.width, stage.clientHeight / s.height);
}

/* Changes the zoom; the point of the scene at (x, y) of the stage stays where it is. */
function setZoom(wanted, x = stage.clientWidth / 2, y = stage.clientHeight / 2) {
  const s = scenes[current], least = Math.min(1, fitZoom()) / 2;
  const next = Math.max(least, Math.min(64, 30000 / Math.max(s.width, s.height), wanted));
  const left = Math.max(0, (stage.clientWidth - s.width * zoom) / 2);
  const top = Math.max(0, (stage.clientHeight - s.height * zoom) / 2);
  const atX = (stage.scrollLeft + x - left) / zoom, atY = (stage.scrollTop + y - top) / zoom;
  zoom = next;
  s.layer.style.width = `${s.width * zoom}px`;
  s.layer.style.height = `${s.height * zoom}px`;
  s.layer.style.setProperty('--zoom', zoom);
  s.layer.classList.toggle('enlarged', zoom * s.factor > 1.5);
  stage.scrollLeft = atX * zoom - x;
  stage.scrollTop = atY * zoom - y;
  zoomText.textContent = `${Math.round(zoom * 100)} %`;
  drawLabelsSoon();
}

function zoomBy(factor) {
  setZoom(zoom * factor);
  say(`Zoom ${zoomText.textContent}`);
}

function framePath(r) {
  return `M${r.x} ${r.y}h${r.width}v${r.height}h-${r.width}z`;
}

/* Draws the frames and numbers of the shown matches of the current scene. */
function drawFrames() {
  const s = scenes[current];
  if (!s) return;
  const visible = s.rows.filter(isShown);
  templs.forEach((templ, t) => {
    const group = s.svg.querySelector(`g[data-t="${t}"]`);
    if (!group) return;
    const own = visible.filter(r => r.templ === templ);
    group.classList.toggle('off', own.length === 0);
    group.querySelector('path').setAttribute('d', own.map(framePath).join(''));
  });
  s.visible = visible.sort((a, b) => SMALL_IS_GOOD ? a.score - b.score : b.score - a.score);
  s.marker.setAttribute('d', selected && selected.scene === s ? framePath(selected) : '');
  drawLabels();
}

/* Numbers the best matches that are in sight; a number that would cover a better one is left out. */
function drawLabels() {
  const s = scenes[current], taken = [], high = 15 / zoom;
  const left = stage.scrollLeft / zoom, top = stage.scrollTop / zoom;
  const right = left + stage.clientWidth / zoom, bottom = top + stage.clientHeight / zoom;
  for (const r of s.visible) {
    if (taken.length >= LABELS) break;
    if (r.x > right || r.y > bottom || r.x + r.width < left || r.y + r.height < top) continue;
    const x = Math.max(r.x, 0), y = Math.max(r.y, high), wide = (8 * String(r.number).length + 4) / zoom;
    if (!taken.some(t => x < t.x + t.wide && t.x < x + wide && Math.abs(y - t.y) < high))
      taken.push({ x, y, wide, row: r });
  }
  s.labels.replaceChildren(...taken.map(t =>
    make('svg:text', { x: t.x, y: t.y, fill: t.row.templ.colour, text: t.row.number })));
}

let waiting = false;
function drawLabelsSoon() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; drawLabels(); });
}

function showScene(index) {
  if (index < 0 || index >= scenes.length) return;
  const s = scenes[index];
  if (!s.labels) {
    s.labels = make('svg:g', { class: 'labels' });
    s.marker = make('svg:path', { class: 'selected' });
    s.svg.prepend(s.marker);
    s.svg.append(s.labels);
    prepareStage(s.stage);
    s.stage.style.aspectRatio = `${s.width} / ${s.height}`;
  }
  current = index;
  stage = s.stage;
  zoom = 1;
  viewer.replaceChildren(stage);
  sceneSelect.selectedIndex = index;
  sceneAbout.textContent = s.about;
  stage.setAttribute('aria-label', `${title(s)}: ${s.about}. Plus and minus zoom, 0 fits, arrow `
    + 'keys scroll, n and p go to the next and previous match.');
  drawFrames();
  setZoom(fitZoom());
}

/* The best of the shown matches whose window contains a point of the scene. */
function matchAt(s, x, y) {
  const hit = s.rows.filter(r => isShown(r) && x >= r.x && y >= r.y && x < r.x + r.width && y < r.y + r.height);
  return hit.sort((a, b) => a.width * a.height - b.width * b.height)[0];
}

function pointOf(event) {
  const box = scenes[current].layer.getBoundingClientRect();
  return [(event.clientX - box.left) / zoom, (event.clientY - box.top) / zoom];
}

/* Dragging scrolls, a click selects, Ctrl and the wheel zoom. */
function prepareStage(element) {
  let drag = null;
  element.tabIndex = 0;
  element.setAttribute('role', 'application');
  element.addEventListener('scroll', drawLabelsSoon);
  element.addEventListener('pointerdown', e => {
    if (e.button === 0 && e.pointerType === 'mouse')
      drag = { x: e.clientX, y: e.clientY, left: element.scrollLeft, top: element.scrollTop, moved: false };
  });
  element.addEventListener('pointermove', e => {
    if (!drag) {
      const r = matchAt(scenes[current], ...pointOf(e));
      element.title = r ? `${r.number}: ${shown(r.score)} ${r.templ.name}` : '';
      return;
    }
    const dx = e.clientX - drag.x, dy = e.clientY - drag.y;
    if (!drag.moved && Math.hypot(dx, dy) < 4) return;
    drag.moved = true;
    element.setPointerCapture(e.pointerId);
    element.scrollLeft = drag.left - dx;
    element.scrollTop = drag.top - dy;
  });
  element.addEventListener('click', e => {
    const moved = drag && drag.moved;
    drag = null;
    const row = !moved && matchAt(scenes[current], ...pointOf(e));
    if (row) select(row, false);
  });
  element.addEventListener('pointercancel', () => { drag = null; });
  element.addEventListener('wheel', e => {
    if (!e.ctrlKey) return;
    e.preventDefault();
    const box = element.getBoundingClientRect();
    setZoom(zoom * Math.exp(-e.deltaY / 300), e.clientX - box.left, e.clientY - box.top);
  }, { passive: false });
  element.addEventListener('keydown', e => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const keys = {
      '+': () => zoomBy(1.5), '=': () => zoomBy(1.5), '-': () => zoomBy(1 / 1.5),
      '0': () => zoomBy(fitZoom() / zoom), '1': () => zoomBy(1 / zoom),
      'n': () => step(1), 'p': () => step(-1),
    };
    if (!keys[e.key]) return;
    e.preventDefault();
    keys[e.key]();
  });
}

/* ---- Crops ---- */

/* Draws a rectangle of an image into a square canvas, in the middle and as large as fits. */
function drawPart(canvas, image, part, whole) {
  const context = canvas.getContext('2d'), scale = canvas.width / Math.max(whole.width, whole.height);
  context.imageSmoothingEnabled = scale < 1;
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, part.x, part.y, part.width, part.height,
    (canvas.width - whole.width * scale) / 2 + part.left * scale,
    (canvas.height - whole.height * scale) / 2 + part.top * scale,
    part.across * scale, part.down * scale);
}

/* Draws what is under a match. The pixels are those of the scene's picture or, if that is reduced,
 * those that the row brings along. */
async function drawCrop(canvas, row) {
  const s = row.scene, x = Math.max(0, row.x), y = Math.max(0, row.y);
  const across = Math.min(s.width, row.x + row.width) - x, down = Math.min(s.height, row.y + row.height) - y;
  if (across <= 0 || down <= 0) return;
  const place = { left: x - row.x, top: y - row.y, across, down };
  if (row.tr.dataset.crop) {
    const image = new Image();
    image.src = row.tr.dataset.crop;
    await image.decode();
    drawPart(canvas, image, { x: 0, y: 0, width: image.naturalWidth, height: image.naturalHeight, ...place }, row);
  } else {
    await s.image.decode();
    drawPart(canvas, s.image, { x, y, width: across, height: down, ...place }, row);
  }
}

async function drawTempl(canvas, templ) {
  const image = templ.image;
  await image.decode();
  const width = image.naturalWidth, height = image.naturalHeight;
  drawPart(canvas, image, { x: 0, y: 0, width, height, left: 0, top: 0, across: width, down: height }, { width, height });
}

function canvas(size, label) {
  return make('canvas', { width: size, height: size, role: 'img', 'aria-label': label });
}

/* Rows are drawn when they come into sight. */
const sight = new IntersectionObserver(entries => {
  for (const e of entries) {
    if (!e.isIntersecting) continue;
    sight.unobserve(e.target);
    e.target.drawPair();
  }
}, { rootMargin: '200px' });

function pair(row, size) {
  const crop = canvas(size, `The window of match ${row.number}`);
  const templ = canvas(size, `Its template, ${row.templ.name}`);
  return [crop, templ, () => Promise.all([drawCrop(crop, row), drawTempl(templ, row.templ)])];
}

/* ---- Selection ---- */

function fact(name, value) {
  return [make('dt', { text: name }), make('dd', {}, make('bdi', { text: value }))];
}

/* Shows a match in the picture and beside its template. */
function select(row, scroll) {
  if (selected) selected.tr.classList.remove('selected');
  selected = row;
  row.tr.classList.add('selected');
  if (row.index !== current) showScene(row.index);
  else drawFrames();
  if (scroll) {
    setZoom(Math.max(zoom, Math.min(8, stage.clientWidth / (4 * row.width), stage.clientHeight / (4 * row.height))));
    stage.scrollLeft = (row.x + row.width / 2) * zoom - stage.clientWidth / 2;
    stage.scrollTop = (row.y + row.height / 2) * zoom - stage.clientHeight / 2;
  }
  const [crop, templ, draw] = pair(row, DETAIL);
  detail.replaceChildren(make('h2', { text: `Match ${row.number}` }),
    make('div', { class: 'pair' },
      make('figure', {}, crop, make('figcaption', { text: 'in the image' })),
      make('figure', {}, templ, make('figcaption', { text: 'template' }))),
    make('dl', {}, ...fact('image', title(row.scene)), ...fact('template', row.templ.name),
      ...columns.slice(2).flatMap((name, i) => fact(name, row.cell[i + 2]))));
  draw();
  say(`Match ${row.number}: score ${shown(row.score)}, ${row.templ.name} at ${row.x}, ${row.y}`);
}

function step(by) {
  const own = view.filter(r => r.index === current);
  if (!own.length) return;
  const at = own.indexOf(selected);
  select(own[at < 0 ? 0 : (at + by + own.length) % own.length], true);
}

/* ---- The table ---- */

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

/* ---- The histogram ---- */

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

/* ---- Which matches are shown ---- */

function swatch(templ) {
  return make('svg:svg', { class: 'swatch', viewBox: '0 0 22 16', 'aria-hidden': 'true' },
    make('svg:rect', { x: 3, y: 3, width: 16, height: 10, stroke: templ.colour, class: templ.line }));
}

function toggle(templ, t) {
  const box = make('input', { type: 'checkbox', checked: true, 'data-t': t, change: () => {
    templ.on = box.checked;
    page = 0;
    update();
    say(`${templ.name}: ${templ.on ? 'shown' : 'hidden'}`);
  } });
  return make('label', {}, box, swatch(templ), make('bdi', { text: templ.name }),
    make('span', { class: 'count', text: templ.count }));
}

const toggles = templs.map(toggle);
const setAll = on => {
  templs.forEach((t, i) => { t.on = on; toggles[i].querySelector('input').checked = on; });
  page = 0;
  update();
};
const limitText = make('output', { id: 'limit-value', for: 'limit' });
const limitInput = make('input', { type: 'range', id: 'limit', min: 0, max: 200, step: 1, value: SMALL_IS_GOOD ? 200 : 0,
  input: () => {
    limit = lowest + (highest - lowest) * limitInput.value / 200;
    page = 0;
    update();
  } });

/* Shows the state everywhere. */
function update() {
  const key = keyOf(order.key), turn = order.turned ? -1 : 1;
  view = rows.filter(isShown).map(r => [key(r), r])
    .sort(([a, r], [b, s]) => turn * (typeof a === 'string' ? words.compare(a, b) : a < b ? -1 : a > b ? 1 : 0)
      || r.number - s.number)
    .map(([, r]) => r);
  limitText.textContent = rows.length ? shown(limit) : '';
  limitInput.setAttribute('aria-valuetext', limitText.textContent);
  drawFrames();
  drawHistogram();
  drawTable();
}

/* ---- The page ---- */

const themes = ['light dark', 'dark', 'light'], themeNames = ['Theme: system', 'Theme: dark', 'Theme: light'];
let theme = 0;
const themeButton = make('button', { type: 'button', id: 'theme', text: themeNames[0], click: () => {
  theme = (theme + 1) % 3;
  document.documentElement.style.colorScheme = themes[theme];
  themeButton.textContent = themeNames[theme];
} });

const failures = all('#scenes .failure');
document.querySelector('header').append(
  make('p', { id: 'summary', text: [plural(rows.length, 'match', 'es'), `in ${plural(scenes.length, 'picture')}`,
    `for ${plural(templs.length, 'template')}`].join(' ') + (failures.length ? `; ${failures.length} could not be searched` : '') }),
  themeButton);
document.getElementById('app').append(
  make('section', { id: 'controls', 'aria-label': 'What is shown' },
    make('fieldset', { id: 'toggles' }, make('legend', { text: 'Templates' }), ...toggles,
      ...(templs.length > 2 ? [button('all-on', 'All', 'Show all templates', () => setAll(true)),
        button('all-off', 'None', 'Hide all templates', () => setAll(false))] : [])),
    make('p', {}, make('label', { for: 'limit', text: SMALL_IS_GOOD ? 'Scores up to ' : 'Scores from ' }), limitInput, limitText)),
  make('section', { id: 'picture' },
    make('h2', { text: 'Picture' }),
    make('p', { class: 'tools', id: 'scene-bar' },
      make('label', { for: 'scene', text: 'Image ' }), sceneSelect,
      button('previous-scene', '\u2039', 'Previous image', () => showScene(current - 1)),
      button('next-scene', '\u203a', 'Next image', () => showScene(current + 1))),
    make('p', { class: 'tools' },
      button('zoom-out', '\u2212', 'Zoom out', () => zoomBy(1 / 1.5)), zoomText,
      button('zoom-in', '+', 'Zoom in', () => zoomBy(1.5)),
      button('zoom-fit', 'Fit', 'Fit the picture', () => zoomBy(fitZoom() / zoom)),
      button('zoom-one', '1:1', 'One screen pixel per pixel', () => zoomBy(1 / zoom)),
      button('previous-match', 'Previous match', 'Previous match', () => step(-1)),
      button('next-match', 'Next match', 'Next match', () => step(1))),
    make('div', { id: 'side-by-side' }, viewer, detail), sceneAbout),
  make('section', {}, make('h2', { text: 'Scores' }), histogram),
  make('section', { id: 'matches' }, make('h2', { text: 'Matches' }),
    make('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Table of matches' },
      make('table', {}, caption, make('thead', {}, make('tr', {}, ...heads)), body)), pager),
  status);
document.getElementById('scene-bar').hidden = !many;
if (failures.length)
  document.getElementById('app').append(make('section', { id: 'failures' },
    make('h2', { text: 'Not searched' }), ...failures));
update();
if (scenes.length) showScene(0);
addEventListener('resize', () => { if (stage) setZoom(zoom); });
/* Tests read when the page could be used. */
requestAnimationFrame(() => setTimeout(() => {
  document.documentElement.dataset.ready = Math.round(performance.now());
}));
})();
