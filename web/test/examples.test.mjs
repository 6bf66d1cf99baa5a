// Demos in documentations that other systems make (web/examples): each is built from the npm package and opened. Plain HTML and mdBook, or those of
// FFVIZ_EXAMPLES="html mdbook mkdocs sphinx docusaurus".
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { Browser } from './browser.mjs';
import { serve } from './site.mjs';

const SHOTS = resolve('web/test/shots');
const names = (process.env.FFVIZ_EXAMPLES ?? 'html mdbook').split(' ');

/** What a reader presses for dark, where the system has a switch: each has its own. */
const DARK = {
  mdbook: async (page) => {
    await page.locator('#mdbook-theme-toggle, #theme-toggle').first().click();
    await page.locator('#mdbook-theme-navy, button#navy').first().click();
  },
  mkdocs: (page) => page.locator('label[for="__palette_1"]').first().click(),
  sphinx: async (page) => {
    // Furo goes from the system's choice over light to dark, or the other way round
    for (let tries = 0; tries < 3 && await page.evaluate("document.body.dataset.theme !== 'dark'"); tries += 1) {
      await page.locator('.theme-toggle:visible').first().click();
    }
  },
  docusaurus: async (page) => {
    for (let tries = 0; tries < 3 && await page.evaluate("document.documentElement.dataset.theme !== 'dark'"); tries += 1) {
      await page.locator('button[class*="toggleButton"]:visible').first().click();
    }
  },
};

let browser;

before(async () => {
  await mkdir(SHOTS, { recursive: true });
  execFileSync('web/examples/build', names, { stdio: 'inherit' });
  browser = await Browser.start({ width: 1200, height: 1100, colorScheme: 'light' });
});

after(() => browser?.stop());

const live = (id) => browser.waitFor(`document.getElementById('${id}')?.shadowRoot?.querySelector('.demo .drawing, .demo section')`, `${id} is live`, 20_000);
const ground = (id) => browser.run(`return getComputedStyle(document.getElementById('${id}').shadowRoot.querySelector('.place')).backgroundColor`);
/** How light a colour `rgb(…)` is, of 255. */
const light = (colour) => colour.match(/[\d.]+/g).slice(0, 3).reduce((sum, part) => sum + Number(part) / 3, 0);

for (const name of names) {
  test(`${name}: a picture first, then live; two on a page; the next page; dark`, async () => {
    const folder = resolve('web/examples/out', name);
    const html = await readFile(resolve(folder, 'index.html'), 'utf8');
    assert.match(html, /<ffviz-demo[^>]*lesson="hot-update"[\s\S]*?<img [^>]*hot-update\.svg[\s\S]*?<\/ffviz-demo>/, 'the picture is in the file');
    assert.match(html, /<ffviz-demo[^>]*pg="17"[\s\S]*?<pre[\s\S]*?create table t[\s\S]*?<\/ffviz-demo>/, 'so is the SQL');
    const site = await serve(folder, {}, '/docs/ffviz/', '');
    try {
      const release = site.hold('ffviz-demo/ffviz_bg.wasm');
      await browser.open('about:blank');
      browser.requests();
      await browser.open(site.url);
      assert.ok(await browser.page.locator('#a img').isVisible(), 'the picture is there at once');
      release();
      await live('a');
      await browser.run("document.getElementById('b').scrollIntoView()");
      await live('b');
      await browser.waitFor("Number(document.getElementById('b').shadowRoot.querySelector('.step')?.textContent.split('/')[1]) > 5", 'what was written has run', 20_000);
      const asked = browser.requests();
      assert.equal(asked.filter((url) => url.endsWith('ffviz_bg.wasm')).length, 1, 'two share one program');
      assert.deepEqual(asked.filter((url) => !url.startsWith(site.url) && !url.startsWith('data:') && !url.startsWith('blob:')), [], 'nothing is asked of others');
      await browser.screenshot(`${SHOTS}/example-${name}.png`);

      const before = light(await ground('a'));
      if (DARK[name]) await DARK[name](browser.page);
      else await browser.prefers({ 'prefers-color-scheme': 'dark' });
      for (let tries = 0; tries < 40 && light(await ground('a')) > 100; tries += 1) await new Promise((done) => setTimeout(done, 50));
      assert.ok(before > 200 && light(await ground('a')) < 100, `light ${before}, dark ${await ground('a')}`);
      await browser.screenshot(`${SHOTS}/example-${name}-dark.png`, false);
      await browser.prefers({ 'prefers-color-scheme': 'light' });

      await browser.page.locator('p a[href*="second"]').first().click();
      await live('c');
      // and back: demos that have left a page come again
      await browser.page.goBack();
      await live('a');
    } finally {
      site.stop();
    }
  });
}
