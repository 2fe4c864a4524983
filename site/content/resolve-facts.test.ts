import { mdxToJs } from 'satteri';
import { describe, expect, it } from 'vitest';
import { factExpressions } from './fact-expressions.ts';
import { resolveFacts, UnknownFact } from './resolve-facts.ts';

const facts = { lockDays: '180', supportEmail: 'help@example.com' };
const compile = (words: string) =>
  mdxToJs(words, {
    mdastPlugins: [factExpressions(facts)],
    fileURL: new URL('file:///words/staking.mdx'),
  }).code;

describe('a placeholder of a field', () => {
  it('becomes its fact, as often as it stands there', () => {
    expect(resolveFacts('{{lockDays}} days, {{lockDays}} nights', facts)).toBe('180 days, 180 nights');
    expect(resolveFacts('no {brace} here', facts)).toBe('no {brace} here');
  });

  it('that names no fact is refused by its name', () => {
    expect(() => resolveFacts('{{lockWeeks}}', facts)).toThrow(UnknownFact);
    expect(() => resolveFacts('{{lockWeeks}}', facts)).toThrow(/"lockWeeks"/);
    expect(() => resolveFacts('{{ lockDays }}', facts)).toThrow(UnknownFact);
    expect(() => resolveFacts('{{toString}}', facts)).toThrow(UnknownFact);
  });
});

describe('an expression of running text', () => {
  it('becomes its fact, and an email address a link', () => {
    expect(compile('Locked for **{facts.lockDays} days**.')).toContain('"180"');
    expect(compile('Write to {facts.supportEmail}.')).toContain('mailto:help@example.com');
    expect(compile('{facts.lockDays}')).toContain('"180"');
  });

  it('that names no fact fails with the file and the name', () => {
    expect(() => compile('Locked for {facts.lockWeeks}.')).toThrow(/staking\.mdx.*"lockWeeks"/);
  });

  it('that is code fails: words hold none', () => {
    expect(() => compile('Locked for {facts.lockDays * 2}.')).toThrow(/words hold no code/);
    expect(() => compile('{process.exit()}')).toThrow(/words hold no code/);
  });
});
