// Starts the viewer: the only script of the first picture that is not made by wasm-bindgen.
import init, { page } from './ffviz.js';

// who comes with an address wants to be there, not welcomed
document.documentElement.toggleAttribute('data-open', location.hash.length > 1);

// What an address leads to is asked for while the program is still compiled; only a lesson's beginning does without the rest of the program.
const [name, step] = location.hash.slice(1).split('/step/');
const isScript = /^(v\d+\/|write$)/.test(name);
const atBeginning = name.startsWith('lesson/') && (step ?? '0') === '0';
const wanted = isScript ? ['ffviz_rest.wasm', 'ffviz_simulator.wasm'] : [`snapshots/${name}.ffrec.gz`, ...(atBeginning ? [] : ['ffviz_rest.wasm'])];
for (const href of name ? wanted : []) {
  document.head.append(Object.assign(document.createElement('link'), { rel: 'preload', as: 'fetch', crossOrigin: '', href }));
}

await init({ module_or_path: new URL('ffviz_bg.wasm', import.meta.url) });
page();
// scripts are written in it; nothing of the first picture is
await import('./editor.js');
