import type { Page } from 'playwright';
import type { QuestionSet } from '../chat/question-set.ts';

const FIRST_RESULTS = 3;

type SearchQuery = QuestionSet['search'][number];
/** @returns the URLs of the first results */
export type Search = (text: string) => Promise<readonly string[]>;

async function openSiteSearch(page: Page): Promise<Search> {
  await page.goto('/faq');
  await page.keyboard.press('Control+k');
  const dialog = page.locator('.site-search[open]');
  const field = dialog.getByRole('searchbox');
  const status = dialog.getByRole('status');
  return async (text) => {
    // While the field is empty, the status shows a hint, so the status that follows belongs to the query.
    await field.fill('');
    await status.filter({ hasText: 'Escape' }).waitFor();
    await field.fill(text);
    await status.filter({ hasText: /\bresults?\b|No matching/ }).waitFor();
    const links = dialog.locator('.results ul a');
    const hrefs = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    return hrefs.slice(0, FIRST_RESULTS);
  };
}

async function openFaqSearch(page: Page): Promise<Search> {
  await page.goto('/faq');
  const field = page.locator('[data-faq-search] input');
  await field.fill('lock');
  // Waits until the index has loaded.
  await page.locator('[data-faq-search] output:not([aria-busy])', { hasText: ' of ' }).waitFor();
  const questions = page.locator('details[open]:not([hidden]) > details:not([hidden])');
  return async (text) => {
    await field.fill(text);
    const ids = await questions.evaluateAll((all) => all.map(({ id }) => id));
    return ids.slice(0, FIRST_RESULTS).map((id) => `/faq#${id}`);
  };
}

/** The URL of each result begins with the `scope` of its search. */
export const SEARCHES = [
  { name: 'site', scope: '/', open: openSiteSearch },
  { name: 'FAQ', scope: '/faq#', open: openFaqSearch },
] as const;

export const queriesIn = (scope: string, queries: readonly SearchQuery[]) =>
  queries.filter(({ sources }) => sources.some((source) => source.startsWith(scope)));

/** @returns the queries without a correct result among the first results. Each is followed by the URLs of its results. */
export async function missedQueries(
  search: Search,
  queries: readonly SearchQuery[],
): Promise<readonly string[]> {
  const missed: string[] = [];
  for (const { type, sources } of queries) {
    const hrefs = await search(type);
    if (!hrefs.some((href) => sources.includes(href))) missed.push(`${type}: ${hrefs.join(' ')}`);
  }
  return missed;
}
