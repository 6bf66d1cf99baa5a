// Registers <ffviz-demo>, once.
import { FfvizDemo } from './index.js';

if (globalThis.customElements && !customElements.get('ffviz-demo')) customElements.define('ffviz-demo', FfvizDemo);
