import { describe, expect, it } from 'vitest';
import { excerptOf } from './search-excerpt.ts';

function markedExcerpt(search: string, ...fields: readonly (readonly [string, string])[]): string | null {
  const excerpt = excerptOf(search, fields);
  if (!excerpt) return null;
  return `${excerpt.field}: ${excerpt.excerpt.map(({ text, isMatch }) => (isMatch ? `[${text}]` : text)).join('')}`;
}

describe('the excerpt of a search result', () => {
  it.each([
    ['falcon', 'a Falcon flies', 'message: a [Falcon] flies'],
    ['e\u0301cole', 'École polytechnique', 'message: [École] polytechnique'],
    ['fal con', 'a falcon', 'message: a [fal][con]'],
    ['fa', 'sofa fair', 'message: sofa [fa]ir'],
    ['falc falcon', 'a falcon', 'message: a [falc][on]'],
    ['zebra', 'a falcon', null],
    ['()', 'a falcon', null],
  ])('for “%s” in “%s” is “%s”', (search, text, expected) => {
    expect(markedExcerpt(search, ['message', text])).toBe(expected);
  });

  it('comes from a field with every word, or else from the first field with any of the words', () => {
    expect(markedExcerpt('ada falcon', ['name', 'Ada'], ['message', 'Ada saw a falcon'])).toBe(
      'message: [Ada] saw a [falcon]',
    );
    expect(markedExcerpt('ada falcon', ['name', 'Ada'], ['message', 'a falcon'])).toBe('name: [Ada]');
  });

  it('of a long text begins near the match, and marks the right characters after an emoji', () => {
    const text = `${'word '.repeat(100)}🦆falcon${' word'.repeat(100)}`;
    const found = markedExcerpt('falcon', ['message', text]);
    expect(found).toMatch(/^message: ….{1,40}\[falcon\].{1,110}…$/u);
  });
});
