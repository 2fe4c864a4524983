import { globSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { lineFinder, problemsOf } from '../site/content/checked-files.ts';
import { resolveFacts } from '../site/content/facts.ts';

/** Lists of phrasings by what they ask for. */
const askedFile = z.record(z.string(), z.array(z.string().min(1)).min(2));

/** What people ask for, with the file and the line that list how they ask. */
interface AskedTarget {
  readonly phrasings: readonly string[];
  readonly at: string;
}

/**
 * Reads the phrasings that the assistant's classifier learns from, by what they ask for: the address of a section or figure, what a
 * fact says, or the kind of a message that no passage answers.
 * @param targets what can be asked for
 * @throws {Error} naming file and line of each list that has fewer than two phrasings or is of something else
 */
export function readAsked(
  folder: string,
  targets: ReadonlySet<string>,
): ReadonlyMap<string, readonly string[]> {
  const asked = new Map<string, AskedTarget>();
  const problems: string[] = [];
  for (const file of globSync(`${folder}/*.yaml`).sort()) {
    const source = resolveFacts(readFileSync(file, 'utf8'));
    const data: unknown = parse(source);
    const lineOf = lineFinder(source);
    const { data: lists = {}, error } = askedFile.safeParse(data);
    for (const { path, text } of error?.issues.flatMap((issue) => problemsOf(issue, data)) ?? []) {
      problems.push(`${file}:${lineOf(path)} ${path.join('.')} ${text}`);
    }
    for (const [target, phrasings] of Object.entries(lists)) {
      const at = `${file}:${lineOf([target])}`;
      const other = asked.get(target);
      if (other) problems.push(`${at} ${target} is also at ${other.at}`);
      if (!targets.has(target)) problems.push(`${at} ${target} is nothing that the assistant answers`);
      asked.set(target, { phrasings, at });
    }
  }
  if (problems.length > 0) throw new Error(`Wrong phrasings:\n${problems.join('\n')}`);
  return new Map([...asked].map(([target, { phrasings }]) => [target, phrasings]));
}
