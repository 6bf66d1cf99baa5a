// The site in a browser, as a reader uses it: from a folder below the root of a server, with the strictest policy, by mouse and by keys.
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { Browser, KEY } from './browser.mjs';
import { serve } from './site.mjs';

const DIST = resolve('web/dist');
const SHOTS = resolve('web/test/shots');
const RECORDING = '18/hot-chain';

let site, browser;

before(async () => {
  await mkdir(SHOTS, { recursive: true });
  site = await serve(DIST);
  browser = await Browser.start();
  await browser.resize(1440, 900);
});

after(async () => {
  await browser?.stop();
  site?.stop();
});

const text = (css) => browser.run('return document.querySelector(arguments[0])?.textContent ?? null', css);
const count = (css) => browser.run('return document.querySelectorAll(arguments[0]).length', css);
const shown = (css) => browser.waitFor(`document.querySelector(${JSON.stringify(css)})`, css);
const step = () => text('.step').then((words) => Number(words.split('/')[0]));
const at = (n) => browser.waitFor(`document.querySelector('.step')?.textContent.startsWith('${n} /')`, `step ${n}`);

/** The picture as words: every part with its role and change. */
const picture = () => browser.run(`return [...document.querySelectorAll('[data-part]')]
  .map((e) => [e.dataset.part, e.dataset.role, e.getAttribute('class'), e.textContent].join(' ')).join('\\n')`);

/** Opens the site; keys that come before the rest of the program wait for it, so the tests wait too. */
async function open(hash = '', whole = true) {
  await browser.open('about:blank');
  await browser.open(site.url + hash);
  await shown(hash ? '.story' : '.list');
  if (whole) await shown('html[data-complete]');
}

/** From the figure to the page that it is made from. */
async function showPage() {
  await browser.keys('5');
  await shown('section.page');
}

async function nothingWrong() {
  assert.deepEqual(await browser.console(), []);
  const elsewhere = (await browser.requests()).filter((url) => !/^(data|blob|about|chrome|chrome-untrusted|file):/.test(url) && !url.startsWith(site.url));
  assert.deepEqual(elsewhere, []);
}

test('the library is listed, and a click opens a recording', async () => {
  await open();
  const library = JSON.parse(await readFile(`${DIST}/snapshots/library.json`));
  assert.equal(await count('[data-role="entry"]'), library.length);
  await browser.screenshot(`${SHOTS}/library.png`, false);
  await browser.click('[data-part="entry:0"]');
  await shown('.story');
  assert.ok(await text('.headline'));
  await browser.waitFor(`location.hash === '#${library[0].name}/step/0'`);
  await nothingWrong();
});

test('the first picture needs the first part of the program only, and what is done meanwhile is done when the rest is there', async () => {
  const library = JSON.parse(await readFile(`${DIST}/snapshots/library.json`));
  const lessons = library.map((entry) => entry.name).filter((name) => name.startsWith('lesson/'));
  assert.ok(lessons.length > 5, 'there are lessons');
  let release;
  for (const [width, name] of [[1440, ''], ...lessons.map((name) => [1440, name]), [390, ''], [390, lessons[0]]]) {
    release = site.hold('ffviz_rest.wasm');
    await browser.resize(width, 900);
    await open(name && `#${name}`, false);
    await browser.waitFor('performance.getEntriesByName(new URL("ffviz_rest.wasm", location.href).href).length === 0', `${name}: the rest is kept back`);
    assert.deepEqual(await browser.console(), [], `${name || 'the library'}, ${width} wide: something of the rest was called (web/bundler/src/split.rs)`);
  }
  await browser.keys(KEY.right);
  assert.equal(await step(), 0);
  release();
  // CREATE TABLE is one step, however many it has
  await browser.waitFor(`Number(document.querySelector('.step')?.textContent.split('/')[0]) > 0`, 'a step');
  await browser.resize(1440, 900);
  await nothingWrong();
});

