import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readBuiltPages } from './built-pages.ts';

const FACADE = /^import\s*"\.\/([\w.~-]+\.js)";?\s*$/;

/** The file that a script does nothing but import, or null where it does more. */
export function facadeOf(script: string): string | null {
  return FACADE.exec(script)?.[1] ?? null;
}

/**
 * Lets pages load the file that a script of theirs does nothing but import: one request less, and no waiting for one to
 * ask for the other. The bundler writes such scripts where a page's own script lies in a file that others share.
 */
export async function dropEntryFacades(output: string): Promise<void> {
  const assets = join(output, '_astro');
  const targets = new Map<string, string>();
  for (const name of await readdir(assets)) {
    if (!name.endsWith('.js')) continue;
    const target = facadeOf(await readFile(join(assets, name), 'utf8'));
    if (target !== null) targets.set(name, target);
  }
  for (const { file, html } of await readBuiltPages(output)) {
    const direct = html.replaceAll(/(<script type="module" src="\/_astro\/)([^"]+)"/g, (tag, start, name) => {
      const target = targets.get(name);
      return target === undefined ? tag : `${start}${target}"`;
    });
    if (direct !== html) await writeFile(join(output, file), direct);
  }
  await Promise.all([...targets.keys()].map((name) => rm(join(assets, name))));
}
