import { describe, expect, it } from 'vitest';
import { chartCsv, chartFileName, valueText } from './chart-texts.ts';

const AT = Date.UTC(2026, 10, 21, 15, 30);

describe('chart values', () => {
  it('have two decimals for BD, none for counts, and two more than on other screens for prices', () => {
    expect(valueText('vault', '99998436.019')).toBe('99,998,436.02');
    expect(valueText('stakers', '1200')).toBe('1,200');
    expect(valueText('price', '0.0001137')).toBe('0.00011370');
    expect(valueText('price', '0.00001137')).toBe('0.00001137');
    expect(valueText('price', '12.5')).toBe('12.5000');
  });
});

describe('the CSV file of a chart', () => {
  it('contains every exact value under the name of its series, and an empty cell for an unknown one', () => {
    const points = [
      { at: AT, text: '99998436.010001', value: 99_998_436.010001 },
      { at: AT + 60_000, text: null, value: null },
    ];
    expect(chartCsv('vault', points)).toBe(
      'since_utc,vault_bd\r\n2026-11-21T15:30:00.000Z,99998436.010001\r\n2026-11-21T15:31:00.000Z,\r\n',
    );
  });

  it('has the volume beside the price, and an empty cell where it is not known', () => {
    const knownVolume = { at: AT, text: '7.5', value: 7.5 };
    const volume = { points: [knownVolume], from: 0, to: AT + 60_000, knownUntil: AT + 1 };
    const prices = [AT, AT + 60_000].map((at) => ({ at, text: '0.1', value: 0.1 }));
    expect(chartCsv('price', prices, volume)).toBe(
      'since_utc,price_usd,volume_24h_usd\r\n2026-11-21T15:30:00.000Z,0.1,7.5\r\n2026-11-21T15:31:00.000Z,0.1,\r\n',
    );
  });

  it('is named after its series, range and day', () => {
    expect(chartFileName('price', '7d', AT)).toBe('blackduck-price-7d-2026-11-21');
  });
});