test('the welcoming picture is stopped, and plays again', async () => {
  await open();
  const control = () => browser.run('return [document.querySelector(".hero button").textContent, document.querySelector(".hero img").getAttribute("src")]');
  assert.deepEqual(await control(), ['❚❚ stop', 'hero.svg']);
  await browser.click('.hero button');
  assert.deepEqual(await control(), ['▶ play again', 'hero-still.svg']);
  await browser.click('.hero button');
  assert.deepEqual(await control(), ['❚❚ stop', 'hero.svg?2']);
  assert.doesNotMatch(await readFile(`${DIST}/hero-still.svg`, 'utf8'), /prefers-reduced-motion/, 'nothing moves, whatever a reader prefers');
  await nothingWrong();
});

test('what the complaints lead to is there', async () => {
  await browser.open(`${site.url}complaints.html`);
  const links = await browser.run('return [...document.querySelectorAll("section a[href*=\'/step/\']")].map((a) => a.hash)');
  assert.ok(links.length > 10, links.join(' '));
  for (const hash of links) {
    await open(hash);
    const wanted = hash.split('/step/')[1];
    await browser.waitFor(`(Number(document.querySelector('.step')?.textContent.split('/')[0]) > 0) === ${wanted !== '0'}`, hash);
  }
  await nothingWrong();
});

test('what is typed into the filter before the rest of the program is there stays, and filters', async () => {
  const library = JSON.parse(await readFile(`${DIST}/snapshots/library.json`));
  const matching = (word) => library.filter(({ name, title }) => `${name} ${title}`.toLowerCase().includes(word)).length;
  const listed = (word, way) => browser.waitFor(
    `document.querySelector('#filter').value === '${word}' && document.querySelectorAll('[data-role=entry]').length === ${matching(word)}`,
    `what matches "${word}", after ${way}`);
  for (const [way, begin] of [['its key', () => browser.keys('/')], ['a click', () => browser.click('#filter')]]) {
    const release = site.hold('ffviz_rest.wasm');
    await open('', false);
    await begin();
    await browser.keys(...'hot');
    await listed('hot', way);
    // another width is drawn anew
    await browser.resize(390, 900);
    await browser.resize(1440, 900);
    await listed('hot', way);
    release();
    await shown('html[data-complete]');
    await browser.keys(...'-c');
    await listed('hot-c', way);
    assert.equal(await browser.run('return document.activeElement.id'), 'filter', way);
    await browser.keys(KEY.escape);
    await listed('', `${way} and Escape`);
  }
  await nothingWrong();
});

test('steps go forward and back, and back gives the same picture', async () => {
  await open(`#${RECORDING}`);
  const pictures = [await picture()];
  const last = Number((await text('.step')).split('/')[1]);
  for (let n = 1; n <= last; n += 1) {
    await browser.click('[aria-label="step forward"]');
    await at(n);
    pictures.push(await picture());
  }
  assert.notEqual(pictures[0], pictures[1]);
  for (let n = last - 1; n >= 0; n -= 1) {
    await browser.keys(KEY.left);
    await at(n);
    assert.equal(await picture(), pictures[n], `back at step ${n}`);
  }
  await nothingWrong();
});

test('a link leads to a step', async () => {
  await open(`#${RECORDING}/step/3`);
  await at(3);
  await browser.run('location.hash = arguments[0]', `#${RECORDING}/step/1`);
  await at(1);
  await nothingWrong();
});

test('a click on the bar of steps leads to the state that is there, and the mouse is told which', async () => {
  await open(`#${RECORDING}`);
  const last = Number((await text('.step')).split('/')[1]);
  for (const n of [last, 2, 0, 3]) {
    const said = await browser.run(`
      const bar = document.querySelector('svg.marks');
      const { left, width, top } = bar.getBoundingClientRect();
      const at = { bubbles: true, clientX: left + width * arguments[0] / arguments[1], clientY: top + 2 };
      bar.dispatchEvent(new MouseEvent('mousemove', at));
      bar.dispatchEvent(new MouseEvent('click', at));
      return bar.querySelector('title').textContent;`, n, last);
    await at(n);
    assert.ok(said.startsWith(`${n} `), said);
  }
  await browser.click('svg.marks');
  await browser.waitFor(`Math.abs(Number(document.querySelector('.step').textContent.split('/')[0]) - ${last} / 2) <= 0.5`, 'the middle');
  await nothingWrong();
});

