// Starts the viewer: the only script of the first picture that is not made by wasm-bindgen.
import init, { page } from './ffviz.js';

// who comes with an address wants to be there, not welcomed
document.documentElement.toggleAttribute('data-open', location.hash.length > 1);

// The picture plays three times, then rests on its last figure; a picture that was asked for anew plays anew.
const PLAYED = 3 * 14_400;
const hero = document.querySelector('.hero img');
const control = document.querySelector('.hero button');
if (control && !matchMedia('(prefers-reduced-motion: reduce)').matches) {
  let times = 0;
  let end;
  const play = (plays) => {
    clearTimeout(end);
    if (plays && times++) hero.src = `hero.svg?${times}`;
    if (plays) end = setTimeout(play, PLAYED, false);
    control.textContent = plays ? '❚❚ stop' : '▶ play again';
    control.dataset.plays = plays;
  };
  control.addEventListener('click', () => {
    const stops = control.dataset.plays === 'true';
    play(!stops);
    if (stops) hero.src = 'hero-still.svg';
  });
  control.hidden = false;
  play(true);
}

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
