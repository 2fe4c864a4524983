import { constants, gzipSync } from 'node:zlib';
import { expect } from 'playwright/test';
import { readQuestionSet } from '../bench/chat/question-set.ts';
import { missedQueries, queriesIn, SEARCHES } from '../bench/search/first-results.ts';
import { test } from './test.ts';

test.use({ serviceWorkers: 'allow' });

/** A quarter of the test searches, which include typos and synonyms. `npm run bench -- search` runs all of them. */
const sampleQueries = (await Promise.all((['registers', 'support'] as const).map(readQuestionSet)))
  .flatMap(({ search }) => search)
  .filter((_query, index) => index % 4 === 0);
const MIN_SHARE = 0.9;

test('at least nine in ten searches find a correct entry among the first three results, even offline', async ({
  page,
  context,
}) => {
  await page.goto('/faq');
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  await context.setOffline(true);
  for (const { name, scope, open } of SEARCHES) {
    const queries = queriesIn(scope, sampleQueries);
    expect(queries.length).toBeGreaterThan(20);
    const missed = await missedQueries(await open(page), queries);
    expect(missed.length / queries.length, `${name}: ${missed}`).toBeLessThanOrEqual(1 - MIN_SHARE);
  }
});

test('the index loads when the first letter is typed, and is small with its scripts when compressed', async ({
  page,
  request,
}) => {
  const MAX_BYTES = 60_000;
  const requestedPaths: string[] = [];
  page.on('request', (one) => requestedPaths.push(new URL(one.url()).pathname));
  await page.goto('/links');
  await page.keyboard.press('Control+k');
  const field = page.getByRole('searchbox');
  await expect(field).toBeFocused();
  await expect.poll(() => requestedPaths.some((path) => path.endsWith('.pagefind'))).toBe(true);
  expect(requestedPaths).not.toContain('/section-index.json');
  await page.keyboard.type('l');
  await expect.poll(() => requestedPaths).toContain('/section-index.json');
  const scripts = requestedPaths.filter((path) => /section-search|search-dialog/.test(path));
  expect(scripts.length).toBeGreaterThan(0);
  const sizes = await Promise.all(
    ['/section-index.json', ...scripts].map(async (path) => {
      const response = await request.get(path, { headers: { 'Accept-Encoding': 'gzip' } });
      expect(response.headers()['content-encoding']).toBe('gzip');
      return gzipSync(await response.body(), { level: constants.Z_BEST_COMPRESSION }).length;
    }),
  );
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MAX_BYTES);
});
