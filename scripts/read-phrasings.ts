import { globSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { lineFinder, problemsOf } from '../site/content/checked-files.ts';
import { resolveFacts } from '../site/content/facts.ts';

/** Lists of phrasings by target. A target is what the phrasings ask for. */
const phrasingsSchema = z.record(z.string(), z.array(z.string().min(1)).min(2));

interface WrittenPhrasing {
  readonly text: string;
  readonly writers: string;
}

/**
 * Reads the phrasings that the assistant's classifier learns from, by their target: the address of a section or figure, the
 * statement of a fact, or a kind of message that no passage answers. Each subfolder has phrasings by different writers.
 * @param targets the allowed targets
 * @throws {Error} that names the file and line of each list with fewer than two phrasings or an unknown target
 */
export function readPhrasings(
  folder: string,
  targets: ReadonlySet<string>,
): ReadonlyMap<string, readonly WrittenPhrasing[]> {
  const linesByTarget = new Map<string, readonly WrittenPhrasing[]>();
  const locations = new Map<string, string>();
  const problems: string[] = [];
  for (const file of globSync(`${folder}/*/*.yaml`).sort()) {
    const writers = basename(dirname(file));
    const source = resolveFacts(readFileSync(file, 'utf8'));
    const data: unknown = parse(source);
    const lineOf = lineFinder(source);
    const { data: lists = {}, error } = phrasingsSchema.safeParse(data);
    for (const { path, text } of error?.issues.flatMap((issue) => problemsOf(issue, data)) ?? []) {
      problems.push(`${file}:${lineOf(path)} ${path.join('.')} ${text}`);
    }
    for (const [target, phrasings] of Object.entries(lists)) {
      const location = `${file}:${lineOf([target])}`;
      const key = `${writers} ${target}`;
      const earlierLocation = locations.get(key);
      if (earlierLocation !== undefined) problems.push(`${location} ${target} is also at ${earlierLocation}`);
      if (!targets.has(target))
        problems.push(`${location} ${target} is not a target that the assistant knows`);
      locations.set(key, location);
      linesByTarget.set(target, [
        ...(linesByTarget.get(target) ?? []),
        ...phrasings.map((text) => ({ text, writers })),
      ]);
    }
  }
  if (problems.length > 0) throw new Error(`Invalid phrasings:\n${problems.join('\n')}`);
  return linesByTarget;
}
