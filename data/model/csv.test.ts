import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toCsv } from './csv.ts';
import { readCsv } from './testing/read-csv.ts';

const anyText = fc.string({ unit: fc.constantFrom(...'=+-@\t\r\n",\'; 0123.9abcé＝𝄞') });

describe('a table as comma-separated values', () => {
  test('has lines that end in CRLF, and an empty cell for null', () => {
    expect(
      toCsv(
        ['Wallet', 'Amount (BD)'],
        [
          ['4Nd1', '1500000.000001'],
          [null, '0'],
        ],
      ),
    ).toBe('Wallet,Amount (BD)\r\n4Nd1,1500000.000001\r\n,0\r\n');
  });

  test('quotes cells that contain a comma, a quote or a line break', () => {
    expect(toCsv(['a'], [['1,5'], ['he said "no"'], ['two\nlines']])).toBe(
      'a\r\n"1,5"\r\n"he said ""no"""\r\n"two\nlines"\r\n',
    );
  });

  test.each([
    ['-2+3', "'-2+3"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\rx', '"\'\rx"'],
    ['=HYPERLINK("https://example.com","x")', `"'=HYPERLINK(""https://example.com"",""x"")"`],
    ['＝1+1', "'＝1+1"],
  ])('puts an apostrophe before the formula %j', (cell, expected) => {
    expect(toCsv(['a'], [[cell]])).toBe(`a\r\n${expected}\r\n`);
  });

  test('is parsed back unchanged except for the apostrophes, and no cell or header starts a formula', () => {
    fc.assert(
      fc.property(fc.array(fc.array(anyText, { minLength: 2, maxLength: 2 }), { minLength: 1 }), (rows) => {
        const [header = [], ...body] = rows;
        const parsedRows = readCsv(toCsv(header, body));
        expect(parsedRows).toHaveLength(rows.length);
        for (const [row, cells] of parsedRows.entries()) {
          for (const [column, cell] of cells.entries()) {
            const original = rows[row]?.[column] ?? '';
            const isChanged = cell !== original;
            expect(cell).toBe(isChanged ? `'${original}` : original);
            if (/^[=+\-@\t\r]/.test(cell)) expect(cell).toMatch(/^-\d+(\.\d+)?$/);
            if (isChanged) expect(original).toMatch(/^[=+\-@\t\r\n＝]/u);
          }
        }
      }),
    );
  });

  test('keeps every digit of an amount of any size and sign', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.stringMatching(/^\d{0,18}$/), (whole, fraction) => {
        const amount = fraction === '' ? `${whole}` : `${whole}.${fraction}`;
        expect(readCsv(toCsv(['a', 'b'], [[amount, amount]]))[1]).toEqual([amount, amount]);
      }),
    );
  });
});
