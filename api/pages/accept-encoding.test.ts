import { describe, expect, it } from 'vitest';
import { acceptedEncodings } from './accept-encoding.ts';

describe('accepted encodings', () => {
  it.each([
    [undefined, []],
    ['', []],
    ['identity', []],
    ['gzip, deflate, br, zstd', ['br', 'gzip']],
    ['GZIP', ['gzip']],
    ['br;q=0, gzip;q=0.5', ['gzip']],
    ['gzip; q=0', []],
    ['*', ['br', 'gzip']],
    ['br;q=0, *', ['gzip']],
    ['vibrant, gzipped', []],
    ['br;q=x', []],
  ])('of %s are %j', (header, encodings) => {
    expect(acceptedEncodings(header)).toEqual(encodings);
  });
});
