// <ffviz-demo>: PostgreSQL's pages, step by step, within another page. What stands inside the tag (a picture and its
// text, or SQL in a <pre>) is shown until the demo is live, and where it cannot be.
//
//   index.js     the class, with the files beside it       classic.js   the same for one classic script
//   define.js    registers it

/** Attributes that say what is shown; another value shows something else. */
const ATTRIBUTES = ['lesson', 'recording', 'script', 'pg', 'step', 'range', 'view', 'controls', 'autoplay', 'theme', 'height'];

// where there is no browser, the class can still be imported
const Base = globalThis.HTMLElement ?? class {};

export class FfvizDemo extends Base {
  static observedAttributes = ATTRIBUTES;

  /** Loads the program: `{ Player, sheet }`, once for all demos of a page. */
  static load;

  #player;
  #place;
  #seen;
  #starting = false;

  connectedCallback() {
    if (!this.shadowRoot) {
      this.attachShadow({ mode: 'open' }).append(document.createElement('slot'));
    }
    if (this.#player || this.#starting) return;
    if (!('adoptedStyleSheets' in Document.prototype) || typeof WebAssembly !== 'object') {
      this.#fail('This browser is too old to play the demo: it has no WebAssembly, or no constructed style sheets.');
      return;
    }
    this.#seen = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) this.#start();
    }, { rootMargin: '200px' });
    this.#seen.observe(this);
  }

  disconnectedCallback() {
    // an element that is only moved is connected again at once
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.#seen?.disconnect();
      this.#player?.remove();
      this.#player = undefined;
      this.#place?.replaceWith(document.createElement('slot'));
      this.#place = undefined;
    });
  }

  attributeChangedCallback(name, before, now) {
    if (before === now) return;
    if (name === 'height') this.#resize();
    else if (name !== 'theme') this.#player?.set(this.#options());
  }

  /** A step forward. */
  next() { this.#player?.next(); }

  /** A step back. */
  back() { this.#player?.back(); }

  /** To a step, by its address: `6.2`, `6.hot-update`, or the number of a state. */
  seek(step) { this.#player?.seek(String(step)); }

  #options() {
    const options = {};
    for (const name of ATTRIBUTES) if (this.hasAttribute(name)) options[name] = this.getAttribute(name);
    const sql = this.querySelector('pre');
    if (sql && !options.lesson && !options.recording) options.script ??= sql.textContent;
    return options;
  }

  #resize() {
    const height = this.getAttribute('height');
    if (this.#place) this.#place.style.height = /^\d+$/.test(height ?? '') ? `${height}px` : '';
  }

  async #start() {
    this.#seen.disconnect();
    this.#starting = true;
    try {
      const { Player, sheet } = await FfvizDemo.load();
      if (!this.isConnected) return;
      this.shadowRoot.adoptedStyleSheets = [sheet];
      const place = document.createElement('div');
      place.className = 'place';
      place.setAttribute('part', 'demo');
      place.hidden = true;
      this.shadowRoot.append(place);
      this.#place = place;
      this.#resize();
      this.#player = new Player(place, this.#options(), (name, detail) => this.#tell(name, detail));
    } catch (error) {
      this.#fail(`The demo cannot be played: ${error.message ?? error}`);
    } finally {
      this.#starting = false;
    }
  }

  #tell(name, detail) {
    if (name === 'error') {
      this.#fail(detail.message);
      return;
    }
    if (name === 'ready') {
      this.shadowRoot.querySelector('slot')?.remove();
      this.shadowRoot.querySelector('.failure')?.remove();
      this.#place.hidden = false;
    }
    this.dispatchEvent(new CustomEvent(`ffviz-${name}`, { detail, bubbles: true, composed: true }));
  }

  /** What stands in the tag stays, and one sentence says why there is no more. */
  #fail(message) {
    let sentence = this.shadowRoot.querySelector('.failure');
    if (!sentence) {
      sentence = document.createElement('p');
      sentence.className = 'failure';
      sentence.setAttribute('part', 'failure');
      sentence.setAttribute('role', 'status');
      this.shadowRoot.append(sentence);
    }
    sentence.textContent = message;
    this.dispatchEvent(new CustomEvent('ffviz-error', { detail: { message }, bubbles: true, composed: true }));
  }
}

/**
 * The style of the page as one for a shadow root: what is said of the page's root is then said of the element, and the
 * root's size of letters, which may be any in another page, is 16 pixels.
 */
export function sheetOf(style) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style.replaceAll(':root', ':host').replace(/(\d*\.?\d+)rem/g, (_, n) => `${n * 16}px`));
  return sheet;
}

/** What `start` gives, asked for once; who comes after a failure may have more luck. */
export function once(start) {
  let given;
  return () => {
    given ??= start();
    given.catch(() => { given = undefined; });
    return given;
  };
}
