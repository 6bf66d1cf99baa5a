// The contrast of every pair of colours in ffviz.css, in both schemes, by WCAG 2: 4.5 for text, 3 for signs and lines that mean something.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

const css = await readFile(new URL('../site/ffviz.css', import.meta.url), 'utf8');

/** The pairs of a rule: { '--fill': ['#…', '#…'] }, light first. */
const pairs = (body) => Object.fromEntries(
  [...body.matchAll(/(--[\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(([, name, light, dark]) => [name, [light, dark]]));

const root = pairs(css.slice(css.indexOf(':root {')).split('}')[0]);
const families = [...css.matchAll(/^\.(f-[\w-]+) \{(.*)\}$/gm)].map(([, name, body]) => [name, pairs(body)]);
const arrows = [...css.matchAll(/^\.(k-[\w-]+)[^{]*\{(.*)\}$/gm)].map(([, name, body]) => [name, pairs(body)]);

function luminance(hex) {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

let compared = 0;
function needs(what, front, back, least) {
  for (const scheme of [0, 1]) {
    const found = contrast(front[scheme], back[scheme]);
    compared += 1;
    assert.ok(found >= least, `${what}, ${['light', 'dark'][scheme]}: ${front[scheme]} on ${back[scheme]} is ${found.toFixed(2)}, not ${least}`);
  }
}

test('text can be read on everything it stands on', () => {
  for (const ground of ['--ground', '--paper', '--raised', '--select-soft', '--accent-soft']) {
    needs(`text on ${ground}`, root['--text'], root[ground], 7);
    needs(`strong on ${ground}`, root['--strong'], root[ground], 7);
    needs(`dim on ${ground}`, root['--dim'], root[ground], 4.5);
  }
  needs('ground on select', root['--ground'], root['--select'], 7);
  for (const [name, family] of families) needs(`text on ${name}`, family['--ink'], family['--fill'], 4.5);
});

test('signs, arrows and marks stand out', () => {
  for (const [name, family] of [...families, ...arrows]) needs(`sign ${name}`, family['--tone'], root['--ground'], 3);
  for (const name of ['--accent', '--select', '--focus']) needs(name, root[name], root['--ground'], 3);
  assert.ok(families.length === 12 && arrows.length === 5, `${families.length} families, ${arrows.length} arrows found`);
  console.log(`${compared} pairs of colours compared`);
});
