// What there is to know of <ffviz-demo>, once: types, JSX types, the custom elements manifest and web-types are made of it.
//
//   node web/element/describe.mjs FOLDER
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const { version } = JSON.parse(await readFile(new URL('package.json', import.meta.url), 'utf8'));

export const ATTRIBUTES = [
  ['lesson', 'string', 'A lesson, such as `hot-update`, or a recording of the library, such as `18/hot-chain`.'],
  ['recording', 'string', 'The address of a recording (`*.ffrec`, `*.ffrec.gz`).'],
  ['script', 'string', 'SQL, which is run in the page; it may stand in a `<pre>` in the tag instead.'],
  ['pg', "'13' | '14' | '15' | '16' | '17' | '18'", 'The version of PostgreSQL that the script runs on; the newest where nothing is said.'],
  ['step', 'string', "The step's address: `6.2` is the second step of statement 6, `6.hot-update` its first HOT update, a number a state."],
  ['range', 'string', 'The first and the last step that can be gone to: `2-9`, `6.1-6.4`.'],
  ['view', "'figure' | 'map' | 'tree' | 'page' | 'wal' | 'lesson'", 'What is shown; the figure where nothing is said.'],
  ['controls', "'full' | 'step' | 'none'", 'What is around the picture: everything, buttons to step with, nothing.'],
  ['autoplay', 'boolean', 'Plays by itself, where the reader does not want less motion.'],
  ['theme', "'auto' | 'light' | 'dark'", "Colours: as the page's `color-scheme` says, or always the same."],
  ['height', 'string', 'Height in pixels; as high as the picture where nothing is said.'],
];
const METHODS = [
  ['next', '', 'A step forward.'],
  ['back', '', 'A step back.'],
  ['seek', 'step: string | number', "To a step, by its address."],
];
const EVENTS = [
  ['ffviz-ready', 'Record<string, never>', 'The first picture is there.'],
  ['ffviz-step', '{ step: string; state: number; states: number; headline: string; alternative: string }', 'Another step is shown.'],
  ['ffviz-error', '{ message: string }', 'Something cannot be shown: a sentence.'],
];
const PARTS = [['demo', 'The live demo: its frame and ground.'], ['failure', 'The sentence that says why there is none.']];
const COLOURS = ['ground', 'paper', 'raised', 'text', 'strong', 'dim', 'rule', 'line', 'accent', 'accent-soft', 'select', 'select-soft', 'focus', 'serif', 'sans', 'mono'];
const SUMMARY = "PostgreSQL's pages, step by step. What stands in the tag is shown until the demo is live, and where it cannot be.";

const optional = (lines) => lines.map(([name, type, words]) => `  /** ${words} */\n  ${name}?: ${type};`).join('\n');
const detail = (name) => EVENTS.find(([event]) => event === name)[1];

const types = `// Types of <ffviz-demo>.

/** ${SUMMARY} */
export class FfvizDemo extends HTMLElement {
  static readonly observedAttributes: string[];
${METHODS.map(([name, takes, words]) => `  /** ${words} */\n  ${name}(${takes}): void;`).join('\n')}
  addEventListener<K extends keyof FfvizDemoEventMap>(type: K, listener: (this: FfvizDemo, event: FfvizDemoEventMap[K]) => unknown, options?: boolean | AddEventListenerOptions): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
}

/** The attributes. */
export interface FfvizDemoAttributes {
${optional(ATTRIBUTES)}
}

/** The events. */
export interface FfvizDemoEventMap extends HTMLElementEventMap {
${EVENTS.map(([name, , words]) => `  /** ${words} */\n  '${name}': CustomEvent<${detail(name)}>;`).join('\n')}
}

declare global {
  interface HTMLElementTagNameMap {
    'ffviz-demo': FfvizDemo;
  }
}
`;

const jsx = `// JSX types of <ffviz-demo>: import 'ffviz-demo/jsx' once.
import type { FfvizDemoAttributes } from './index.js';

type Props = FfvizDemoAttributes & { id?: string; class?: string; className?: string; style?: unknown; children?: unknown; key?: string | number; ref?: unknown };

declare global {
  namespace JSX {
    interface IntrinsicElements {
      'ffviz-demo': Props;
    }
  }
}
declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'ffviz-demo': Props;
    }
  }
}
`;

const text = (type) => ({ text: type });
const manifest = {
  schemaVersion: '2.1.0',
  readme: 'README.md',
  modules: [{
    kind: 'javascript-module',
    path: 'index.js',
    declarations: [{
      kind: 'class',
      customElement: true,
      name: 'FfvizDemo',
      tagName: 'ffviz-demo',
      summary: SUMMARY,
      superclass: { name: 'HTMLElement' },
      attributes: ATTRIBUTES.map(([name, type, description]) => ({ name, type: text(type), description })),
      members: METHODS.map(([name, takes, description]) => ({
        kind: 'method', name, description, return: { type: text('void') },
        ...(takes && { parameters: takes.split(', ').map((one) => ({ name: one.split(': ')[0], type: text(one.split(': ')[1]) })) }),
      })),
      events: EVENTS.map(([name, type, description]) => ({ name, type: text(`CustomEvent<${type}>`), description })),
      slots: [{ name: '', description: 'A picture and its text, or SQL in a `<pre>`: shown until the demo is live, and where it cannot be.' }],
      cssParts: PARTS.map(([name, description]) => ({ name, description })),
      cssProperties: COLOURS.map((name) => ({ name: `--${name}` })),
    }],
    exports: [{ kind: 'js', name: 'FfvizDemo', declaration: { name: 'FfvizDemo', module: 'index.js' } }],
  }, {
    kind: 'javascript-module',
    path: 'define.js',
    exports: [{ kind: 'custom-element-definition', name: 'ffviz-demo', declaration: { name: 'FfvizDemo', module: 'index.js' } }],
  }],
};

const webTypes = {
  $schema: 'https://raw.githubusercontent.com/JetBrains/web-types/master/schema/web-types.json',
  name: 'ffviz-demo',
  version,
  'description-markup': 'markdown',
  contributions: { html: { elements: [{
    name: 'ffviz-demo',
    description: SUMMARY,
    attributes: ATTRIBUTES.map(([name, type, description]) => ({ name, description, value: { type } })),
    js: { events: EVENTS.map(([name, , description]) => ({ name, description })) },
    css: { parts: PARTS.map(([name, description]) => ({ name, description })), properties: COLOURS.map((name) => ({ name: `--${name}` })) },
  }] } },
};

const [folder] = process.argv.slice(2);
if (folder) {
  const put = (name, body) => writeFile(join(folder, name), typeof body === 'string' ? body : `${JSON.stringify(body, null, 2)}\n`);
  await Promise.all([
    put('index.d.ts', types), put('define.d.ts', "import './index.js';\n"), put('jsx.d.ts', jsx),
    put('custom-elements.json', manifest), put('web-types.json', webTypes),
  ]);
}
