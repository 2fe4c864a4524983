import type { APIRoute } from 'astro';
import { LOCK_DAYS } from '../../data/model/staking-terms.ts';
import { fullAddress, listedPages } from '../found/listed-pages.ts';
import { LEGAL_LINKS } from '../shell/navigation.ts';
import { siteWords } from '../shell/words.ts';

/** The site in short for language models (https://llmstxt.org). */
export const GET: APIRoute = async ({ site }) => {
  const { name, description } = await siteWords();
  const pages = await listedPages();
  const isLegal = ({ path }: { path: string }) => LEGAL_LINKS.some(({ href }) => href === path);
  const line = ({ path, title, description: what }: (typeof pages)[number]) =>
    `- [${title}](${fullAddress(path, site)}): ${what}`;
  const text = [
    `# ${name}`,
    '',
    `> ${description}`,
    '',
    `Staked BD is locked for ${LOCK_DAYS} days with no early withdrawal; staking again with the same wallet restarts the lock. The yearly yield is stated by the project and is neither measured nor promised. Figures marked as reference are not live. Nothing here is advice.`,
    '',
    '## Pages',
    '',
    ...pages.filter((page) => !isLegal(page)).map(line),
    '',
    '## Legal',
    '',
    ...pages.filter(isLegal).map(line),
    '',
    '## Data',
    '',
    `- [OpenAPI document](${fullAddress('/api/openapi.json', site)}): every public call and its answer`,
    `- [Changes](${fullAddress('/changes.xml', site)}): RSS of changes in content`,
    '',
  ].join('\n');
  return new Response(text, { headers: { 'Content-Type': 'text/plain' } });
};
