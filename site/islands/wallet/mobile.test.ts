import { describe, expect, it } from 'vitest';
import { isMobile, phantomBrowseLink } from './mobile.ts';

describe('a device on which wallets are apps', () => {
  it.each([
    ['Mozilla/5.0 (Linux; Android 16; Pixel 9)', 5, true],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)', 5, true],
    // An iPad that asks for desktop sites, and a Mac.
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)', 5, true],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)', 0, false],
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64)', 10, false],
  ])('%s with %i touch points: %s', (userAgent, maxTouchPoints, expected) => {
    expect(isMobile({ userAgent, maxTouchPoints })).toBe(expected);
  });
});

it('the link into the app names the page and the site, each escaped', () => {
  expect(phantomBrowseLink('http://localhost:4000/virtual-card?a=b&c#d')).toBe(
    'https://phantom.app/ul/browse/http%3A%2F%2Flocalhost%3A4000%2Fvirtual-card%3Fa%3Db%26c%23d?ref=http%3A%2F%2Flocalhost%3A4000',
  );
});
