import { expect } from 'vitest';

/** Parses CSV as defined in RFC 4180. Throws an error for any other text. */
export function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text[index + 1] === '"') {
        cell += '"';
        index += 1;
      } else isQuoted = false;
    } else if (character === '"') isQuoted = true;
    else if (character === ',' || character === '\r') {
      row.push(cell);
      cell = '';
      if (character === '\r') {
        expect(text[index + 1]).toBe('\n');
        index += 1;
        rows.push(row);
        row = [];
      }
    } else cell += character;
  }
  expect([row, cell, isQuoted]).toEqual([[], '', false]);
  return rows;
}
