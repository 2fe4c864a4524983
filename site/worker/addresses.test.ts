import { describe, expect, it } from 'vitest';
import { isApi, isHashed } from './addresses.ts';

describe('the service worker', () => {
  it.each(['/api', '/api/live', '/api/network/health'])('takes %s for a call', (path) => {
    expect(isApi(path)).toBe(true);
  });

  it.each(['/', '/apiary', '/faq', '/API/live'])('takes %s for a page', (path) => {
    expect(isApi(path)).toBe(false);
  });

  it.each([
    '/_astro/start.D41d8.js',
    '/pagefind/fragment/en_1a2b3c4.pf_fragment',
    '/pagefind/index/en_1a2b3c4.pf_index',
    '/pagefind/pagefind.en_1a2b3c4.pf_meta',
  ])('knows %s to be named by its content', (path) => {
    expect(isHashed(path)).toBe(true);
  });

  it.each([
    '/faq.html',
    '/pagefind/pagefind.js',
    '/pagefind/pagefind-entry.json',
    '/pagefind/wasm.en.pagefind',
    '/favicon.svg',
  ])('knows %s to change under its name', (path) => {
    expect(isHashed(path)).toBe(false);
  });
});
