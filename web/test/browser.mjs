// A headless Chromium, driven by chromedriver over plain HTTP (the WebDriver protocol): no package needed.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

const QUIET = [
  '--headless=new', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--disable-default-apps', '--hide-scrollbars',
];

const freePort = () => new Promise((resolve, reject) => {
  const probe = createServer();
  probe.once('error', reject);
  probe.listen(0, '127.0.0.1', () => {
    const { port } = probe.address();
    probe.close(() => resolve(port));
  });
});

export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export class Browser {
  #driver;
  #base;
  #profile;

  static async start({ width = 1440, height = 900, chromium = '/usr/bin/chromium', chromedriver = '/usr/bin/chromedriver' } = {}) {
    const browser = new Browser();
    const port = await freePort();
    browser.#profile = await mkdtemp(join(tmpdir(), 'ffviz-chromium-'));
    browser.#driver = spawn(chromedriver, [`--port=${port}`], { stdio: 'ignore' });
    const root = `http://127.0.0.1:${port}`;
    await until(async () => (await fetch(`${root}/status`)).ok, 'chromedriver does not start');
    const args = [...QUIET, `--user-data-dir=${browser.#profile}`, `--window-size=${width},${height}`];
    const capabilities = {
      alwaysMatch: {
        browserName: 'chrome',
        'goog:chromeOptions': { binary: chromium, args },
        'goog:loggingPrefs': { browser: 'ALL', performance: 'ALL' },
      },
    };
    browser.#base = root;
    const { sessionId } = await browser.#call('POST', '/session', { capabilities });
    browser.#base = `${root}/session/${sessionId}`;
    return browser;
  }

  async #call(method, path, body) {
    const response = await fetch(this.#base + path, { method, body: body && JSON.stringify(body) });
    const { value } = await response.json();
    if (value?.error) throw new Error(`${method} ${path}: ${value.error}: ${value.message.split('\n')[0]}`);
    return value;
  }

  async stop() {
    await this.#call('DELETE', '').catch(() => {});
    this.#driver.kill();
    await rm(this.#profile, { recursive: true, force: true });
  }

  open(url) { return this.#call('POST', '/url', { url }); }

  /** Runs the body of a function in the page. */
  run(script, ...args) { return this.#call('POST', '/execute/sync', { script, args }); }

  /** The same for a body that awaits. */
  runAsync(script, ...args) {
    const wrapped = `const done = arguments[arguments.length - 1]; (async () => { ${script} })().then(done, (e) => done({ failed: String(e) }));`;
    return this.#call('POST', '/execute/async', { script: wrapped, args });
  }

  devtools(cmd, params = {}) { return this.#call('POST', '/goog/cdp/execute', { cmd, params }); }

  async find(css) {
    const found = await this.#call('POST', '/element', { using: 'css selector', value: css });
    return found[ELEMENT];
  }

  async click(css) { await this.#call('POST', `/element/${await this.find(css)}/click`, {}); }

  async doubleClick(css) {
    const origin = { [ELEMENT]: await this.find(css) };
    const press = [{ type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 }];
    const actions = [{ type: 'pointerMove', origin, x: 0, y: 0 }, ...press, ...press];
    await this.#call('POST', '/actions', { actions: [{ type: 'pointer', id: 'mouse', actions }] });
  }

  /** Presses keys, wherever the focus is. */
  async keys(...keys) {
    const actions = keys.flatMap((value) => [{ type: 'keyDown', value }, { type: 'keyUp', value }]);
    await this.#call('POST', '/actions', { actions: [{ type: 'key', id: 'keyboard', actions }] });
  }

  async choose(css, path) { await this.#call('POST', `/element/${await this.find(css)}/value`, { text: path }); }

  async resize(width, height) {
    await this.devtools('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
  }

  async prefers(features) {
    const list = Object.entries(features).map(([name, value]) => ({ name, value }));
    await this.devtools('Emulation.setEmulatedMedia', { features: list });
  }

  /** A picture of the whole page, or of the window only. */
  async screenshot(file, whole = true) {
    const { data } = await this.devtools('Page.captureScreenshot', { captureBeyondViewport: whole, format: 'png' });
    await writeFile(file, Buffer.from(data, 'base64'));
  }

  /** What the page wrote to the console since the last call. */
  async console() {
    const entries = await this.#call('POST', '/se/log', { type: 'browser' });
    return entries.map((entry) => `${entry.level}: ${entry.message}`);
  }

  /** The addresses asked for since the last call. */
  async requests() {
    const entries = await this.#call('POST', '/se/log', { type: 'performance' });
    const events = entries.map((entry) => JSON.parse(entry.message).message);
    return events.filter((e) => e.method === 'Network.requestWillBeSent').map((e) => e.params.request.url);
  }

  /** Waits until the page gives something true. */
  waitFor(script, what = script) { return until(() => this.run(`return ${script}`), `the page does not show: ${what}`); }
}

/** Special keys of the protocol. */
export const KEY = { left: '\uE012', up: '\uE013', right: '\uE014', down: '\uE015', enter: '\uE007', escape: '\uE00C', tab: '\uE004', home: '\uE011', end: '\uE010' };

async function until(check, failure, limit = 10_000) {
  const start = Date.now();
  let last;
  while (Date.now() - start < limit) {
    try {
      const value = await check();
      if (value) return value;
    } catch (error) {
      last = error;
    }
    await sleep(15);
  }
  throw new Error(last ? `${failure} (${last.message})` : failure);
}