test('a tuple is selected, and the inspector shows its fields and bits', async () => {
  await open(`#${RECORDING}/step/3`);
  await showPage();
  await browser.click('svg.bytes [data-part="tuple:2"] .caption, svg.bytes [data-part="tuple:2"] .fill');
  await shown('[data-field="t_ctid"]');
  assert.equal(await text('[data-field="t_ctid"] .value'), '(0,2)');
  assert.equal(await text('[data-field="t_ctid"] .hex'), '00 00 00 00 02 00');
  assert.ok(await count('[data-field="t_infomask"] .bits .set') > 0);
  assert.equal(await browser.run('return document.querySelector("tr[aria-current]").dataset.part'), 'lp:2');
  await browser.screenshot(`${SHOTS}/page-light.png`, false);
  await nothingWrong();
});

/** Reads off the page which bytes are painted as changed, point by point; of a folded line, all or none. */
const PAINTED = `
  const svg = document.querySelector('svg.bytes');
  const [line, byte, height] = svg.classList.contains('is-roomy') ? [64, 13, 22] : [128, 6, 12];
  const changed = svg.querySelector('.changed');
  const at = (x, y) => changed?.isPointInFill(new DOMPoint(x, y)) ?? false;
  const starts = [...svg.querySelectorAll('.position')].map((e) => [Number(e.textContent), Number(e.getAttribute('y')) - 4]);
  starts.push([arguments[0], starts.at(-1)[1] + (arguments[0] - starts.at(-1)[0]) / line * height]);
  const painted = [];
  let folds = 0;
  for (let n = 0; n + 1 < starts.length; n += 1) {
    const [[from, y], [to, next]] = [starts[n], starts[n + 1]];
    const folded = (to - from) / line > (next - y) / height + 0.1;
    if (folded) {
      folds += 1;
      const points = Array.from({ length: line }, (_, n) => at(38 + (n + 0.5) * byte, y));
      if (points.some((point) => point !== points[0])) throw new Error('a fold that is painted in part, at ' + from);
      if (points[0]) for (let n = from; n < to; n += 1) painted.push(n);
    } else {
      for (let n = from; n < to; n += 1) {
        if (at(38 + ((n - from) % line + 0.5) * byte, y + Math.floor((n - from) / line) * height)) painted.push(n);
      }
    }
  }
  return { painted, folds };`;

/** The states of a recording: pages by relation and block. Main forks only. */
async function states(name) {
  const lines = gunzipSync(await readFile(`${DIST}/snapshots/${name}.ffrec.gz`)).toString().trim().split('\n').map(JSON.parse);
  const found = [];
  const names = {};
  for (const line of lines) {
    if (line.line === 'capture') found.push({ ...found.at(-1) });
    if (line.line === 'relation') names[line.oid] = line.name;
    if (line.line === 'page' && line.fork === 'main') found.at(-1)[`${names[line.oid]} · block ${line.block}`] = Buffer.from(line.data, 'base64');
  }
  return found;
}

