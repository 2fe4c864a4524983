import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { readExpression, resolveFacts } from '../../site/content/facts.ts';
import { splitFrontMatter } from '../../site/content/front-matter.ts';

const run = promisify(execFile);
const VERSIONS = { astro: '7.3.5', '@astrojs/starlight': '0.42.4' };
const FAQ_FOLDER = 'content/faq';

interface Question {
  readonly question: string;
  readonly order: number;
  readonly answer: string;
}

async function readQuestions(category: string): Promise<readonly Question[]> {
  const files = await readdir(join(FAQ_FOLDER, category));
  const questions = await Promise.all(
    files.map(async (file) => {
      const { yaml, body } = splitFrontMatter(await readFile(join(FAQ_FOLDER, category, file), 'utf8'));
      return { ...parse(resolveFacts(yaml)), answer: body } as Question;
    }),
  );
  return questions.toSorted((a, b) => a.order - b.order);
}

async function faqPageMarkdown(): Promise<string> {
  const categories: Record<string, { readonly title: string }> = parse(
    await readFile(join(FAQ_FOLDER, 'categories.yaml'), 'utf8'),
  );
  const sections = await Promise.all(
    Object.entries(categories).map(async ([name, { title }]) => {
      const texts = (await readQuestions(name)).map(({ question, answer }) => `### ${question}\n${answer}`);
      return `## ${title}\n\n${texts.join('\n')}`;
    }),
  );
  const body = sections.join('\n').replaceAll(/\{(facts\.\w+)\}/g, (_, name) => readExpression(name).text);
  return `---\ntitle: Questions and Answers\n---\n\n${body}`;
}

/**
 * Builds a Starlight site with the portal's FAQ, to compare with the portal's own site. npm fetches Starlight.
 * @returns the folder of the built site
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
    'src/content/docs/faq.md': await faqPageMarkdown(),
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
