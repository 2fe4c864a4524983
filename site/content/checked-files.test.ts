import { z } from 'astro/zod';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { lineFinder, problemsOf } from './checked-files.ts';

const schema = z.strictObject({
  title: z.string(),
  cards: z.array(
    z.union([
      z.strictObject({ id: z.string(), text: z.string(), link: z.enum(['chart']) }),
      z.strictObject({ id: z.string(), text: z.string(), page: z.string() }),
    ]),
  ),
});

function describeProblems(yaml: string, source = yaml): readonly string[] {
  const data: unknown = parse(yaml);
  const { error } = schema.safeParse(data);
  const lineOf = lineFinder(source);
  return (error?.issues ?? [])
    .flatMap((issue) => problemsOf(issue, data))
    .map(({ path, text }) => `${lineOf(path)} ${path.join('.')} ${text}`);
}

describe('an invalid field', () => {
  it('is reported with its line, for the closest alternative of a union', () => {
    expect(describeProblems('title: A\ncards:\n  - id: a\n    text: A\n    link: chrat')).toEqual([
      expect.stringMatching(/^5 cards\.0\.link is invalid: /),
    ]);
  });

  it('is reported with its line in the front matter of an MDX file', () => {
    const yaml = 'title: 1\ncards: []';
    expect(describeProblems(yaml, `---\n${yaml}\n---\n\ntext`)).toEqual([
      expect.stringMatching(/^2 title is invalid: /),
    ]);
  });
});
