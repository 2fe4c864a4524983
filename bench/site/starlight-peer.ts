import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { facts } from '../../site/content/facts.ts';
import { resolveFacts } from '../../site/content/resolve-facts.ts';

const run = promisify(execFile);
const VERSIONS = { astro: '7.3.5', '@astrojs/starlight': '0.42.4' };
const CONTENT = 'content/faq';

interface Category {
  readonly category: string;
  readonly order: number;
  readonly questions: readonly { readonly question: string; readonly answer: string }[];
}

/** Every question and answer as one page of Markdown. */
async function questions(): Promise<string> {
  const names = await readdir(CONTENT);
  const categories: Category[] = await Promise.all(
    names.map(async (name) => parse(await readFile(join(CONTENT, name), 'utf8'))),
  );
  const sections = categories
    .toSorted((a, b) => a.order - b.order)
    .map(({ category, questions: all }) => {
      const texts = all.map(({ question, answer }) => `### ${question}\n\n${answer}\n`);
      return `## ${category}\n\n${texts.join('\n')}`;
    });
  return resolveFacts(`---\ntitle: Questions and Answers\n---\n\n${sections.join('\n')}`, facts);
}

/**
 * Builds a Starlight site of the portal's questions, with Starlight's own defaults. Fetches Starlight from the registry.
 * @returns the folder of the built site.
 */
export async function buildStarlightPeer(folder: string): Promise<string> {
  const files = {
    'package.json': JSON.stringify({ name: 'peer', private: true, type: 'module', dependencies: VERSIONS }),
    'astro.config.mjs':
      "import starlight from '@astrojs/starlight';\nimport { defineConfig } from 'astro/config';\n" +
      "export default defineConfig({ site: 'http://localhost', build: { format: 'file' }, integrations: [starlight({ title: 'BlackDuck' })] });\n",
    'src/content.config.ts':
      "import { defineCollection } from 'astro:content';\nimport { docsLoader } from '@astrojs/starlight/loaders';\n" +
      "import { docsSchema } from '@astrojs/starlight/schema';\n" +
      'export const collections = { docs: defineCollection({ loader: docsLoader(), schema: docsSchema() }) };\n',
    'src/content/docs/index.md': '---\ntitle: BlackDuck\n---\n\n[Questions](/faq)\n',
    'src/content/docs/faq.md': await questions(),
  };
  for (const [file, text] of Object.entries(files)) {
    await mkdir(join(folder, file, '..'), { recursive: true });
    await writeFile(join(folder, file), text);
  }
  const options = {
    cwd: folder,
    env: { ...process.env, ASTRO_TELEMETRY_DISABLED: '1' },
    maxBuffer: 32 * 1024 * 1024,
  };
  await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', '--no-package-lock'], options);
  await run(process.execPath, ['node_modules/astro/bin/astro.mjs', 'build'], options);
  return join(folder, 'dist');
}
