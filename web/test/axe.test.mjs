// The site, the playground and the element by axe-core: no violations.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { Browser } from './browser.mjs';
import { serve } from './site.mjs';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const host = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>a page</title></head><body><main><h1>A page</h1>
<ffviz-demo id="a" lesson="hot-update" step="9.1"></ffviz-demo></main><script type="module" src="define.js"></script></body></html>`;
let site, browser;

before(async () => {
  site = await serve(resolve('web/dist'), { 'host.html': host });
  browser = await Browser.start();
});

after(async () => {
  await browser?.stop();
  site?.stop();
});

const READY = "document.querySelector('main section, .drawing') || document.querySelector('ffviz-demo')?.shadowRoot?.querySelector('.drawing')";

for (const scheme of ['light', 'dark']) {
  for (const [name, address, keys] of [
    ['the library', '', []],
    ['a figure', '#lesson/hot-update/step/9.1', []],
    ['a page', '#lesson/hot-update/step/9.1', ['5']],
    ['a tree', '#lesson/btree-growth/step/106', ['4']],
    ['the map', '#18/hot-chain/step/3', ['3']],
    ['the WAL', '#18/wal-records/step/5', ['6']],
    ['the contents of a lesson', '#lesson/hot-update/step/0', []],
    ['the playground', '#write', []],
    ['the keys', '#18/hot-chain/step/3', ['?']],
    ['the element', 'host.html', []],
  ]) {
    test(`${name}, ${scheme}`, async () => {
      await browser.prefers({ 'prefers-color-scheme': scheme });
      await browser.open('about:blank');
      await browser.open(site.url + address);
      await browser.waitFor(READY, name);
      await browser.waitFor("document.querySelector('ffviz-demo') || document.querySelector('html[data-complete]')", 'the whole program');
      if (address === '#write') await browser.waitFor("Number(document.querySelector('.step')?.textContent.split('/')[1]) > 1", 'steps');
      await browser.keys(...keys);
      await browser.page.evaluate(axe);
      const { violations, passes } = await browser.page.evaluate('axe.run()');
      const found = violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.target.join(' ')).join(', ')}`);
      assert.deepEqual(found, []);
      assert.ok(passes.length > 10, `${passes.length} rules passed`);
    });
  }
}
