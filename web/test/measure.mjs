// Measures the site in web/dist in a headless Chromium: time to the first picture, time of a step by the clock, and processor time of a
// step, which is the same on a machine that has other work too. For BENCHMARKS.md.
//
//   node web/test/measure.mjs [RECORDING]
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Browser } from './browser.mjs';
import { serve } from './site.mjs';

const DIST = resolve('web/dist');
const RUNS = 15;
const library = JSON.parse(await readFile(`${DIST}/snapshots/library.json`));
const names = process.argv[2] ? [process.argv[2]] : library.map((entry) => entry.name);

// runs in the page before anything else of it: notes when the picture is there and laid out, in ms since the navigation began
const WATCH = `new MutationObserver((_, observer) => {
  if (!document.querySelector('main section')) return;
  observer.disconnect();
  document.body.offsetHeight;
  window.firstPicture = performance.now();
}).observe(document, { childList: true, subtree: true });`;

// presses a key and waits until the step is drawn and laid out; a lesson's question, which holds the step, gets its first answer
const STEPS = `
  const words = () => document.querySelector('.step').textContent;
  // of a long recording the first steps, so that the browser's time for a script suffices
  const last = Math.min(Number(words().split('/')[1]), 150);
  const times = [];
  for (let round = 0; round < 4; round += 1) {
    for (let n = 0; n < last; n += 1) {
      const before = words();
      for (let press = 0; press < 5 && words() === before; press += 1) {
        if (press) window.dispatchEvent(new KeyboardEvent('keydown', { key: '1', cancelable: true }));
        const start = performance.now();
        window.dispatchEvent(new KeyboardEvent('keydown', { key: round % 2 ? 'ArrowLeft' : 'ArrowRight', cancelable: true }));
        // yew lets the browser in, by a timeout, when drawing has taken 16 ms
        for (let turn = 1; words() === before && turn < 2000; turn += 1) {
          await (turn % 50 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, 0)));
        }
        document.body.offsetHeight;
        if (words() !== before) times.push(performance.now() - start);
        await new Promise(requestAnimationFrame);
      }
      if (words() === before) return { failed: 'no step after ' + before };
    }
  }
  return times;`;

const line = (what, times) => {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(1);
  console.log(`${what.padEnd(44)} ${String(times.length).padStart(4)} times: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, longest ${at(1)} ms`);
};

/** Processor time of the page so far, in ms. */
const PARTS = ['ScriptDuration', 'RecalcStyleDuration', 'LayoutDuration'];
const spent = async () => {
  const { metrics } = await browser.devtools('Performance.getMetrics');
  return PARTS.map((part) => metrics.find(({ name }) => name === part).value * 1000);
};

const site = await serve(DIST);
const browser = await Browser.start();
try {
  await browser.resize(1440, 900);
  await browser.devtools('Page.addScriptToEvaluateOnNewDocument', { source: WATCH });
  await browser.devtools('Network.setCacheDisabled', { cacheDisabled: true });
  for (const [what, hash] of [['first picture: the library', ''], [`first picture: ${names.at(-1)}`, `#${names.at(-1)}/step/1`]]) {
    const times = [];
    for (let run = 0; run < RUNS; run += 1) {
      await browser.open('about:blank');
      await browser.open(site.url + hash);
      await browser.waitFor('window.firstPicture');
      if (hash) await browser.waitFor('document.querySelector(".story")');
      times.push(await browser.run('return window.firstPicture'));
    }
    line(what, times);
  }
  const all = [];
  const used = PARTS.map(() => 0);
  await browser.devtools('Performance.enable', { timeDomain: 'threadTicks' });
  for (const name of names) {
    await browser.open('about:blank');
    await browser.open(`${site.url}#${name}`);
    await browser.waitFor('document.querySelector("html[data-complete] .story")');
    const before = await spent();
    const times = await browser.runAsync(STEPS);
    (await spent()).forEach((now, part) => { used[part] += now - before[part]; });
    if (times.failed) throw new Error(times.failed);
    line(`step: ${name}`, times);
    all.push(...times);
  }
  line('step: all', all);
  const [script, style, layout] = used.map((part) => (part / all.length).toFixed(1));
  const sum = (used.reduce((a, b) => a + b) / all.length).toFixed(1);
  console.log(`processor time of a step, mean: ${sum} ms, of it script ${script}, style ${style}, layout ${layout}`);
} finally {
  await browser.stop();
  site.stop();
}
