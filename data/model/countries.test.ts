import { describe, expect, it } from 'vitest';
import { COUNTRIES, countryName, isCountry } from './countries.ts';

describe('the countries of the world', () => {
  it('are about 195, each once, sorted by name', () => {
    expect(COUNTRIES.length).toBeGreaterThanOrEqual(193);
    expect(COUNTRIES.length).toBeLessThanOrEqual(200);
    expect(new Set(COUNTRIES.map(({ code }) => code)).size).toBe(COUNTRIES.length);
    expect(new Set(COUNTRIES.map(({ name }) => name)).size).toBe(COUNTRIES.length);
    const names = COUNTRIES.map(({ name }) => name);
    expect(names).toEqual(names.toSorted((one, other) => one.localeCompare(other, 'en')));
  });

  it('have names by code, and exclude territories and unknown codes', () => {
    expect(['GB', 'AE', 'TR', 'CI', 'RU', 'US'].map(countryName)).toEqual([
      'United Kingdom',
      'United Arab Emirates',
      'Türkiye',
      "Côte d'Ivoire",
      'Russia',
      'United States',
    ]);
    expect(['PR', 'GG', 'gb', 'UK', '', '__proto__'].filter(isCountry)).toEqual([]);
  });
});
