import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { mdxToJs } from 'satteri';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { factExpressions } from './fact-expressions.ts';
import { resolveFacts } from './facts.ts';

const sampleFacts = { lockDays: '180', supportEmail: 'help@example.com' };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fact-expressions-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function compile(text: string): Promise<string> {
  const file = join(folder, 'staking.mdx');
  await writeFile(file, text);
  const options = { mdastPlugins: [factExpressions(sampleFacts)], fileURL: pathToFileURL(file) };
  return mdxToJs(text, options).code;
}

describe('a field', () => {
  it('has its fact names replaced with facts', () => {
    expect(resolveFacts('{{lockDays}} days, {{lockDays}} nights', sampleFacts)).toBe('180 days, 180 nights');
    expect(resolveFacts('no {brace} here', sampleFacts)).toBe('no {brace} here');
  });

  it.each(['lockWeeks', ' lockDays ', 'toString'])('cannot use the unknown fact "%s"', (name) => {
    expect(() => resolveFacts(`{{${name}}}`, sampleFacts)).toThrow(`"${name}"`);
  });
});

describe('running text', () => {
  it('has its expressions replaced with facts, and email addresses linked', async () => {
    expect(await compile('Locked for **{facts.lockDays} days**.')).toContain('"180"');
    expect(await compile('Write to {facts.supportEmail}.')).toContain('mailto:help@example.com');
    expect(await compile('{facts.lockDays}')).toContain('"180"');
  });

  it.each(['facts.lockWeeks', 'facts.lockDays * 2', 'process.exit()'])(
    'with the expression {%s} is rejected with its file and line',
    async (expression) => {
      await expect(compile(`First.\n\nLocked for {${expression}}.`)).rejects.toThrow(/staking\.mdx:3 /);
    },
  );
});
