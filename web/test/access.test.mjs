// The site for those who have little room, touch it with a finger, or hear it: nothing sticks out, nothing is too small, everything has a name.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { Browser, KEY } from './browser.mjs';
import { serve } from './site.mjs';

const DIST = resolve('web/dist');
/** A phone, a tablet, and a window of 1440×900 at 200 %. */
const SIZES = [[360, 740], [768, 1024], [720, 450]];
const LESSON = 'lesson/heap-page/step/12';
const TREE = 'lesson/btree-growth/step/106';
const WAL = '18/wal-records/step/5';

let site, browser;

before(async () => {
  site = await serve(DIST);
  browser = await Browser.start();
});

after(async () => {
  await browser?.stop();
  site?.stop();
});

async function open(address) {
  await browser.open('about:blank');
  await browser.open(`${site.url}#${address}`);
  await browser.waitFor('document.querySelector("html[data-complete] main section")', address || 'the library');
}

/** What does not fit, in words; WCAG 2.2 wants 24 pixels to touch. */
const MISFITS = `
  const found = [];
  if (document.documentElement.scrollWidth > innerWidth) found.push('the page is ' + document.documentElement.scrollWidth + ' wide');
  for (const e of document.querySelectorAll('button, input, textarea')) {
    const { width, height } = e.getBoundingClientRect();
    if (width && (width < 24 || height < 24)) found.push([e.tagName, e.className || e.id, e.textContent, 'is', width, 'by', height].join(' '));
  }
  return found;`;

test('on a phone, on a tablet and at 200 % nothing sticks out, and nothing is too small to touch', async () => {
  let views = 0;
  const fits = async (what) => {
    assert.deepEqual(await browser.run(MISFITS), [], what);
    views += 1;
  };
  for (const [width, height] of SIZES) {
    await browser.resize(width, height);
    for (const name of width === 360 ? ['', LESSON, TREE, WAL] : [LESSON, WAL]) {
      await open(name);
      await browser.keys(KEY.right);
      const tabs = await browser.run('return document.querySelectorAll(".tab").length');
      for (let tab = 0; tab < tabs; tab += 1) {
        await browser.run('document.querySelectorAll(".tab")[arguments[0]].click()', tab);
        await browser.waitFor(`document.querySelectorAll('.tab')[${tab}].matches('[aria-current]')`, `view ${tab}`);
        await fits(`${name || 'the library'}, view ${tab}, ${width} wide`);
      }
    }
  }
  console.log(`${views} views fit`);
  assert.ok(views > 20, 'too little was looked at');
});

/** What a screen reader is told of the page: a list of { role, name, level, focusable }, in order. */
async function heard() {
  const { nodes } = await browser.devtools('Accessibility.getFullAXTree');
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const found = [];
  const walk = (node) => {
    const property = (name) => node.properties?.find((one) => one.name === name)?.value.value;
    if (!node.ignored) {
      found.push({ role: node.role.value, name: node.name?.value ?? '', level: property('level'), focusable: property('focusable') });
    }
    node.childIds?.map((id) => byId.get(id)).filter(Boolean).forEach(walk);
  };
  walk(nodes[0]);
  return found;
}

test('everything that takes the focus has a name, and headings leave no level out', async () => {
  await browser.resize(1440, 900);
  for (const address of ['', LESSON, WAL]) {
    await open(address);
    const all = await heard();
    const nameless = all.filter(({ focusable, role, name }) => focusable && role !== 'main' && !name.trim());
    assert.deepEqual(nameless, [], `${address || 'the library'}: without a name`);
    const levels = all.filter(({ role }) => role === 'heading').map(({ level }) => level);
    assert.equal(levels[0], 1, `${address}: the first heading is the page's`);
    levels.reduce((above, level) => (assert.ok(level <= above + 1, `${address}: headings ${levels}`), level));
    if (address === '') {
      const library = JSON.parse(await readFile(`${DIST}/snapshots/library.json`));
      const names = library.map(({ name }) => name.split('/')[1]);
      const buttons = all.filter(({ role }) => role === 'button').map(({ name }) => name);
      assert.deepEqual(names.filter((name) => !buttons.includes(name)), [], 'every recording has a button');
    }
  }
});

/** Puts into window.said what live regions say from now on. */
async function listen() {
  await browser.run(`
    window.said = [];
    const live = '[aria-live]:not([aria-live=off]), [role=status], [role=alert], output';
    new MutationObserver((changes) => {
      const regions = changes.map(({ target }) => (target.nodeType === 1 ? target : target.parentElement)?.closest(live));
      for (const region of new Set(regions)) if (region) window.said.push(region.textContent);
    }).observe(document.querySelector('#ffviz'), { subtree: true, childList: true, characterData: true });`);
}

/** What they have said. */
function said() {
  return browser.run('return window.said.filter((words) => words.trim())');
}

test('a step is announced once', async () => {
  await open('18/hot-chain/step/2');
  await listen();
  await browser.keys(KEY.right);
  await browser.waitFor('document.querySelector(".step").textContent.startsWith("3 /")', 'step 3');
  const headline = await browser.run('return document.querySelector(".headline").textContent');
  const words = await said();
  assert.deepEqual(words.filter((one) => one === headline), [headline], 'the headline is said once');
  const numbers = words.filter((one) => /^\d+ \/ \d+$/.test(one));
  assert.deepEqual(numbers, [], 'the number of the step is not said besides');
});

test('the entry of the library that the arrows come to is announced', async () => {
  await open('');
  await listen();
  const row = 'document.querySelector("tr[aria-current=true]")';
  for (const key of [KEY.down, KEY.down, KEY.up]) {
    const before = await browser.run(`return ${row}?.dataset.part`);
    await browser.keys(key);
    await browser.waitFor(`${row} && ${row}.dataset.part !== ${JSON.stringify(before)}`, 'another entry');
    const cells = await browser.run(`return [...${row}.querySelectorAll("td:not(.sign)")].map((cell) => cell.textContent)`);
    assert.deepEqual(await said(), [cells.join(': ')]);
    await browser.run('window.said.length = 0');
  }
});

test('a recording of the library is opened by the keyboard alone', async () => {
  await open('');
  await browser.run('[...document.querySelectorAll("td button")].find((button) => button.textContent === "hot-chain").focus()');
  await browser.keys(KEY.enter);
  await browser.waitFor('document.querySelector(".title")?.textContent.startsWith("18/hot-chain")', 'the recording of the button');
});
