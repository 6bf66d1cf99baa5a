// <ffviz-demo> in pages of others: a picture first, then live; by mouse, keys, attributes, methods; where it cannot be live.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, before, test } from 'node:test';
import { Browser, KEY } from './browser.mjs';
import { serve } from './site.mjs';

const DIST = resolve('web/dist');
const SHOTS = resolve('web/test/shots');
const SQL = 'create table t (id int primary key, n int);\ninsert into t values (1, 1);\nupdate t set n = 2;';

const page = (body, head = '') => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>a page</title><link rel="icon" href="data:,">${head}</head><body><main><h1>A page</h1>${body}</main>
<script type="module" src="define.js"></script></body></html>`;
const far = '<p>words</p>'.repeat(120);
const fallback = '<img alt="one page with two versions" src="data:image/svg+xml,%3Csvg xmlns=\'http://www.w3.org/2000/svg\' width=\'300\' height=\'90\'/%3E"><p>A HOT update.</p>';

const pages = {
  'two.html': page(`<ffviz-demo id="a" lesson="hot-update" step="9.1" controls="step">${fallback}</ffviz-demo>${far}<ffviz-demo id="b" lesson="heap-page">${fallback}</ffviz-demo>`),
  'sql.html': page(`<ffviz-demo id="a" pg="16"><pre>${SQL}</pre></ffviz-demo>`),
  'range.html': page('<ffviz-demo id="a" lesson="hot-update" range="20-24"></ffviz-demo><button>after</button>'),
  'play.html': page('<ffviz-demo id="a" lesson="hot-update" step="5" autoplay></ffviz-demo>'),
  'wrong.html': page(`<ffviz-demo id="a" lesson="nothing">${fallback}</ffviz-demo><ffviz-demo id="b" lesson="hot-update" step="999.1" view="nowhere">${fallback}</ffviz-demo><ffviz-demo id="c">${fallback}</ffviz-demo>`),
  'dark.html': page('<ffviz-demo id="a" lesson="hot-update" step="9.1" theme="dark"></ffviz-demo><ffviz-demo id="b" lesson="hot-update" step="9.1"></ffviz-demo>', '<link rel="stylesheet" href="dark.css">'),
  'dark.css': 'html { color-scheme: light dark; }',
};

let site, browser;

before(async () => {
  await mkdir(SHOTS, { recursive: true });
  site = await serve(DIST, pages);
  browser = await Browser.start({ width: 1000, height: 800 });
  await browser.page.addInitScript(() => {
    globalThis.heard = [];
    for (const name of ['ffviz-ready', 'ffviz-step', 'ffviz-error']) {
      addEventListener(name, (event) => globalThis.heard.push([event.target.id, name, event.detail]));
    }
  });
});

after(async () => {
  await browser?.stop();
  site?.stop();
});

/** Runs in the page with the element's shadow root as `root` and itself as `demo`. */
const within = (id, script, ...args) => browser.run(`const demo = document.getElementById(${JSON.stringify(id)}), root = demo.shadowRoot; ${script}`, ...args);
const live = (id) => browser.waitFor(`document.getElementById('${id}').shadowRoot?.querySelector('.demo .drawing, .demo section')`, `${id} is live`);
const step = (id) => within(id, "return root.querySelector('.step').textContent");
const picture = (id) => within(id, "return root.querySelector('.drawing').textContent");
const counted = (name) => browser.requests().filter((url) => url.endsWith(name)).length;

async function open(name) {
  await browser.open('about:blank');
  browser.console();
  browser.requests();
  await browser.open(site.url + name);
}

const heard = (id, name) => browser.run('return heard.filter(([of, what]) => of === arguments[0] && what === arguments[1]).map(([, , detail]) => detail)', id, name);

test('a picture first, then live; two share one program; the far one waits until it is near', async () => {
  const release = site.hold('ffviz_bg.wasm');
  await open('two.html');
  assert.ok(await browser.page.locator('#a img').isVisible(), 'the picture is there at once');
  release();
  await live('a');
  assert.equal(await browser.page.locator('#a img').isVisible(), false, 'and goes when the demo is live');
  assert.ok(await browser.page.locator('#b img').count());
  assert.equal(await within('b', "return root.querySelector('.demo')"), null, 'the far one is not live');
  await browser.run("document.getElementById('b').scrollIntoView()");
  await live('b');
  assert.equal(counted('ffviz_bg.wasm'), 1);
  assert.deepEqual(browser.console(), [], 'nothing breaks the strictest policy');
  await browser.screenshot(`${SHOTS}/two-demos.png`);
});

test('methods, attributes and events', async () => {
  await open('two.html');
  await live('a');
  assert.equal((await heard('a', 'ffviz-ready')).length, 1);
  const first = (await heard('a', 'ffviz-step')).at(-1);
  assert.equal(first.step, '9.1');
  assert.ok(first.headline && first.alternative && first.states > first.state);
  const before = await picture('a');
  await within('a', 'demo.next()');
  await browser.waitFor("heard.filter(([of, name]) => of === 'a' && name === 'ffviz-step').length === 2", 'a step');
  assert.notEqual(await picture('a'), before);
  await within('a', 'demo.back()');
  await browser.waitFor("heard.at(-1)[2].step === '9.1'", 'a step back');
  assert.equal(await picture('a'), before);
  await within('a', "demo.seek('6.1')");
  await browser.waitFor("heard.at(-1)[2].step === '6.1'", 'a seek');
  await within('a', "demo.setAttribute('step', '5.1')");
  await browser.waitFor("heard.at(-1)[2].step === '5.1'", 'another step by its attribute');
  await within('a', "demo.setAttribute('lesson', 'heap-page')");
  await browser.waitFor("document.getElementById('a').shadowRoot.querySelector('.demo').getAttribute('aria-label').includes('heap page')", 'another lesson');
});

test('keys are heard where the focus is, and the page does not turn', async () => {
  await open('range.html');
  await live('a');
  await browser.run("globalThis.turned = 0; addEventListener('keydown', (event) => { if (event.key.startsWith('Arrow')) turned += 1; })");
  const start = await step('a');
  await browser.keys(KEY.right);
  assert.equal(await step('a'), start, 'a key elsewhere is not ours');
  assert.equal(await browser.run('return turned'), 1);
  await within('a', "root.querySelector('.demo').focus()");
  await browser.keys(KEY.right);
  await browser.waitFor(`document.getElementById('a').shadowRoot.querySelector('.step').textContent !== ${JSON.stringify(start)}`, 'a step');
  assert.equal(await browser.run('return turned'), 1, 'a key of ours goes no further');
});

test('a range is not left', async () => {
  await open('range.html');
  await live('a');
  assert.match(await step('a'), /^20 /);
  for (let n = 0; n < 12; n += 1) await within('a', 'demo.next()');
  await browser.waitFor("document.getElementById('a').shadowRoot.querySelector('.step').textContent.startsWith('24 ')", 'the last step');
  for (let n = 0; n < 12; n += 1) await within('a', 'demo.back()');
  await browser.waitFor("document.getElementById('a').shadowRoot.querySelector('.step').textContent.startsWith('20 ')", 'the first step');
});

test('SQL in the tag is run, and what the reader makes of it', async () => {
  await open('sql.html');
  assert.ok(await browser.page.locator('#a pre').isVisible());
  await live('a');
  assert.match(await within('a', "return root.querySelector('.demo').getAttribute('aria-label')"), /PostgreSQL 16/);
  // while the first run goes on the button stops it
  await browser.waitFor("document.getElementById('a').shadowRoot.querySelector('.run')?.textContent.includes('run')", 'the end of the first run');
  await within('a', "root.querySelector('ffviz-sql').value = 'create table mine (a int); insert into mine values (1);'; root.querySelector('.run').click()");
  await browser.waitFor("document.getElementById('a').shadowRoot.querySelector('.status').textContent.includes('was run')", 'a run');
  assert.deepEqual(browser.console(), []);
});

test('it plays by itself where that is asked for, and not for who wants less motion', async () => {
  await open('play.html');
  await live('a');
  await browser.waitFor("heard.filter(([, name]) => name === 'ffviz-step').length > 1", 'it plays');
  await browser.prefers({ 'prefers-reduced-motion': 'reduce' });
  await open('play.html');
  await live('a');
  await new Promise((done) => setTimeout(done, 3500));
  assert.equal((await heard('a', 'ffviz-step')).length, 1);
  await browser.prefers({});
});

test('what there is not is said, beside what stands in the tag', async () => {
  await open('wrong.html');
  for (const [id, words] of [['a', 'nothing'], ['b', 'view: nowhere is none of figure'], ['c', 'say what to show']]) {
    await browser.waitFor(`heard.some(([of, name, detail]) => of === '${id}' && name === 'ffviz-error' && detail.message.includes(${JSON.stringify(words)}))`, `${id}: ${words}`);
  }
  assert.ok(await browser.page.locator('#a img').isVisible());
  assert.ok(await browser.page.locator('#c img').isVisible());
  assert.match(await within('c', "return root.querySelector('.failure').textContent"), /lesson, recording, or SQL/);
});

test('light and dark: as the page says, or the attribute', async () => {
  const ground = (id) => within(id, "return getComputedStyle(root.querySelector('.place')).backgroundColor");
  for (const [scheme, own] of [['light', 'rgb(255, 255, 255)'], ['dark', 'rgb(20, 23, 28)']]) {
    await browser.prefers({ 'prefers-color-scheme': scheme });
    await open('dark.html');
    await live('a');
    await live('b');
    assert.equal(await ground('a'), 'rgb(20, 23, 28)');
    assert.equal(await ground('b'), own);
  }
  await browser.prefers({});
});

test('without JavaScript, without WebAssembly: the picture, and one sentence', async () => {
  for (const [context, script, sentence] of [[{ javaScriptEnabled: false }], [{}, 'delete globalThis.WebAssembly', /too old/]]) {
    const other = await Browser.start(context);
    try {
      if (script) await other.page.addInitScript(script);
      await other.open(`${site.url}two.html`);
      assert.ok(await other.page.locator('#a img').isVisible());
      if (sentence) assert.match(await other.page.locator('#a .failure').textContent(), sentence);
    } finally {
      await other.stop();
    }
  }
});

test('as one classic script it works from a disk', async () => {
  const file = `${DIST}/classic.html`;
  await writeFile(file, `<!doctype html><meta charset="utf-8"><title>a page</title><ffviz-demo id="a" lesson="hot-update" step="9.1"></ffviz-demo>
<ffviz-demo id="b"><pre>${SQL}</pre></ffviz-demo><script src="ffviz-demo.bundle.js"></script>`);
  await browser.open('about:blank');
  browser.console();
  await browser.open(pathToFileURL(file).href);
  await live('a');
  await live('b');
  assert.deepEqual(browser.console(), []);
});

test('the class is imported in bare Node', () => {
  const script = "import('./web/dist/index.js').then(({ FfvizDemo }) => console.log(FfvizDemo.observedAttributes.length))";
  assert.equal(Number(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' })), 11);
});
