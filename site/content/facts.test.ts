import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { facts } from './facts.ts';

/** Every name of a fact in the words of `content/`, with the files that hold it. */
async function namesInWords(): Promise<ReadonlyMap<string, readonly string[]>> {
  const entries = await readdir('content', { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const names = new Map<string, string[]>();
  for (const file of files) {
    const text = await readFile(file, 'utf8');
    for (const [, inYaml, inMdx] of text.matchAll(/\{\{([^{}]*)\}\}|\{facts\.(\w+)\}/g)) {
      const name = inYaml ?? inMdx ?? '';
      names.set(name, [...(names.get(name) ?? []), file]);
    }
  }
  return names;
}

describe('the facts of the words', () => {
  it('are known, each of them', async () => {
    const names = await namesInWords();
    expect(names.size).toBeGreaterThan(100);
    expect([...names].filter(([name]) => !(name in facts))).toEqual([]);
  });

  it('are used, each of them', async () => {
    const names = await namesInWords();
    expect(Object.keys(facts).filter((name) => !names.has(name))).toEqual([]);
  });

  it('are what stands in the words: no number of a rule is typed there', async () => {
    const entries = await readdir('content', { recursive: true, withFileTypes: true });
    const typed: string[] = [];
    // What people type to the assistant is theirs: it is looked for, and shown to nobody.
    const isOurs = (name: string) => /\.(mdx|yaml)$/.test(name) && name !== 'asked-as.yaml';
    for (const entry of entries.filter((one) => one.isFile() && isOurs(one.name))) {
      const text = await readFile(join(entry.parentPath, entry.name), 'utf8');
      for (const match of text.matchAll(/\b(180|88\.7|1,500,000|990,000,000|46\.6|4\.5%|14\.4)\b/g)) {
        typed.push(`${entry.name}: ${match[0]}`);
      }
    }
    expect(typed).toEqual([]);
  });
});
