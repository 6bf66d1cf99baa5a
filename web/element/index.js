// The class of <ffviz-demo>, without side effects: nothing is registered and nothing fetched until an element is seen.
import { FfvizDemo, once, sheetOf } from './element.js';

/** Where the other files are: beside this one. */
const at = (file) => new URL(file, import.meta.url).href;

FfvizDemo.load = once(async () => {
  const style = async () => {
    const response = await fetch(at('ffviz.css'));
    if (!response.ok) throw new Error(`${at('ffviz.css')} cannot be read: status ${response.status}`);
    return sheetOf(await response.text());
  };
  const [module, sheet] = await Promise.all([import(at('ffviz.js')), style()]);
  await module.default({ module_or_path: at('ffviz_bg.wasm') });
  module.base(at('./'));
  await module.whole();
  // SQL is written in it; without it there is a picture all the same
  import(at('editor.js')).catch(() => {});
  return { Player: module.Player, sheet };
});

export { FfvizDemo };