test('exactly the bytes that a step changed are painted as changed', async () => {
  let [pages, bytes, folds] = [0, 0, 0];
  for (const name of ['18/hot-chain', '18/fillfactor-100', '18/delete-vacuum-reuse', '18/btree-grow', '18/dedup-bottomup']) {
    const all = await states(name);
    await open(`#${name}`);
    await showPage();
    for (let n = 1; n < all.length; n += 1) {
      await browser.keys('l');
      await at(n);
      // to the first page that the step changed
      await browser.keys('c');
      const page = (await text('section.page h2'))?.match(/^.* · block \d+(?= of)/)?.[0];
      const [before, after] = [all[n - 1][page], all[n][page]];
      if (!after) continue;
      const wanted = before ? [...after.keys()].filter((at) => before[at] !== after[at]) : [];
      const found = await browser.run(PAINTED, after.length);
      assert.deepEqual(found.painted, wanted, `${name}, step ${n}, ${page}`);
      [pages, bytes, folds] = [pages + 1, bytes + wanted.length, folds + found.folds];
      if (name === RECORDING && n === 3) await browser.screenshot(`${SHOTS}/changed.png`, false);
    }
  }
  console.log(`${pages} pages with ${bytes} changed bytes and ${folds} folded lines compared`);
  assert.ok(pages > 20 && bytes > 5000 && folds > 20, 'too little was compared');
  await nothingWrong();
});

test('a double click follows: line pointer, tuple, next version', async () => {
  await open(`#${RECORDING}/step/3`);
  await showPage();
  const selected = () => browser.run('return document.querySelector("tr[aria-current]")?.dataset.part');
  await browser.click('tr[data-part="lp:3"] td:nth-child(3)');
  await browser.waitFor('document.querySelector("tr[data-part=\'lp:3\'][aria-current]")', 'the row selected');
  const inspected = await text('#inspected');
  await browser.doubleClick('tr[data-part="lp:3"] td:nth-child(3)');
  await browser.waitFor(`document.querySelector('#inspected').textContent !== ${JSON.stringify(inspected)}`, 'the tuple');
  assert.equal(await selected(), 'lp:3');
  await browser.keys(KEY.enter);
  await browser.waitFor('document.querySelector("tr[data-part=\'lp:4\'][aria-current]")', 'the next version');
  await nothingWrong();
});

test('everything can be done by keys', async () => {
  await open();
  await browser.keys('/');
  await browser.keys(...'18 hot-chain');
  await browser.waitFor('document.querySelectorAll("[data-role=entry]").length === 1', 'one entry');
  await browser.keys(KEY.enter);
  await shown('section.figure');
  await browser.keys(KEY.right, 'l', KEY.down, KEY.down);
  await at(2);
  await shown('.drawing .is-selected');
  for (const [key, section] of [['3', 'section.map'], ['1', 'section.list'], ['5', 'section.page'], ['2', 'section.figure']]) {
    await browser.keys(key);
    await shown(section);
  }
  await browser.keys('?');
  await shown('[role=dialog]');
  assert.equal(await browser.run('return document.activeElement.id'), 'dialog');
  assert.ok(await count('[role=dialog] kbd') > 30);
  const help = await text('[role=dialog]');
  for (const elsewhere of ['quit', 'recording', 'suspend', '$EDITOR']) {
    assert.ok(!help.includes(elsewhere), `${elsewhere} is nothing that can be done here`);
  }
  await browser.screenshot(`${SHOTS}/help.png`, false);
  await browser.keys(KEY.escape);
  await browser.waitFor('!document.querySelector("[role=dialog]")', 'no dialog');
  await browser.keys(KEY.tab, KEY.tab);
  assert.notEqual(await browser.run('return document.activeElement.tagName'), 'BODY');
  await nothingWrong();
});

/** Steps on until the lesson asks; gives the number of the right answer, which a reader would not know. */
async function untilAsked(trace) {
  for (let n = 0; !(await count('.question.waits')); n += 1) {
    assert.ok(n < 200, 'nothing is asked');
    await browser.keys(KEY.right);
  }
  const place = Number((await text('.narration .place')).split(' ')[0]);
  return 1 + trace.sections[place - 1].question.choices.findIndex((choice) => choice.right);
}

