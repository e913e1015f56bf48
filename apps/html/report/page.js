/* Which matches are shown, and the page as a whole. */

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
