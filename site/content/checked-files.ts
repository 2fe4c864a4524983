import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { glob, type Loader } from 'astro/loaders';
import type { z } from 'astro/zod';
import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { splitFrontMatter } from './front-matter.ts';

/**
 * Loads a folder of `content/`, one entry per file. Invalid fields fail the build.
 * @throws {Error} with a line for each invalid field, such as `content/faq/staking/lock.mdx:2 qestion is not a known field`
 */
export function checkedFiles(base: string, pattern: string | string[], schema: z.ZodType): Loader {
  const fileLoader = glob({ base, pattern });
  return {
    ...fileLoader,
    load: async (context) => {
      const problems: string[] = [];
      await fileLoader.load({
        ...context,
        parseData: async (entry) => {
          const outcome = await schema.safeParseAsync(entry.data);
          if (outcome.success) return context.parseData(entry);
          const { filePath = entry.id, data } = entry;
          const lineOf = lineFinder(await readFile(filePath, 'utf8'));
          for (const { path, text } of outcome.error.issues.flatMap((issue) => problemsOf(issue, data))) {
            problems.push(`${relative('.', filePath)}:${lineOf(path)} ${path.join('.')} ${text}`);
          }
          return entry.data;
        },
      });
      if (problems.length > 0) throw new Error(`Invalid fields in content/:\n${problems.sort().join('\n')}`);
    },
  };
}

type FieldPath = readonly PropertyKey[];
type Issue = z.core.$ZodIssue;

/** Converts a schema issue to messages that editors understand. */
export function problemsOf(
  issue: Issue,
  data: unknown,
  parentPath: FieldPath = [],
): { path: FieldPath; text: string }[] {
  const path = [...parentPath, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], text: 'is not a known field' }));
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    // Reports the alternative with the fewest problems, which is probably the one that the editor meant.
    const [closest = []] = issue.errors.toSorted((a, b) => a.length - b.length);
    return closest.flatMap((one) => problemsOf(one, data, path));
  }
  const value = path.reduce<unknown>((part, key) => Object(part)[key], data);
  return [{ path, text: value === undefined ? 'is missing' : `is invalid: ${issue.message}` }];
}

/** Returns a function that finds the line of a field in a YAML file or in the front matter of an MDX file. */
export function lineFinder(source: string): (path: FieldPath) => number {
  const lineCounter = new LineCounter();
  const { yaml: frontMatter } = splitFrontMatter(source);
  const { contents } = parseDocument(frontMatter || source, { lineCounter });
  const linesAbove = frontMatter ? 1 : 0;
  return (path) => {
    let node: unknown = contents;
    let offset = 0;
    for (const part of path) {
      if (isMap(node)) {
        const pair = node.items.find(({ key }) => isScalar(key) && key.value === part);
        // A missing field has no line of its own, so the line of its parent is used.
        if (!pair) break;
        if (isScalar(pair.key)) offset = pair.key.range?.[0] ?? offset;
        node = pair.value;
      } else if (isSeq(node)) {
        node = node.items[Number(part)];
      }
    }
    return lineCounter.linePos(offset).line + linesAbove;
  };
}
