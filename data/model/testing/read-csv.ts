import { expect } from 'vitest';

/** A plain reader of RFC 4180 text, which fails on anything else. */
export function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (quoted) {
      if (character !== '"') cell += character;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === ',' || character === '\r') {
      row.push(cell);
      cell = '';
      if (character === '\r') {
        expect(text[at + 1]).toBe('\n');
        at += 1;
        rows.push(row);
        row = [];
      }
    } else cell += character;
  }
  expect([row, cell, quoted]).toEqual([[], '', false]);
  return rows;
}