test('a lesson is played: read, asked, answered by a letter, again after a wrong one, and by a click', async () => {
  const [entry] = JSON.parse(await readFile(`${DIST}/snapshots/library.json`));
  const packed = await readFile(`${DIST}/snapshots/${entry.name}.ffrec.gz`);
  const lesson = gunzipSync(packed).toString().split('\n').map((line) => line && JSON.parse(line)).find((line) => line.line === 'lesson');
  await open();
  await browser.click('[data-part="entry:0"]');
  await shown('.narration');
  assert.equal(await count('.list [data-role=entry]'), lesson.sections.length, 'the contents have a row a section');
  assert.equal(await count('#filter'), 0, 'contents are not filtered');
  const status = () => text('[role=status]');
  const verdict = (right) => browser.waitFor(`document.querySelector('.verdict strong')?.textContent.includes(${JSON.stringify(right)})`, right);

  let right = await untilAsked(lesson);
  const here = await step();
  const wrong = right === 1 ? 2 : 1;
  await browser.screenshot(`${SHOTS}/lesson-asked.png`, false);
  const letter = (n) => 'abcdefgh'[n - 1];
  const mark = (n) => browser.run('return document.querySelector(`.choices li:nth-child(${arguments[0]}) button`).className', n);
  await browser.keys(letter(wrong));
  await verdict('That is not right.');
  assert.match(await status(), new RegExp(`^${letter(wrong)} is not right`));
  assert.match(await mark(wrong), /wrong/);
  assert.doesNotMatch(await mark(right), /right/, 'the reader may try again');
  await browser.keys(letter(right));
  await verdict('That is right.');
  assert.match(await mark(right), /right/);
  assert.equal(await step(), here, 'an answer is no step');

  await browser.resize(390, 800);
  right = await untilAsked(lesson);
  const inSight = 'const { top, bottom } = document.querySelector(".choices").getBoundingClientRect(); return top >= 0 && bottom < innerHeight;';
  await browser.waitFor(`(() => { ${inSight} })()`, 'the question on a phone');
  await browser.screenshot(`${SHOTS}/lesson-narrow.png`, false);
  assert.ok(await browser.run('return document.documentElement.scrollWidth <= 390'), 'nothing sticks out on a phone');
  await browser.resize(1440, 900);
  await browser.click(`.choices li:nth-child(${right}) button`);
  await verdict('That is right.');
  assert.equal(await status(), 'That is right.');
  assert.equal(await browser.run('return document.activeElement.className.includes("choice")'), true, 'the focus stays');
  await browser.prefers({ 'prefers-color-scheme': 'dark' });
  await browser.screenshot(`${SHOTS}/lesson-answered-dark.png`, false);
  await browser.prefers({ 'prefers-color-scheme': 'light' });
  await nothingWrong();
});

test('an index is shown as a tree', async () => {
  await open(`#${RECORDING}/step/3`);
  await browser.keys(']');
  const tab = await browser.run(`return [...document.querySelectorAll('.tab')].find((tab) => tab.textContent.endsWith('Tree'))?.querySelector('kbd').textContent`);
  assert.equal(tab, '4', 'an index has a tree');
  await browser.keys(tab);
  await shown('section.tree [data-part^="block:"]');
  await browser.screenshot(`${SHOTS}/tree.png`, false);
  await nothingWrong();
});

const DROP = `
  const bytes = Uint8Array.from(atob(arguments[1]), (c) => c.charCodeAt(0));
  const data = new DataTransfer();
  data.items.add(new File([bytes], arguments[0]));
  window.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));`;

test('a file that is dropped or chosen is opened, one that is no recording is refused', async () => {
  await open();
  const file = `${DIST}/snapshots/${RECORDING}.ffrec.gz`;
  await browser.run(DROP, 'mine.ffrec.gz', (await readFile(file)).toString('base64'));
  await shown('.story');
  assert.match(await text('.title'), /^mine\.ffrec\.gz/);
  const steps = await text('.step');
  // as `ffviz record` writes it: a part for each capture
  const whole = gunzipSync(await readFile(file));
  const half = whole.indexOf('\n', whole.length / 2) + 1;
  const parts = Buffer.concat([gzipSync(whole.subarray(0, half)), gzipSync(whole.subarray(half))]);
  await browser.run(DROP, 'parts.ffrec.gz', parts.toString('base64'));
  await browser.waitFor('document.querySelector(".title").textContent.startsWith("parts.ffrec.gz")', 'a file of several parts');
  assert.equal(await text('.step'), steps);
  await browser.run(DROP, 'nonsense.txt', Buffer.from('nonsense').toString('base64'));
  await browser.waitFor('document.querySelector(".status").textContent.includes("nonsense.txt")', 'the refusal');
  await open();
  await browser.choose('#file', file);
  await shown('.story');
  await nothingWrong();
});

