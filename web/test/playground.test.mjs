// The playground: SQL is written and run in the page, stopped, shared by a link.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import { after, before, test } from 'node:test';
import { Browser, KEY } from './browser.mjs';
import { serve } from './site.mjs';

const DIST = resolve('web/dist');
let site, browser;

before(async () => {
  site = await serve(DIST);
  browser = await Browser.start();
});

after(async () => {
  await browser?.stop();
  site?.stop();
});

const text = (css) => browser.run('return document.querySelector(arguments[0])?.textContent ?? null', css);
const shown = (css, timeout) => browser.waitFor(`document.querySelector(${JSON.stringify(css)})`, css, timeout);
const says = (words, timeout) => browser.waitFor(`document.querySelector('.status')?.textContent.includes(${JSON.stringify(words)})`, words, timeout);
const steps = () => text('.step').then((words) => Number(words.split('/')[1]));
const write = (sql) => browser.run('document.querySelector("ffviz-sql").value = arguments[0]', sql);
const written = () => browser.run('return document.querySelector("ffviz-sql").value');
const idle = (timeout) => browser.waitFor("document.querySelector('.run').textContent.includes('run')", 'the end of the run', timeout);

/** Opens an address and waits until its script was run. */
async function open(hash) {
  await browser.open('about:blank');
  await browser.open(site.url + hash);
  await browser.waitFor("Number(document.querySelector('.step')?.textContent.split('/')[1]) > 1", `${hash}: steps`);
  await idle();
}

async function run(sql, timeout = 30_000) {
  await write(sql);
  await browser.click('.run');
  await browser.waitFor("document.querySelector('[role=alert]') || document.querySelector('.status').textContent", 'an answer', timeout);
  await idle(timeout);
}

function nothingWrong() {
  assert.deepEqual(browser.console(), []);
  const elsewhere = browser.requests().filter((url) => !/^(data|blob|about):/.test(url) && !url.startsWith(site.url));
  assert.deepEqual(elsewhere, [], 'nothing leaves the machine');
}

const link = (holds) => `#v1/${deflateRawSync(Buffer.from(JSON.stringify(holds))).toString('base64url')}`;

test('a script is written and run, up to a split', async () => {
  await open('#write');
  await run('create table t (id int primary key);\ninsert into t select i from generate_series(1, 420) i;');
  const all = await steps();
  assert.ok(all > 100, `${all} steps`);
  await browser.keys(KEY.end);
  await browser.page.locator('main').click({ position: { x: 5, y: 5 } });
  // the split is a step of the insert
  const headlines = new Set();
  await browser.run("document.querySelector('#time').focus()");
  for (let step = all - 120; step <= all; step += 1) {
    await browser.page.locator('#time').fill(String(step));
    headlines.add(await text('.headline'));
  }
  assert.ok([...headlines].some((words) => /split|root/.test(words)), [...headlines].join('\n'));
  nothingWrong();
});

test('a mistake is shown at its place, and what can be run is run all the same', async () => {
  await open('#write');
  await write('create table t (a int);\nupdat t set a = 1;\ninsert into t values (1);');
  await browser.click('.run');
  await shown('[role=alert]');
  assert.match(await text('[role=alert]'), /^Line 2, column 1: syntax error at or near "updat"/);
  assert.equal(await browser.run("return document.querySelector('ffviz-sql').getAttribute('line')"), '2');
  await browser.click('.run');
  await says('Statement 2: ERROR');
  assert.ok(await steps() > 3);
  // keys step at once: the editor has given the focus away
  const before = await text('.step');
  await browser.keys('ArrowRight');
  await browser.waitFor(`document.querySelector('.step').textContent !== ${JSON.stringify(before)}`, 'another step');
  // a script without a statement stays where it is
  await write('-- nothing');
  await browser.click('.run');
  await shown('[role=alert]');
  assert.match(await text('[role=alert]'), /There is no statement in it/);
  nothingWrong();
});

test('what was written can be undone, and branched off from', async () => {
  await open('#write');
  const first = await written();
  await run('create table other (a int);\ninsert into other values (1), (2);');
  await says('The edited script was run.');
  await browser.page.locator('main').click({ position: { x: 5, y: 5 } });
  await browser.keys('u');
  await browser.waitFor(`document.querySelector('ffviz-sql').value === ${JSON.stringify(first)}`, 'the script before');
  await browser.keys('>');
  await browser.waitFor("document.querySelector('ffviz-sql').value.includes('other')", 'the other branch');
  await browser.keys('B');
  await shown('.about p');
  await run('delete from other;');
  await says('another from here on');
  nothingWrong();
});

