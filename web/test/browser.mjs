// A headless Chromium of the system, driven by playwright-core, with the words that the tests use.
import { chromium } from 'playwright-core';

export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export class Browser {
  #chromium;
  #console = [];
  #requests = [];
  #session;

  /** The page, for what the words below do not say. */
  page;

  static async start({ width = 1440, height = 900, executablePath = '/usr/bin/chromium', ...context } = {}) {
    const browser = new Browser();
    browser.#chromium = await chromium.launch({ executablePath, args: ['--no-sandbox', '--hide-scrollbars'] });
    const page = await browser.#chromium.newPage({ viewport: { width, height }, ...context });
    page.setDefaultTimeout(10_000);
    page.on('console', (message) => browser.#console.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => browser.#console.push(`error: ${error.message}`));
    page.on('request', (request) => browser.#requests.push(request.url()));
    browser.page = page;
    browser.#session = await page.context().newCDPSession(page);
    return browser;
  }

  stop() { return this.#chromium.close(); }

  /** Opens an address; where only the part behind # is another, the page is the same. */
  open(url) { return this.page.goto(url, { waitUntil: 'load' }); }

  /** Runs the body of a function in the page; the policy of the page does not concern it. */
  run(script, ...args) { return this.page.evaluate(`(function () { ${script} }).apply(null, ${JSON.stringify(args)})`); }

  /** The same for a body that awaits. */
  runAsync(script, ...args) { return this.page.evaluate(`(async function () { ${script} }).apply(null, ${JSON.stringify(args)})`); }

  devtools(command, params = {}) { return this.#session.send(command, params); }

  async click(css) { await this.page.locator(css).first().click(); }

  async doubleClick(css) { await this.page.locator(css).first().dblclick(); }

  /** Presses keys, wherever the focus is. */
  async keys(...keys) {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  async choose(css, path) { await this.page.locator(css).setInputFiles(path); }

  async resize(width, height) { await this.page.setViewportSize({ width, height }); }

  /** What the reader's system prefers: `{ 'prefers-color-scheme': 'dark' }`. */
  async prefers(features) {
    await this.page.emulateMedia({
      colorScheme: features['prefers-color-scheme'] ?? null,
      reducedMotion: features['prefers-reduced-motion'] ?? null,
      forcedColors: features['forced-colors'] ?? null,
    });
  }

  /** A picture of the whole page, or of the window only. */
  async screenshot(path, whole = true) { await this.page.screenshot({ path, fullPage: whole }); }

  /** What the page wrote to the console since the last call. */
  console() { return this.#console.splice(0); }

  /** The addresses asked for since the last call. */
  requests() { return this.#requests.splice(0); }

  /** Waits until the page gives something true. */
  async waitFor(script, what = script, timeout = 10_000) {
    const start = Date.now();
    let last;
    while (Date.now() - start < timeout) {
      try {
        const value = await this.run(`return ${script}`);
        if (value) return value;
      } catch (error) {
        last = error;
      }
      await sleep(15);
    }
    throw new Error(`the page does not show: ${what}${last ? ` (${last.message})` : ''}`);
  }
}

/** Keys with names. */
export const KEY = {
  left: 'ArrowLeft', up: 'ArrowUp', right: 'ArrowRight', down: 'ArrowDown', enter: 'Enter', escape: 'Escape', tab: 'Tab', home: 'Home', end: 'End',
};
