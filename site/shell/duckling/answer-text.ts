import { createElement } from '../elements.ts';
import type { Source } from './ask-duckling.ts';

/**
 * Creates a table in a box that scrolls horizontally. The box is focusable, so that it can be scrolled with the keyboard.
 * @param rows cells separated by tabs; the first row has the headings
 */
function createTable(rows: readonly string[], name: string): HTMLElement {
  const [headingCells = [], ...body] = rows.map((row) => row.split('\t'));
  const createCell = (tag: 'th' | 'td', text: string, scope: 'col' | 'row') => {
    const element = createElement(tag, '', text);
    if (tag === 'th') element.setAttribute('scope', scope);
    return element;
  };
  const headings = createElement('tr', '', ...headingCells.map((text) => createCell('th', text, 'col')));
  const bodyRows = body.map(([first = '', ...others]) =>
    createElement(
      'tr',
      '',
      createCell('th', first, 'row'),
      ...others.map((text) => createCell('td', text, 'row')),
    ),
  );
  const element = createElement(
    'table',
    '',
    createElement('thead', '', headings),
    createElement('tbody', '', ...bodyRows),
  );
  const box = createElement('div', 'table', element);
  box.role = 'group';
  box.ariaLabel = name;
  box.tabIndex = 0;
  return box;
}

/**
 * Creates elements for a text whose paragraphs are separated by blank lines. If a paragraph's first line is the title of a
 * source, that line becomes a heading. Consecutive paragraphs with tabs become the rows of one table, which is named after the
 * heading above it.
 * @param tableName the name of a table that has no heading above it
 */
export function textElements(
  text: string,
  tableName: string,
  sources: readonly Source[] = [],
): readonly HTMLElement[] {
  const titles = new Set(sources.map(({ title }) => title));
  const paragraphs = text
    .split(/\n[^\S\t]*\n/)
    .flatMap((paragraph) => {
      // Keeps tabs at either end, which stand for empty cells.
      const trimmed = paragraph.replaceAll(/^[ \n]+|[ \n]+$/g, '');
      const [first = '', ...rest] = trimmed.split('\n');
      return titles.has(first) ? [first, rest.join('\n')] : [trimmed];
    })
    .filter((line) => line !== '');
  const elements: HTMLElement[] = [];
  let rows: string[] = [];
  let name = tableName;
  const endTable = () => {
    if (rows.length > 0) elements.push(createTable(rows, name));
    rows = [];
  };
  for (const paragraph of paragraphs) {
    if (paragraph.includes('\t')) {
      rows.push(paragraph);
      continue;
    }
    endTable();
    const isTitle = titles.has(paragraph);
    if (isTitle) name = paragraph;
    elements.push(createElement('p', isTitle ? 'asked' : '', paragraph));
  }
  endTable();
  return elements;
}
