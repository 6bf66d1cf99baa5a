// Starts the viewer: the only script that is not made by wasm-bindgen.
import init from './ffviz.js';

// What an address leads to is asked for while the program is still compiled; only a lesson's beginning does without the rest of the program.
const [name, step] = location.hash.slice(1).split('/step/');
const atBeginning = name.startsWith('lesson/') && !Number(step ?? 0);
for (const href of name ? [`snapshots/${name}.ffrec.gz`, ...(atBeginning ? [] : ['ffviz_rest.wasm'])] : []) {
  document.head.append(Object.assign(document.createElement('link'), { rel: 'preload', as: 'fetch', crossOrigin: '', href }));
}

init({ module_or_path: new URL('ffviz_bg.wasm', import.meta.url) });