test('a run is stopped, keeps what it has, and goes on from its beginning', async () => {
  await open('#write');
  const long = 'create table t (id int primary key);\ninsert into t values (0);\nselect count(*) from generate_series(1, 2000000000) i;\nselect 1;';
  await write(long);
  await browser.click('.run');
  await browser.waitFor("document.querySelector('.run').textContent.includes('stop') && document.querySelector('.status').textContent.startsWith('running: 2 of 4')", 'two statements done');
  assert.ok(await steps() > 3, 'their steps are shown meanwhile');
  await browser.click('.run');
  await says('Stopped');
  assert.ok(await steps() > 3, 'and stay');
  await browser.click('.run');
  await says('running');
  await browser.keys(KEY.escape);
  await idle();
  nothingWrong();
});

test('ten million rows end with no more room, and what there is', async () => {
  await open('#write');
  await write("create table t (id int primary key, v text);\ninsert into t values (0);\ninsert into t select i, repeat('x', 500) from generate_series(1, 10000000) i;");
  await browser.click('.run');
  await browser.waitFor("/no more room|No space left|could not extend/i.test(document.querySelector('.status').textContent + document.body.textContent)", 'no more room', 120_000);
  await idle(120_000);
  assert.ok(await steps() > 3);
  browser.console();
});

test('a link holds script, server, step and view; back and forward work', async () => {
  await open('#write');
  await browser.page.locator('select[aria-label=version]').selectOption('14');
  await run('create table linked (a int primary key, b int);\ninsert into linked values (1, 1);\nupdate linked set b = 2;');
  await says('was run');
  await browser.keys(KEY.tab);
  await browser.page.locator('main').click({ position: { x: 5, y: 5 } });
  await browser.keys(KEY.end, '6');
  await shown('section.wal');
  const before = await text('.step');
  await browser.waitFor("location.hash.startsWith('#v1/')", 'a link');
  await new Promise((done) => setTimeout(done, 400));
  const address = await browser.run('return location.href');
  await browser.open('about:blank');
  await browser.open(address);
  await shown('section.wal');
  await browser.waitFor(`document.querySelector('.step')?.textContent === '${before}'`, 'the same step');
  assert.match(await text('.title'), /PostgreSQL 14/);
  await run('create table later (a int);');
  await says('was run');
  await new Promise((done) => setTimeout(done, 400));
  await browser.page.goBack();
  await browser.waitFor("document.querySelector('ffviz-sql').value.includes('linked')", 'the script before');
  nothingWrong();
});

test('links of version 1 stay good, whoever wrote them', async () => {
  for (const [holds, step, title] of [
    [{ sql: 'create table a (b int);\ninsert into a values (1);' }, null, /PostgreSQL 18/],
    [{ sql: 'create table a (b int);\ninsert into a values (1);', pg: '13', set: ['full_page_writes=off'], versus: [], step: '2.1', view: 'page' }, /^\d/, /PostgreSQL 13/],
  ]) {
    await open(link(holds));
    assert.match(await text('.title'), title);
    if (step) assert.match(await text('.step'), step);
    assert.equal(await written(), holds.sql);
  }
  // as it was written in the first version, in letters
  await open('#v1/HYvBCoMwEAV_ZXknhVCwHgoRv8SKxHZjA0HT7EYPpf9e7G2GYT6Qd4TFI7NTJnVzZHJUzRRWrbv7GlbhrKdt5Gh3sbBQ1dSGquvZS3qeoyNhpZl6aul4ceY_Nx0M0gKL5gYDYYUd4EuMU3ILT0cOytJv3mM02DlLEdhhNBDlBIv20sBgD3zAwoelZMb3Bw');
  assert.match(await text('.title'), /PostgreSQL 17/);
  assert.match(await text('.label'), /^update a set b = 3/);
  nothingWrong();
});

