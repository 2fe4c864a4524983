import { type BrowserContext, chromium } from 'playwright';
import { startPortal } from '../e2e/portal.ts';
import { acceptTerms } from '../e2e/visitor.ts';
import { findOrInstallChromium } from '../scripts/browser.ts';
import { buildSiteIfStale } from '../scripts/build-site.ts';
import { readQuestionSet, SET_NAMES } from './chat/question-set.ts';
import { missedQueries, queriesIn, SEARCHES } from './search/first-results.ts';

const MIN_SHARE = 0.9;

const print = (line: string) => process.stdout.write(`${line}\n`);

async function measure(context: BrowserContext, connection: 'online' | 'offline'): Promise<boolean> {
  const page = await context.newPage();
  let isMet = true;
  for (const { name, scope, open } of SEARCHES) {
    const search = await open(page);
    for (const set of SET_NAMES) {
      const queries = queriesIn(scope, (await readQuestionSet(set)).search);
      if (queries.length === 0) continue;
      const missed = await missedQueries(search, queries);
      const right = queries.length - missed.length;
      const share = right / queries.length;
      if (share < MIN_SHARE) isMet = false;
      const outcome = `${right} of ${queries.length}, ${(share * 100).toFixed(1)} %`;
      const limit = `limit ${MIN_SHARE * 100} %: ${share < MIN_SHARE ? 'MISSED' : 'met'}`;
      print(`${name.padEnd(5)}${connection.padEnd(9)}${set.padEnd(11)}${outcome}; ${limit}`);
      // Nobody may read the queries of the blind set, only its score.
      if (set !== 'blind') for (const query of missed) print(`     ${query}`);
    }
  }
  await page.close();
  return isMet;
}

/**
 * Types queries into the site search and the FAQ search, and measures how often a correct result is in the top three, online
 * and then offline with what the service worker has stored.
 */
export async function benchSearch(): Promise<boolean> {
  await buildSiteIfStale(new AbortController().signal);
  const portal = await startPortal();
  const browser = await chromium.launch({ executablePath: findOrInstallChromium(), args: ['--no-sandbox'] });
  try {
    const context = await browser.newContext({ baseURL: portal.url });
    await acceptTerms(context);
    const isMetOnline = await measure(context, 'online');
    const page = await context.newPage();
    await page.goto('/faq');
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    await context.setOffline(true);
    const isMetOffline = await measure(context, 'offline');
    return isMetOnline && isMetOffline;
  } finally {
    await browser.close();
    await portal.stop();
  }
}
