import type { APIRoute } from 'astro';
import * as PATHS from '../../data/contract/paths.ts';
import { LOCK_DAYS } from '../../data/model/staking-terms.ts';
import { fieldsOf } from '../content/entries.ts';
import { legalLinks, listedPages } from '../content/pages.ts';
import { absoluteUrl } from '../seo/page-urls.ts';

/** A summary of the site for language models (https://llmstxt.org). */
export const GET: APIRoute = async ({ site }) => {
  const { name, description } = await fieldsOf('site');
  const pages = await listedPages();
  const legal = await legalLinks();
  const isLegal = ({ path }: { path: string }) => legal.some(({ href }) => href === path);
  const line = ({ path, title, description: what }: (typeof pages)[number]) =>
    `- [${title}](${absoluteUrl(path, site)}): ${what}`;
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
    `- [OpenAPI document](${absoluteUrl(PATHS.openApi, site)}): every public call and its responses`,
    `- [Changes](${absoluteUrl('/changes.xml', site)}): RSS feed of content changes`,
    '',
  ].join('\n');
  return new Response(text, { headers: { 'Content-Type': 'text/plain' } });
};
