/* The pixels of a match beside its template, and the match that is selected. */

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
