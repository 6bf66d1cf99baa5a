// The simulator's web worker: runs a script, in one way or in two, and posts its steps while it runs. The bundler puts
// wasm-bindgen's glue before it. Whoever is tired of it ends the worker.
//
//   in    { module, text, anyway, ways: [{ version, settings, whole }] }, or { module, text, split } where another engine runs it,
//         or { module, table: { width, indexes, indexed, rounds, fillfactor, version } }: advice for such a table
//   out   { wrong: { line, column, sentence, runs } }        the text is not run
//         { way, lines, done, of, ends, last }               lines of a recording, as they come
//         { statements: [{ sql, label, end }] }              of a text that was split
//         { case: { fillfactor, hot, … } }, in turn, then { recommendation }
//         { failed }                                         a sentence: there are no more

/** So many statements are posted one by one; then only as often as it does not slow the run: to write what happened takes time too. */
const FIRST = 30;

self.onmessage = async ({ data: { module, text, split, anyway, ways, table } }) => {
  let memory;
  try {
    ({ memory } = await wasm_bindgen({ module_or_path: module }));
    if (table) {
      advise(table);
      return;
    }
    if (split) {
      postMessage({ statements: wasm_bindgen.statements(text) });
      return;
    }
    const wrong = wasm_bindgen.mistake(text);
    if (wrong && !(anyway && wrong.runs)) {
      postMessage({ wrong });
      return;
    }
    ways.forEach(({ version, settings, whole }, way) => play(new wasm_bindgen.Playing(text, version, settings, Boolean(whole)), way));
  } catch (error) {
    if (split && error?.sentence) {
      postMessage({ wrong: error });
      return;
    }
    // the program ends where it is refused memory, and cannot say so itself
    const full = memory?.buffer.byteLength > 900 * 2 ** 20;
    const why = full ? 'no more room: a run in the browser has 1 GB of memory' : `the simulator ended: ${error.message ?? error}`;
    postMessage({ failed: why });
  }
};

function advise({ width, indexes, indexed, rounds, fillfactor, version }) {
  const advising = new wasm_bindgen.Advising(width, indexes, indexed, rounds, fillfactor, version);
  for (let found = advising.next(); found; found = advising.next()) postMessage({ case: found });
  postMessage({ recommendation: advising.recommendation() });
  advising.free();
}

function play(playing, way) {
  const post = (last) => {
    const { done, of } = playing;
    postMessage({ way, lines: playing.lines(), done, of, ends: playing.ends, last });
  };
  let next = 0;
  while (playing.next()) {
    const before = performance.now();
    if (playing.done > FIRST && before < next) continue;
    post(false);
    const now = performance.now();
    next = now + 4 * (now - before);
  }
  post(true);
  playing.free();
}
