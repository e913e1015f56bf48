/* The viewer: one scene with its frames, zoomed and scrolled. */

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
