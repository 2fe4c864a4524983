import { expect, it } from 'vitest';
import { reachableScripts, stylesFor } from './page-styles.ts';

const CSS =
  ':root{--a:1}.own[data-astro-cid-here],.other[data-astro-cid-gone]{color:red}.other[data-astro-cid-gone]:hover{color:red}' +
  '@media (width<=9px){._row_1a{top:0}._cell_2b{top:0}}@media print{._cell_2b{top:0}}' +
  '._row_1a{&:hover{top:1px}@media print{& b{top:2px}}}:is(._cell_2b,.plain){top:3px}._cell_2b:not(:is(b,i)){top:4px}' +
  '.admin-area body{top:5px}';

it('a page loads every rule except those of components that neither the page nor its scripts name', () => {
  expect(stylesFor(CSS, '<p data-astro-cid-here class="own"> const x={row:"_row_1a"}')).toBe(
    ':root{--a:1}.own[data-astro-cid-here]{color:red}@media (width<=9px){._row_1a{top:0}}' +
      '._row_1a{&:hover{top:1px}@media print{& b{top:2px}}}:is(._cell_2b,.plain){top:3px}',
  );
});

it('the scripts of a page are those that it names and those that they import, each once', () => {
  const scripts = new Map([
    ['a.1.js', 'import"./b.2.js"'],
    ['b.2.js', 'import("./a.1.js");import("./c.3.js")'],
    ['c.3.js', 'C'],
    ['d.4.js', 'D'],
  ]);
  expect(reachableScripts(['<script src="/_astro/a.1.js">'], scripts).toSorted()).toEqual(
    ['C', scripts.get('a.1.js'), scripts.get('b.2.js')].toSorted(),
  );
});
