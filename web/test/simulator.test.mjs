// The simulator's module makes in the browser what the native one makes: pages and WAL of a hundred random scripts, by their digests.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { Browser } from './browser.mjs';
import { serve } from './site.mjs';

let site, browser;

before(async () => {
  site = await serve(resolve('web/dist'));
  browser = await Browser.start();
});

after(async () => {
  await browser?.stop();
  site?.stop();
});

/** In the page: runs each script in a worker of its own, and gives the digests (see tests/tests/sim/browser.rs). */
async function digests(scripts) {
  const module = await WebAssembly.compile(await (await fetch('ffviz_simulator.wasm')).arrayBuffer());
  const lines = (text) => new Promise((resolve, reject) => {
    const worker = new Worker('ffviz_worker.js');
    let all = '';
    worker.onerror = (error) => reject(new Error(error.message));
    worker.onmessage = ({ data }) => {
      if (data.failed || data.wrong) reject(new Error(data.failed ?? data.wrong.sentence));
      all += data.lines ?? '';
      if (data.last) {
        worker.terminate();
        resolve(all.split('\n').filter(Boolean).map((line) => JSON.parse(line)));
      }
    };
    worker.postMessage({ module, text, anyway: true, ways: [{ version: '18', settings: [] }] });
  });
  const words = ({ record, pages }) => {
    const page = ({ oid, fork, block, data = '', runs = [] }) => `${oid} ${fork} ${block};${data}${runs.map(([at, bytes]) => `${at}:${bytes},`).join('')}`;
    return (record?.data ?? '') + (Array.isArray(pages) ? pages.map(page).join('') : '');
  };
  const digest = async (text) => {
    const bytes = new TextEncoder().encode((await lines(text)).map(words).join(''));
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
    return [...hash.slice(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  };
  const found = [];
  for (const script of scripts) found.push(await digest(script));
  return found;
}

test('a hundred random scripts have the pages and the WAL that they have natively', async () => {
  const scripts = JSON.parse(await readFile(resolve('web/test/random-scripts.json'), 'utf8'));
  assert.equal(scripts.length, 100);
  await browser.open(site.url);
  const found = await browser.page.evaluate(digests, scripts.map(({ sql }) => sql));
  const differing = scripts.filter(({ digest }, n) => digest !== found[n]).map(({ sql }) => sql);
  assert.deepEqual(differing, []);
  assert.ok(new Set(found).size > 90, 'the digests are of different pages');
});
