// Starts the viewer: the only script that is not made by wasm-bindgen.
import init from './ffviz.js';

init({ module_or_path: new URL('ffviz_bg.wasm', import.meta.url) });