test('light, dark and narrow', async () => {
  await open(`#${RECORDING}/step/3`);
  const ground = () => browser.run('return getComputedStyle(document.documentElement).backgroundColor');
  await browser.prefers({ 'prefers-color-scheme': 'dark' });
  const dark = await ground();
  await browser.keys('j', 'j', 'j');
  await browser.screenshot(`${SHOTS}/page-dark.png`, false);
  await browser.prefers({ 'prefers-color-scheme': 'light' });
  await browser.waitFor(`getComputedStyle(document.documentElement).backgroundColor !== ${JSON.stringify(dark)}`, 'the light ground');
  await browser.keys('t');
  await browser.waitFor('document.documentElement.dataset.scheme === "dark"');
  assert.equal(await ground(), dark);
  await browser.keys('t', 't');
  await browser.resize(390, 844);
  assert.ok(await browser.run('return document.documentElement.scrollWidth <= 390'), 'nothing sticks out on a phone');
  await browser.screenshot(`${SHOTS}/page-narrow.png`);
  await browser.resize(1920, 1080);
  await browser.screenshot(`${SHOTS}/page-wide.png`, false);
  await browser.resize(1440, 900);
  await nothingWrong();
});

test('one file works without a server', async () => {
  await browser.open(`${pathToFileURL(`${DIST}/ffviz.html`)}#${RECORDING}/step/2`);
  await at(2);
  await browser.keys(KEY.right);
  await at(3);
  await nothingWrong();
});

// The limit, two percent above what was reached, keeps it from growing unseen; BENCHMARKS.md has the targets. It is that of CI's way to build
// (FFVIZ_WASM_ROUTE=debian): rustup's standard library is not made for size and gives more.
const LIMIT = 330_000;

test('what is loaded first does not grow', async () => {
  const first = ['index.html', 'ffviz.css', 'start.js', 'ffviz.js', 'ffviz_bg.wasm', 'snapshots/library.json'];
  let bytes = 0;
  for (const name of first) {
    const size = brotliCompressSync(await readFile(`${DIST}/${name}`)).length;
    console.log(`${String(size).padStart(8)} bytes brotli  ${name}`);
    bytes += size;
  }
  console.log(`${String(bytes).padStart(8)} bytes brotli  loaded first`);
  const simulator = brotliCompressSync(await readFile(`${DIST}/ffviz_simulator.wasm`)).length;
  console.log(`${String(simulator).padStart(8)} bytes brotli  ffviz_simulator.wasm, loaded when SQL is run`);
  // 800,000 were hoped for: the statements that people type (partitions, enums, PL/pgSQL and triggers, materialized views, jsonb,
  // what pg_walinspect and pg_locks tell), and advice, take the rest
  assert.ok(simulator < 1_700_000, `the simulator has ${simulator} bytes`);
  const rest = brotliCompressSync(await readFile(`${DIST}/ffviz_rest.wasm`)).length;
  console.log(`${String(rest).padStart(8)} bytes brotli  ffviz_rest.wasm, loaded after the first picture`);
  const names = await readdir(`${DIST}/snapshots`, { recursive: true });
  const traces = names.filter((name) => name.startsWith('lesson/'));
  console.log(`${names.filter((name) => name.endsWith('.gz')).length} recordings, ${traces.length} of them lessons, loaded when they are opened`);
  for (const name of traces) console.log(`${String((await readFile(`${DIST}/snapshots/${name}`)).length).padStart(8)} bytes gzip  ${name}`);
  assert.ok(bytes < LIMIT, `${bytes} bytes are loaded first`);
});
