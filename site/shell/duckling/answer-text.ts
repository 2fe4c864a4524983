import { createElement } from '../elements.ts';
import type { Source } from './ask-duckling.ts';

/** A table that scrolls sideways in a box, which is focusable so that it scrolls by keyboard. The first row has the headings. */
function createTable(rows: readonly string[], name: string): HTMLElement {
  const [head = [], ...body] = rows.map((row) => row.split('\t'));
  const cell = (tag: 'th' | 'td', text: string, scope: 'col' | 'row') => {
    const element = createElement(tag, '', text);
    if (tag === 'th') element.setAttribute('scope', scope);
    return element;
  };
  const headings = createElement('tr', '', ...head.map((text) => cell('th', text, 'col')));
  const lines = body.map(([first = '', ...others]) =>
    createElement('tr', '', cell('th', first, 'row'), ...others.map((text) => cell('td', text, 'row'))),
  );
  const element = createElement(
    'table',
    '',
    createElement('thead', '', headings),
    createElement('tbody', '', ...lines),
  );
  const box = createElement('div', 'table', element);
  box.role = 'group';
  box.ariaLabel = name;
  box.tabIndex = 0;
  return box;
}

/**
 * The paragraphs of a text, separated by blank lines. A first line that equals the title of a source becomes a heading.
 * Paragraphs with tabs become the rows of a table, named after the heading above it.
 * @param tableName the name of a table without a heading above it
 */
export function textElements(
  text: string,
  tableName: string,
  sources: readonly Source[] = [],
): readonly HTMLElement[] {
  const titles = new Set(sources.map(({ title }) => title));
  const lines = text
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
  for (const line of lines) {
    if (line.includes('\t')) {
      rows.push(line);
      continue;
    }
    endTable();
    const isTitle = titles.has(line);
    if (isTitle) name = line;
    elements.push(createElement('p', isTitle ? 'asked' : '', line));
  }
  endTable();
  return elements;
}
