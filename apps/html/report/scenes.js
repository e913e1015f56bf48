/* The script of a report makes one viewer, one table and a histogram out of the scenes and tables
 * in the page. It is one module, in several files that the build puts one behind the other. What
 * comes from names is set as text, never as HTML.
 *
 * This file: what the page contains, and what of it is shown. */
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
const columns = scenes.length
  ? [...document.querySelector('.scene thead tr').cells].map(th => th.textContent) : [];
const many = scenes.length > 1;
const scores = rows.map(r => r.score);
const lowest = scores.reduce((a, b) => Math.min(a, b), Infinity);
const highest = scores.reduce((a, b) => Math.max(a, b), -Infinity);

/* What is shown. */
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
