import { describe, expect, it } from 'vitest';
import { chartCsv, csvName, exactWords, valueWords } from './chart-words.ts';

const AT = Date.UTC(2026, 10, 21, 15, 30);

describe('the words of a chart', () => {
  it('show BD with two decimals, counts with none, and prices with two more than elsewhere', () => {
    expect(valueWords('vault', '99998436.019')).toBe('99,998,436.02');
    expect(valueWords('stakers', '1200')).toBe('1,200');
    expect([valueWords('price', '0.0001137'), valueWords('price', '0.00001137')]).toEqual([
      '0.00011370',
      '0.00001137',
    ]);
    expect(valueWords('price', '12.5')).toBe('12.5000');
  });

  it('are exact in the table', () => {
    expect(exactWords('99998436.010001')).toBe('99,998,436.010001');
  });
});

describe('the file of a chart', () => {
  it('holds every point, exact, under the name of its series, and nothing where none is known', () => {
    const points = [
      { at: AT, text: '99998436.010001', value: 99_998_436.010001 },
      { at: AT + 60_000, text: null, value: null },
    ];
    expect(chartCsv('vault', points)).toBe(
      'since_utc,vault_bd\r\n2026-11-21T15:30:00.000Z,99998436.010001\r\n2026-11-21T15:31:00.000Z,\r\n',
    );
  });

  it('is named for its series, range and day', () => {
    expect(csvName('price', '7d', AT)).toBe('blackduck-price-7d-2026-11-21.csv');
  });
});
