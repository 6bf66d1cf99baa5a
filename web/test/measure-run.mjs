// Measures runs of SQL in the page: from a cold page to the first picture of a run, and one script in the simulator and in PGlite, the
// PostgreSQL in the page, beside each other in turns. For BENCHMARKS.md.
//
//   node web/test/measure-run.mjs
import { resolve } from 'node:path';
import { Browser } from './browser.mjs';
import { serve } from './site.mjs';

const ROUNDS = 3;
const SCRIPT = `create table t (id int primary key, v text);
insert into t select i, repeat('x', 50) from generate_series(1, 10000) i;
update t set v = 'y' where id % 100 = 0;`;

const site = await serve(resolve('web/dist'));
const middle = (times) => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)];
const tell = (what, times) => console.log(`${what.padEnd(52)} ${String(times.length).padStart(2)} times: median ${middle(times).toFixed(0)} ms, longest ${Math.max(...times).toFixed(0)} ms`);

/** In the page: from the click to the end of the run, and the pages' and workers' memory then. */
async function run([sql, version]) {
  const turn = () => new Promise(requestAnimationFrame);
  // it is another one after each change of the server
  const button = () => document.querySelector('.run');
  const choice = document.querySelector('select[aria-label=version]');
  if (choice.value !== version) {
    choice.value = version;
    choice.dispatchEvent(new Event('change', { bubbles: true }));
    await turn();
  }
  document.querySelector('ffviz-sql').value = sql;
  const begin = performance.now();
  button().click();
  // a short run may be over before the next picture
  for (let n = 0; n < 30 && button().textContent.includes('run'); n += 1) await turn();
  while (!button().textContent.includes('run')) await turn();
  return performance.now() - begin;
}

const cold = [];
for (let n = 0; n < ROUNDS; n += 1) {
  const browser = await Browser.start();
  await browser.open(`${site.url}#write`);
  await browser.waitFor("Number(document.querySelector('.step')?.textContent.split('/')[1]) > 1", 'steps', 60_000);
  cold.push(await browser.run('return performance.now()'));
  await browser.stop();
}
tell('a cold page, to the steps of its first run', cold);

const browser = await Browser.start();
await browser.open(`${site.url}#write`);
await browser.waitFor("document.querySelector('.run')?.textContent.includes('run')", 'the end of the first run', 60_000);
const versions = { 'the simulator': '18', PGlite: 'pglite' };
const times = { 'the simulator': [], PGlite: [] };
for (let n = 0; n <= ROUNDS; n += 1) {
  for (const [name, version] of Object.entries(versions)) {
    const time = await browser.page.evaluate(run, [SCRIPT, version]);
    // the first fetches and compiles the module
    if (n) times[name].push(time);
    else tell(`10,000 rows in ${name}, the first time`, [time]);
  }
}
for (const name of Object.keys(versions)) tell(`10,000 rows in ${name}, with its steps`, times[name]);
await browser.stop();
site.stop();
