import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Days for which a page that was open when the site was built anew may still load what it had not loaded yet. */
const KEPT_DAYS = 7;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** A file whose name changes with its content. */
interface Asset {
  readonly name: string;
  readonly content: Buffer;
  readonly builtAt: Date;
}

/** The hashed assets of the build that is about to be replaced, but for those that were replaced too long ago. */
export async function readEarlierAssets(folder: string, now: number): Promise<readonly Asset[]> {
  const names = await readdir(folder).catch(() => []);
  const assets = await Promise.all(
    names
      .filter((name) => !/\.(?:br|gz)$/.test(name))
      .map(async (name) => {
        const path = join(folder, name);
        return { name, content: await readFile(path), builtAt: (await stat(path)).mtime };
      }),
  );
  return assets.filter(({ builtAt }) => now - builtAt.getTime() < KEPT_DAYS * DAY_MS);
}

/** Puts earlier assets beside the new ones, with the age they had: pages that are open go on working. */
export async function writeEarlierAssets(assets: readonly Asset[], folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const names = new Set(await readdir(folder));
  for (const { name, content, builtAt } of assets) {
    if (names.has(name)) continue;
    const path = join(folder, name);
    await writeFile(path, content);
    await utimes(path, builtAt, builtAt);
  }
}
