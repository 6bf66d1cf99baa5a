// Which fillfactor: sliders, simulated cases, a link that leads back to them.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { Browser } from './browser.mjs';
import { serve } from './site.mjs';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
let site, browser;

before(async () => {
  site = await serve(resolve('web/dist'));
  browser = await Browser.start();
});

after(async () => {
  await browser?.stop();
  site?.stop();
});

const advice = () => browser.run('return document.querySelector(".advice").textContent');
/** The cases once all are simulated: of each its fillfactor and the share of HOT updates. */
async function cases() {
  await browser.waitFor('document.querySelector(".advice").textContent.startsWith("Recommended")', 'a recommendation', 60_000);
  return browser.run('return [...document.querySelectorAll(".cases tbody tr")].map((row) => [...row.cells].slice(0, 2).map((cell) => parseFloat(cell.textContent)))');
}

test('sliders describe a table, each fillfactor is simulated, and the address keeps it', async () => {
  await browser.open(`${site.url}advise.html#width=900&indexes=2&indexed=0&rounds=2&fillfactor=100&version=18`);
  const plain = await cases();
  assert.deepEqual(plain.map(([fillfactor]) => fillfactor), [100, 95, 90, 85, 80, 70, 60, 50]);
  assert.ok(plain[0][1] < plain.at(-1)[1] && plain.at(-1)[1] > 90, JSON.stringify(plain));
  assert.match(await browser.run('return document.querySelector("pre").textContent'), /ALTER TABLE .* SET \(fillfactor = \d+\)/);
  assert.match(await browser.run('return document.querySelector(".cases .recommended th").textContent'), /^\d+ ✓ recommended/);
  // all updates of narrow rows change an indexed column: none is HOT, and no fillfactor helps
  await browser.page.locator('input[name=width]').fill('100');
  await browser.page.locator('input[name=indexed]').fill('100');
  await browser.waitFor('document.querySelector(".advice").textContent.startsWith("Simulating")', 'another run');
  assert.equal(await browser.run('return document.querySelector("input[name=width]").previousElementSibling.value'), '100', 'the slider follows the number');
  const indexed = await cases();
  assert.ok(indexed.every(([, hot]) => hot === 0), JSON.stringify(indexed));
  assert.match(await advice(), /leave fillfactor 100/);
  const all = await browser.run('return document.body.textContent');
  assert.doesNotMatch(all, /--\w|Statistics do not tell|t_pkey|as was said|\.\./, 'words of the command line are not for sliders');
  const link = await browser.run('return location.href');
  assert.match(link, /indexed=100/);
  await browser.open('about:blank');
  await browser.open(link);
  assert.deepEqual(await cases(), indexed);
  await browser.page.evaluate(axe);
  const { violations } = await browser.page.evaluate('axe.run()');
  assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes[0].target.join(' ')}`), []);
  await browser.resize(360, 740);
  assert.ok(await browser.run('return document.documentElement.scrollWidth <= 360'), 'nothing sticks out on a phone');
  assert.deepEqual(browser.console(), []);
});
