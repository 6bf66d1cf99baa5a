// <ffviz-sql>: a place to write SQL in. A plain text area until somebody begins to write, then CodeMirror, where that can be loaded.
//
//   value     attribute: the text to begin with, and when it changes the text to show; property: what is written
//   line      attribute: the line that something is wrong with, from 1
//   label     attribute: its name
//   event     input: it was changed. Ctrl+Enter submits the form that it stands in
const style = new CSSStyleSheet();
style.replaceSync(`
  :host { display: block; min-height: 6rem; border: 1px solid var(--line); border-radius: .375rem; background: var(--raised); overflow: hidden; }
  :host(:focus-within) { outline: 2px solid var(--focus); outline-offset: 1px; }
  textarea { display: block; box-sizing: border-box; width: 100%; height: 100%; min-height: 6rem; padding: .35rem .6rem; border: 0; outline: 0; resize: none;
    font: .875rem/1.5 var(--mono); color: var(--text); background: none; tab-size: 2; }
  .place { height: 100%; }
  [hidden] { display: none; }
`);

class FfvizSql extends HTMLElement {
  static observedAttributes = ['value', 'line'];

  #area = document.createElement('textarea');
  #place = document.createElement('div');
  #editor;
  #asked = false;

  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open', delegatesFocus: true });
    root.adoptedStyleSheets = [style];
    this.#area.spellcheck = false;
    this.#place.className = 'place';
    this.#place.hidden = true;
    root.append(this.#area, this.#place);
    this.#area.addEventListener('input', () => this.#tell('input'));
    this.#area.addEventListener('focus', () => this.#load(), { once: true });
    this.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        this.closest('form')?.requestSubmit();
      }
    });
  }

  connectedCallback() {
    this.#area.setAttribute('aria-label', this.getAttribute('label') ?? 'SQL');
  }

  attributeChangedCallback(name, before, now) {
    if (before === now) return;
    if (name === 'value') this.value = now ?? '';
    else this.#editor?.problem(Number(now) || null);
  }

  get value() { return this.#area.value; }

  set value(text) {
    this.#area.value = text;
    if (this.#editor) this.#editor.text = text;
  }

  #tell(name) { this.dispatchEvent(new CustomEvent(name, { bubbles: true })); }

  async #load() {
    if (this.#asked) return;
    this.#asked = true;
    let library;
    try {
      library = await import(new URL('codemirror.js', FfvizSql.base ?? document.baseURI).href);
    } catch {
      return; // the text area does without
    }
    const at = this.#area.selectionStart;
    this.#place.hidden = false;
    const had = this.shadowRoot.activeElement === this.#area;
    this.#editor = library.edit({
      parent: this.#place,
      root: this.shadowRoot,
      text: this.#area.value,
      label: this.getAttribute('label') ?? 'SQL',
      at,
      changed: (text) => { if (this.#area.value !== text) { this.#area.value = text; this.#tell('input'); } },
    });
    this.#area.hidden = true;
    this.#editor.problem(Number(this.getAttribute('line')) || null);
    if (had) this.#editor.focus();
  }
}

if (!customElements.get('ffviz-sql')) customElements.define('ffviz-sql', FfvizSql);