test('a damaged link, one of a later version, one that holds too much: a sentence, and the playground', async () => {
  for (const [hash, words] of [
    ['#v1/abcdef', 'damaged'],
    ['#v1/%%%', 'damaged'],
    ['#v9/abc', 'later version'],
    [link({ sql: 'x'.repeat(1_100_000) }), 'more than 1 MB'],
    [link({ pg: '18' }), 'no script'],
    [link({ sql: 'select 1', pg: '12' }), 'no version of PostgreSQL'],
    [link({ sql: 'select 1', set: ['nothing=1'] }), 'nothing'],
  ]) {
    await browser.open('about:blank');
    await browser.open(site.url + hash);
    await says(words);
    await shown('ffviz-sql');
  }
  browser.console();
});

test('two runs stand beside each other', async () => {
  await open('#write');
  await browser.click('.script summary');
  await browser.page.locator('input[placeholder^=fillfactor]').fill('fillfactor=50');
  await run("create table t (a int, b text);\ninsert into t select i, repeat('x', 100) from generate_series(1, 100) i;\nupdate t set a = -a;");
  // two simulators, each in a worker of its own
  await shown('.versus', 60_000);
  assert.match(await text('.versus'), /fillfactor=50/);
  nothingWrong();
});

test('the editor is a text area until somebody writes, then CodeMirror, which the keyboard can leave', async () => {
  await open('#write');
  const inside = (css) => browser.run('return Boolean(document.querySelector("ffviz-sql").shadowRoot.querySelector(arguments[0]))', css);
  assert.equal(await inside('.cm-editor'), false);
  await browser.click('ffviz-sql');
  await browser.waitFor('document.querySelector("ffviz-sql").shadowRoot.querySelector(".cm-editor")', 'CodeMirror');
  await browser.page.keyboard.press('Control+End');
  await browser.page.keyboard.type('select 7;');
  assert.match(await written(), /select 7;\s*$/);
  await browser.page.keyboard.press('Control+Enter');
  await says('The edited script was run.');
  await browser.keys(KEY.escape, KEY.tab);
  assert.notEqual(await browser.run('return document.activeElement.localName'), 'ffviz-sql');
  nothingWrong();
});

const hasPglite = existsSync(`${DIST}/pglite/worker.js`);
test('a real PostgreSQL in the page runs what the simulator does not know, and is stopped', { skip: !hasPglite && 'npm has brought no PGlite' }, async () => {
  await open('#write');
  await browser.page.locator('select[aria-label=version]').selectOption('pglite');
  await run(`create table t (id int primary key, j jsonb);
create index on t using gin (j);
insert into t select i, jsonb_build_object('a', i) from generate_series(1, 10) i;
insert into t values (1, null);
begin;
select nothing;
update t set id = 100 where id = 3;
rollback;
do $$ begin delete from t where id = 2; end $$;
vacuum t;`, 60_000);
  await says('Statement 4: ');
  assert.match(await text('.title'), /PostgreSQL 18\.\d+ · replayed/);
  assert.ok(await steps() > 40, `${await steps()} steps`);
  assert.equal(await text('.statement').then((words) => words.split(' of ')[1]), '10');
  // replay led to what the server shows
  await browser.page.locator('main').click({ position: { x: 5, y: 5 } });
  await browser.keys('6');
  await shown('section.wal');
  assert.doesNotMatch(await text('main'), /other bytes than the server shows/);
  await write('select pg_sleep(1000);');
  await browser.click('.run');
  await says('running', 60_000);
  await browser.click('.run');
  await says('Stopped');
  nothingWrong();
});

