import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

/*
 * CockroachDB and YugabyteDB lack some features of PostgreSQL. Other features work differently through a pooler. The store
 * must be correct without any of them.
 */

const LISTENER = 'listen.ts';
const NOTIFIER = 'notify.ts';

/** Removes the comments, because they may mention features that the code avoids. */
const withoutComments = (text: string) =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)(\/\/|--\s).*$/gm, '');

const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(ts|sql)$/.test(name) && !name.endsWith('.test.ts'))
  .map((name) => {
    const text = readFileSync(join(import.meta.dirname, name), 'utf8');
    return { name, text: withoutComments(text) };
  });

const filesWith = (pattern: RegExp) =>
  sources.filter(({ text }) => pattern.test(text)).map(({ name }) => name);

describe('the SQL of the store', () => {
  it('is in the files that these tests search', () => {
    expect(filesWith(/update \$\.index_state set version/)).toContain('index-transactions.ts');
    expect(filesWith(/create table \$\./i)).not.toEqual([]);
  });

  it.each([
    ['advisory locks', /advisory/i],
    ['triggers or functions on the server', /\b(trigger|create (or replace )?function|plpgsql)\b/i],
    ['physical ids of rows', /\bctid\b/i],
    ['table locks', /\block table\b/i],
  ])('uses no %s', (_feature, pattern) => {
    expect(filesWith(pattern)).toEqual([]);
  });

  it('sends notifications only in notify.ts', () => {
    expect(filesWith(/pg_notify|\bnotify\s+["$]/i)).toEqual([NOTIFIER]);
  });

  it('listens for notifications only in listen.ts', () => {
    expect(filesWith(/['"`;]\s*(un)?listen\s/i).filter((name) => name !== LISTENER)).toEqual([]);
  });
});
