// <ffviz-demo> as one classic script, for pages without modules and pages from a disk. The bundler puts before it
// wasm-bindgen's glue for the page, as `wasm_bindgen`, and all files, as `ffvizFiles`: base64 of gzip.
import '../site/editor.js';
import { FfvizDemo, once, sheetOf } from './element.js';

/** One of the files. */
async function unpacked(name) {
  const packed = Uint8Array.from(atob(globalThis.ffvizFiles[name]), (c) => c.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip')));
}

FfvizDemo.load = once(async () => {
  const module = await (await unpacked('ffviz_bg.wasm')).arrayBuffer();
  await wasm_bindgen({ module_or_path: module });
  await wasm_bindgen.whole();
  return { Player: wasm_bindgen.Player, sheet: sheetOf(await (await unpacked('ffviz.css')).text()) };
});

if (!customElements.get('ffviz-demo')) customElements.define('ffviz-demo', FfvizDemo);
