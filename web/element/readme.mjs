// The package's README with its tables filled in, and the list of what is compiled in with its licences.
//
//   node web/element/readme.mjs FOLDER
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { ATTRIBUTES } from './describe.mjs';

const [folder] = process.argv.slice(2);
const kilobytes = (bytes) => `${Math.ceil(bytes / 1000)} KB`;
const size = (names) => {
  const parts = names.map((name) => readFileSync(join(folder, name)));
  const sum = (pack) => kilobytes(parts.reduce((all, part) => all + pack(part).length, 0));
  return [sum((part) => part), sum((part) => gzipSync(part, { level: 9 })), sum((part) => brotliCompressSync(part))];
};
const rows = [
  ['at once', ['index.js', 'element.js', 'define.js']],
  ['style and viewer', ['ffviz.css', 'ffviz.js', 'ffviz_bg.wasm', 'ffviz_rest.wasm']],
  ['simulator', ['ffviz_worker.js', 'ffviz_simulator.wasm']],
  ['editor', ['editor.js', 'codemirror.js']],
  ['all in one script', ['ffviz-demo.bundle.js']],
];
const sizes = ['| | raw | gzip | brotli |', '| --- | ---: | ---: | ---: |', ...rows.map(([what, names]) => `| ${[what, ...size(names)].join(' | ')} |`)];
const escaped = (type) => type.replaceAll('|', '\\|');
const attributes = ['| attribute | is | |', '| --- | --- | --- |', ...ATTRIBUTES.map(([name, type, words]) => `| \`${name}\` | \`${escaped(type)}\` | ${words} |`)];
const readme = readFileSync(new URL('README.md', import.meta.url), 'utf8');
writeFileSync(join(folder, 'README.md'), readme.replace('SIZES', sizes.join('\n')).replace('ATTRIBUTES', attributes.join('\n')));

// the crates of the three modules, without what only builds them
const metadata = JSON.parse(execFileSync('cargo', ['metadata', '--locked', '--format-version', '1', '--filter-platform', 'wasm32-unknown-unknown'], { maxBuffer: 1 << 28 }));
const nodes = new Map(metadata.resolve.nodes.map((node) => [node.id, node]));
const packages = new Map(metadata.packages.map((one) => [one.id, one]));
const seen = new Set();
const add = (id) => {
  if (seen.has(id)) return;
  seen.add(id);
  for (const { pkg, dep_kinds: kinds } of nodes.get(id).deps) if (kinds.some(({ kind }) => kind === null)) add(pkg);
};
for (const one of metadata.packages) if (['ffviz-viewer', 'ffviz-worker'].includes(one.name)) add(one.id);
const crates = [...seen].map((id) => packages.get(id)).filter((one) => one.source);
const lines = crates.map(({ name, version, license }) => `- ${name} ${version}: ${license}`).sort();
// of npm's packages those of the editor
const { packages: locked } = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'));
const editor = Object.entries(locked).filter(([path]) => /node_modules\/(@codemirror|@lezer|@marijn|crelt|style-mod|w3c-keyname)/.test(path));
const scripts = editor.map(([path, { version, license }]) => `- ${path.replace('node_modules/', '')} ${version}: ${license}`);
writeFileSync(join(folder, 'THIRD-PARTY.md'), `# What is compiled in\n\nRust crates:\n\n${lines.join('\n')}\n\nThe editor, \`codemirror.js\`:\n\n${scripts.join('\n')}\n`);
