import { describe, expect, it } from 'vitest';
import { mentionedAdmins, mentionParts } from './mentions.ts';

const namesIn = (text: string, ...names: readonly string[]) =>
  mentionedAdmins(
    text,
    names.map((username) => ({ username })),
  ).map(({ username }) => username);

describe('mentions in a text', () => {
  it('are found in upper or lower case, anywhere, and each name once', () => {
    expect(namesIn('@grace, (@Alan) and @GRACE.', 'grace', 'alan', 'ada')).toEqual(['grace', 'alan']);
    expect(namesIn('@Grace Hopper: look', 'grace', 'Grace Hopper')).toEqual(['Grace Hopper']);
    expect(namesIn('@a.b+c (x)', 'a.b+c (x)')).toEqual(['a.b+c (x)']);
    expect(namesIn('@Zoë!', 'Zoë')).toEqual(['Zoë']);
  });

  it('are not found within longer names or email addresses', () => {
    for (const text of [
      '@graceful',
      '@grace-2',
      'ada@grace',
      'ada@grace.org',
      '@grace.org',
      '@@grace',
      'grace',
    ])
      expect(namesIn(text, 'grace')).toEqual([]);
  });

  it('are separated from the text around them, which does not change', () => {
    const text = 'a\n@Ada @ada <b>';
    const parts = mentionParts(text, ['ada']);
    expect(parts.map((part) => part.text).join('')).toBe(text);
    expect(parts.map(({ name }) => name)).toEqual([null, 'ada', null, 'ada', null]);
    expect(mentionParts(text, [])).toEqual([{ text, name: null, start: 0 }]);
  });
});
