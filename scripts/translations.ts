import { readFileSync, writeFileSync } from 'node:fs';
import { EXIT, StartError } from '../data/runtime/exit-codes.ts';
import { runMain } from '../data/runtime/shutdown.ts';
import { LANGUAGES, type Language } from '../site/locale/languages.ts';
import { coverageOf, fingerprintOf } from '../site/locale/translations.ts';
import { readBuiltPages } from './built-pages.ts';
import { islandTextCoverage } from './island-texts.ts';

const USAGE = 'npm run translations -- [FILE…]   (such as content/ar/faq/staking/lock.mdx)';

const TRANSLATION_FILE_PATTERN = new RegExp(`^content/(${Object.keys(LANGUAGES).join('|')})/(.+\\.mdx)$`);

/** Marks a translated file as matching the current English text. */
function acceptTranslation(file: string): void {
  const [, , englishPath] = TRANSLATION_FILE_PATTERN.exec(file) ?? [];
  if (englishPath === undefined) throw new StartError(`${file} is not a translation.\n${USAGE}`, EXIT.usage);
  const source = fingerprintOf(readFileSync(`content/${englishPath}`, 'utf8'));
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace(/^source: .*$/m, `source: '${source}'`));
}

/** Prints the missing and outdated translations of a language, and the texts that are still English on its pages. */
async function report(language: Language): Promise<void> {
  const { files, outdated, missing } = coverageOf(language);
  const lines = [
    `${language}: ${files.length} files, ${outdated.length} outdated, ${missing.length} missing`,
    ...outdated.map((file) => `  outdated  content/${language}/${file}`),
    ...missing.map((file) => `  missing   content/${language}/${file}`),
  ];
  for (const { path, html } of await readBuiltPages('dist')) {
    if (path !== `/${language}` && !path.startsWith(`/${language}/`)) continue;
    const englishMatches = [
      ...html.matchAll(/<span lang="en" dir="ltr">([^<]*)|\u2066([^\u2066\u2069]*)\u2069/g),
    ];
    const texts = englishMatches
      .map(([, marked, plain]) => marked ?? plain ?? '')
      .filter((text) => /[A-Za-z]{2}/.test(text));
    for (const text of new Set(texts)) lines.push(`  English   ${path}: ${text}`);
  }
  for (const { file, text } of islandTextCoverage(language).untranslated)
    lines.push(`  English   ${file}: ${text}`);
  process.stdout.write(`${lines.join('\n')}\n`);
}

await runMain('translations', async () => {
  const files = process.argv.slice(2);
  for (const file of files) acceptTranslation(file);
  if (files.length === 0) for (const language of Object.keys(LANGUAGES) as Language[]) await report(language);
});
