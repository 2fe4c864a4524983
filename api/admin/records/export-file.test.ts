import { buffer, text } from 'node:stream/consumers';
import { readXlsx } from 'hucre/xlsx';
import { expect, it } from 'vitest';
import type { Fields } from '../../../data/model/define-list.ts';
import { exportFile } from './export-file.ts';

const FIELDS: Fields = { amount: { kind: 'bd' }, name: { kind: 'text' }, at: { kind: 'moment' } };

async function* pages(rows: readonly (readonly (string | null)[])[]) {
  for (const row of rows) yield [row];
}

it('a spreadsheet keeps every amount exactly and every text as text', async () => {
  const amounts = [
    '6200000',
    '0.5',
    '123456789012.345',
    '1234567890123.456789',
    '0123',
    '1e5',
    '-1',
    '=1+1',
    '1,5',
  ];
  const rows = amounts.map((amount) => [amount, amount, null]);
  const { sheets } = await readXlsx(await buffer(exportFile('xlsx', FIELDS, pages(rows))));
  expect(sheets[0]?.rows.slice(1).map(([amount]) => amount)).toEqual([
    6_200_000,
    0.5,
    123_456_789_012.345,
    ...amounts.slice(3),
  ]);
  expect(sheets[0]?.rows.slice(1).map(([, name]) => name)).toEqual(amounts);
});

it('a spreadsheet is valid even if texts contain characters that XML does not allow', async () => {
  const names = ['a\u0000b\u000bc', '<&>"', '\uD800', 'two\nlines', '李明 🦆', ' spaces '];
  const rows = names.map((name) => [null, name, '2026-01-02T03:04:05.678Z']);
  const { sheets } = await readXlsx(await buffer(exportFile('xlsx', FIELDS, pages(rows))));
  const read = sheets[0]?.rows.slice(1).map(([, name]) => name);
  expect(read?.slice(3)).toEqual(names.slice(3));
  expect(read?.[1]).toBe('<&>"');
  const [, , at] = sheets[0]?.rows[1] ?? [];
  expect(Math.abs(Number(at) - Date.parse('2026-01-02T03:04:05.678Z'))).toBeLessThan(1_000);
});

it('an export reads the next page only once there is room for it', async () => {
  let rowsRead = 0;
  async function* endless() {
    for (; rowsRead < 100_000; rowsRead += 1) yield [[`${rowsRead}`, 'x'.repeat(200), null]];
  }
  const file = exportFile('xlsx', FIELDS, endless());
  await file[Symbol.asyncIterator]().next();
  expect(rowsRead).toBeLessThan(10_000);
  file.destroy();
});

it('a JSON file has the columns in the chosen order', async () => {
  const file = exportFile('json', { at: { kind: 'moment' }, name: { kind: 'text' } }, pages([['t', 'Ada']]));
  expect(JSON.parse(await text(file))).toEqual([{ at: 't', name: 'Ada' }]);
});
