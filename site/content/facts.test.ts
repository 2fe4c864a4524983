import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { facts } from './facts.ts';

async function namesInContent(): Promise<ReadonlyMap<string, readonly string[]>> {
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

describe('the facts', () => {
  it('that content/ uses exist', async () => {
    const names = await namesInContent();
    expect(names.size).toBeGreaterThan(100);
    expect([...names].filter(([name]) => !(name in facts))).toEqual([]);
  });

  it('are all used in content/', async () => {
    const names = await namesInContent();
    expect(Object.keys(facts).filter((name) => !names.has(name))).toEqual([]);
  });
});