test('a real PostgreSQL in the page and the simulator are compared', { skip: !hasPglite && 'npm has brought no PGlite' }, async () => {
  await open('#write');
  await browser.page.locator('select[aria-label=version]').selectOption('pglite');
  const compared = async (sql) => {
    await run(sql, 60_000);
    await browser.waitFor('document.querySelector(".verdict")', 'a verdict', 60_000);
    return text('.verdict');
  };
  const equal = await compared(`create table t (id int primary key, n int, note text);
insert into t select i, 0, repeat('x', 200) from generate_series(1, 100) i;
begin;
update t set n = 1 where id <= 10;
rollback;
update t set n = 2 where id > 50;
delete from t where id = 7;
select count(*) from t;
vacuum t;
checkpoint;
update t set n = 3 where id = 1;`);
  assert.match(equal, /^Equal, byte for byte: 11 statements, \d+ pages, \d+ WAL records compared/);
  const [pages, records] = equal.match(/(\d+) pages, (\d+) WAL/).slice(1).map(Number);
  assert.ok(pages > 20 && records > 200, equal);
  // a crash that tears a page, and PostgreSQL's own recovery from it
  const crashed = await compared(`create table t (id int primary key, n int);
insert into t select i, i from generate_series(1, 200) i;
checkpoint;
update t set n = 0 where id = 1;
--@ crash torn t 0 4096
select count(*), min(n) from t;`);
  assert.match(crashed, /^Equal, byte for byte: 5 statements, \d+ pages, \d+ WAL records compared/);
  await browser.page.locator('main').click({ position: { x: 5, y: 5 } });
  let told = '';
  for (let n = 0; n < 8 && !told.includes('block 0 is torn'); n += 1) {
    await browser.keys('}', KEY.right);
    told = await text('main');
  }
  assert.match(told, /not in the WAL: block 0 is torn: new above, old below; byte [67],\d+ is the first to show it/);
  // more steps than a run of the simulator keeps one by one
  const many = "create table t (id int primary key, v text);\ninsert into t select i, repeat('x', 50) from generate_series(1, 10000) i;";
  assert.match(await compared(many), /^Equal, byte for byte: 2 statements/);
  // other values each time cannot be compared, and what the simulator does not know is not equal
  assert.match(await compared('create table r (id uuid);\ninsert into r values (gen_random_uuid());'), /Not compared: statement 2 and what follows/);
  assert.match(await compared('create table g (a int[]);\ncreate index on g using gin (a);\ninsert into g values (array[1, 2]);'), /^Not equal: statement 2/);
  nothingWrong();
});

test('the SQL of a lesson is written on, at the same step', async () => {
  await browser.open('about:blank');
  await browser.open(`${site.url}#lesson/full-page-writes/step/2.1`);
  await browser.waitFor("document.querySelector('.narration')", 'the lesson');
  const before = await text('.headline');
  await browser.keys('E');
  await shown('ffviz-sql');
  assert.match(await written(), /--@ crash torn/);
  // the run is over, and leads to the same step
  await browser.waitFor(`document.querySelector('.headline')?.textContent === ${JSON.stringify(before)}`, before, 60_000);
  await idle(60_000);
  nothingWrong();
});

test('two tabs run scripts at once, and neither sees the other', async () => {
  await open('#write');
  const [other] = await Promise.all([browser.page.waitForEvent('popup'), browser.run('window.open(arguments[0])', `${site.url}#write`)]);
  await other.locator('.status', { hasText: 'was run' }).waitFor();
  const rows = 'create table b (i int);\ninsert into b select generate_series(1, 500);';
  await other.evaluate((sql) => { document.querySelector('ffviz-sql').value = sql; document.querySelector('.run').click(); }, rows);
  await run('create table a (i int);\ninsert into a values (1);');
  await other.locator('.status', { hasText: 'edited script was run' }).waitFor();
  const labels = await Promise.all([browser.page, other].map((page) => page.locator('pre.label').textContent()));
  assert.match(labels[0], /into a/);
  assert.match(labels[1], /into b/);
  await other.close();
  nothingWrong();
});

test('one file without a server runs scripts too', async () => {
  await browser.open(`${pathToFileURL(`${DIST}/ffviz.html`)}#write`);
  await browser.waitFor("Number(document.querySelector('.step')?.textContent.split('/')[1]) > 1", 'steps');
  browser.console();
});

test('where nothing may be kept, all works all the same', async () => {
  const blocked = await Browser.start();
  try {
    await blocked.page.addInitScript(() => {
      const refuse = () => { throw new DOMException('blocked', 'SecurityError'); };
      for (const name of ['localStorage', 'sessionStorage', 'indexedDB']) Object.defineProperty(window, name, { get: refuse });
    });
    await blocked.open(`${site.url}#write`);
    await blocked.waitFor("Number(document.querySelector('.step')?.textContent.split('/')[1]) > 1", 'steps');
    // the choice of colours is what is kept elsewhere
    await blocked.page.locator('button[aria-label*="colours"], button[title*="colours"]').first().click();
    await blocked.page.keyboard.press('ArrowRight');
    assert.deepEqual(blocked.console(), []);
  } finally {
    await blocked.stop();
  }
});
