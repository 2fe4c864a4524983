import { describe, expect, it } from 'vitest';
import { hasHashInName } from './hashed-files.ts';

describe('a file name', () => {
  it.each([
    '/_astro/start.D41d8.js',
    '/pagefind/fragment/en_1a2b3c4.pf_fragment',
    '/pagefind/index/en_1a2b3c4.pf_index',
    '/pagefind/pagefind.en_1a2b3c4.pf_meta',
  ])('changes with the content: %s', (path) => {
    expect(hasHashInName(path)).toBe(true);
  });

  it.each([
    '/faq.html',
    '/pagefind/pagefind.js',
    '/pagefind/pagefind-entry.json',
    '/pagefind/wasm.en.pagefind',
    '/favicon.svg',
  ])('stays the same when the content changes: %s', (path) => {
    expect(hasHashInName(path)).toBe(false);
  });
});
