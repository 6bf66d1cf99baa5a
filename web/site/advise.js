// Which fillfactor: sliders that describe a table, a simulated case for each fillfactor. What is chosen stands in the
// address behind #, so that it can be shared; nothing is sent anywhere.
//
//   sliders ──▶ address ──▶ worker (ffviz_worker.js, the simulator) ──a case at a time──▶ table, recommendation
const form = document.querySelector('form.advise');
const advice = document.querySelector('.advice');
const statement = document.querySelector('pre');
const rows = document.querySelector('.cases tbody');
const facts = document.querySelector('details ul');
/** Fields, with how a number of theirs is written. */
const COLUMNS = [
  ['hot', (share) => `${(100 * share).toFixed(1)} %`],
  ['wal', (bytes) => `${bytes.toFixed(0)} bytes`],
  ['touched', (pages) => pages.toFixed(2)],
  ['table', (megabytes) => `${megabytes.toFixed(0)} MB`],
  ['indexes', (megabytes) => `${megabytes.toFixed(0)} MB`],
];
/** A reader still moves a slider. */
const SETTLED = 250;

let worker;
let timer;
let cases = [];
const compiled = fetch('ffviz_simulator.wasm').then((answer) => answer.arrayBuffer()).then(WebAssembly.compile);
// it is awaited, and told, by each run
compiled.catch(() => {});

/** A number that a field allows: of what is only half typed, the nearest. */
const allowed = ({ value, min, max }) => Math.min(Math.max(Math.round(Number(value)), Number(min)), Number(max));

/** The table that the sliders describe, and the numbers beside them. */
const described = () => Object.fromEntries([...form.elements].filter(({ name }) => name)
  .map((field) => [field.name, field.type === 'number' ? allowed(field) : Number(field.value)]));

/** A slider stands before the number that it shows. */
const sliders = () => form.querySelectorAll('input[type=range]');

function show() {
  for (const slider of sliders()) slider.value = allowed(slider.nextElementSibling);
}

/** Puts the sliders where an address says. */
function restore() {
  for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
    const field = form.elements[name];
    if (field && /^\d{1,4}$/.test(value)) field.value = field.type === 'number' ? allowed({ value, min: field.min, max: field.max }) : value;
  }
  show();
}

/** What is said of a case beside its fillfactor: a sign and a word. */
function marked(words) {
  return Object.assign(document.createElement('span'), { className: 'mark', textContent: words });
}

function draw(recommended) {
  const most = (name) => Math.max(...cases.map((one) => one[name]), Number.EPSILON);
  rows.replaceChildren(...cases.map((one) => {
    const row = document.createElement('tr');
    const name = Object.assign(document.createElement('th'), { scope: 'row', textContent: one.fillfactor });
    if (one.fillfactor === recommended) name.append(' ', marked('✓ recommended'));
    if (one.fillfactor === described().fillfactor) name.append(' ', marked('today'));
    const numbers = COLUMNS.map(([column, words]) => {
      const cell = Object.assign(document.createElement('td'), { textContent: words(one[column]) });
      cell.style.setProperty('--part', one[column] / (column === 'hot' ? 1 : most(column)));
      return cell;
    });
    row.classList.toggle('recommended', one.fillfactor === recommended);
    row.append(name, ...numbers);
    return row;
  }));
}

function recommend({ fillfactor, change, because, statement: sql, effect, why, obstacles, facts: rests }) {
  const what = change ? `fillfactor ${fillfactor}` : `leave fillfactor ${fillfactor}`;
  const sentences = [`Recommended: ${what}: ${because}`, why, ...obstacles, effect].filter(Boolean);
  advice.textContent = sentences.map((sentence) => `${sentence}.`).join(' ');
  statement.hidden = !sql;
  statement.firstChild.textContent = sql ?? '';
  facts.replaceChildren(...rests.map((fact) => Object.assign(document.createElement('li'), { textContent: fact })));
  draw(fillfactor);
}

async function simulate() {
  worker?.terminate();
  cases = [];
  advice.textContent = 'Simulating …';
  statement.hidden = true;
  let module;
  try {
    module = await compiled;
  } catch (error) {
    advice.textContent = `The simulator cannot be loaded here: ${error.message ?? error}`;
    return;
  }
  worker = new Worker('ffviz_worker.js');
  worker.onerror = () => { advice.textContent = 'The simulator cannot be started in this page.'; };
  worker.onmessage = ({ data }) => {
    if (data.failed) advice.textContent = data.failed;
    if (data.case) {
      cases.push(data.case);
      draw();
    }
    if (data.recommendation) {
      recommend(data.recommendation);
      worker.terminate();
    }
  };
  worker.postMessage({ module, table: described() });
}

form.addEventListener('input', ({ target }) => {
  if (target.type === 'range') target.nextElementSibling.value = target.value;
  show();
  history.replaceState(null, '', `#${new URLSearchParams(described())}`);
  clearTimeout(timer);
  timer = setTimeout(simulate, SETTLED);
});
// a number that is left has to be one that counts
form.addEventListener('change', ({ target }) => {
  if (target.type === 'number') target.value = allowed(target);
});
// Enter is no reason to load the page again
form.addEventListener('submit', (event) => event.preventDefault());
addEventListener('hashchange', () => {
  restore();
  simulate();
});
const copy = document.querySelector('.copy');
copy.addEventListener('click', async () => {
  await navigator.clipboard.writeText(location.href);
  copy.textContent = 'link copied';
});
restore();
simulate();
