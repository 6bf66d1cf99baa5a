// mdBook's preprocessor for our chapters: pictures of steps become demos with the picture in them, answers wait until they are asked for, what
// only the program reads goes.
//
//   book.toml    [preprocessor.ffviz] command = "node …/preprocess.mjs"
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/** A picture that `ffviz show LESSON --step STEP --view VIEW` made, as a demo of that step. Others are of a page or a tree, and stay. */
function demos(text) {
  return text.replace(/<!-- ffviz show (\S+) --step (\S+) --view (\S+) .*?-->\n!\[([^\]]*)\]\(([^)]*)\)/g, (_, lesson, step, view, alt, src) =>
    `<ffviz-demo lesson="${lesson}" step="${step}" view="${view}" controls="step">\n<img src="${src}" alt="${escaped(alt)}">\n</ffviz-demo>`);
}

/** Of a question, what stands behind its choices. */
function answers(text) {
  return text.replace(/(?:^>.*\n?)+/gm, (quote) => {
    const lines = quote.trimEnd().split('\n').map((line) => line.replace(/^> ?/, ''));
    if (!lines[0].startsWith('**Predict.**')) return quote;
    const last = lines.findLastIndex((line) => line.startsWith('- '));
    const [asked, answer] = [lines.slice(0, last + 1), lines.slice(last + 1)];
    return ['', '<blockquote>', '', ...asked, '', '<details><summary>Answer</summary>', ...answer, '', '</details>', '</blockquote>', ''].join('\n');
  });
}

/** Of a table of words, a heading a word: so a search finds the word, and leads to it. */
export function words(text) {
  return text.replace(/^\| word \|.*\n\| --- .*\n((?:\|.*\n)+)/gm, (_, rows) => rows.trimEnd().split('\n').map((row) => {
    const [word, meaning, where] = row.slice(1, -1).split(' | ').map((cell) => cell.trim());
    return `### ${word.replaceAll('**', '')}\n\n${meaning}${where === '–' ? '' : ` (${where})`}\n`;
  }).join('\n'));
}

/** What stands above each page: the way back, and to the lesson where the page is one. */
export function above(name, text) {
  const lesson = text.includes('```sql') && `<a href="../index.html#lesson/${name}/step/0">play this chapter, step by step</a>`;
  const ways = ['<a href="../index.html">ffviz</a>', lesson, '<a href="../complaints.html">something is wrong with a table?</a>'];
  return `<p>${ways.filter(Boolean).join(' · ')}</p>\n\n${text}`;
}

/** A chapter as the book has it. */
export function chapter(text) {
  // comments between the lines of a question stand before the words that it shows
  const read = answers(demos(text)).replace(/[ \t]*<!--(?! ffviz show)[\s\S]*?-->\n?/g, (comment) => (comment.endsWith('\n') ? '\n' : ''));
  const live = read.includes('<ffviz-demo') ? `${read}\n\n<script type="module" src="../define.js"></script>\n` : read;
  return live.replace(/<!-- ffviz show .*?-->\n/g, '');
}

function all(items) {
  for (const { Chapter } of items) {
    if (!Chapter) continue;
    Chapter.content = above(Chapter.path.replace('.md', ''), chapter(words(Chapter.content)));
    all(Chapter.sub_items);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  if (process.argv[2] === 'supports') process.exit(process.argv[3] === 'html' ? 0 : 1);
  const [, book] = JSON.parse(readFileSync(0, 'utf8'));
  all(book.items ?? book.sections);
  process.stdout.write(JSON.stringify(book));
}
