import { describe, expect, it } from 'vitest';
import { matchesTag, strongTag } from './etag.ts';

describe('an entity tag', () => {
  it('is strong, quoted, and the same for a text and its bytes', () => {
    expect(strongTag('figure')).toMatch(/^"[\w-]{22}"$/);
    expect(strongTag(Buffer.from('figure'))).toBe(strongTag('figure'));
    expect(strongTag('figures')).not.toBe(strongTag('figure'));
  });

  it.each([
    ['"a"', true],
    ['W/"a"', true],
    ['"b", "a"', true],
    ['"b" ,W/"a"', true],
    ['*', true],
    ['"b"', false],
    ['a', false],
    ['', false],
  ])('is compared with If-None-Match: %s → %s', (header, isNamed) => {
    expect(matchesTag(header, '"a"')).toBe(isNamed);
  });
});
