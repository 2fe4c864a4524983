import { once } from 'node:events';
import { createServer } from 'node:net';
import lighthouse from 'lighthouse';
import { chromium } from 'playwright';
import { findOrInstallChromium } from '../../scripts/browser.ts';

export const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'] as const;
export type Category = (typeof CATEGORIES)[number];

export interface Audit {
  /** 0 to 100. */
  readonly scores: Readonly<Record<Category, number>>;
  /** Largest contentful paint, in milliseconds of the simulated line. */
  readonly largestPaint: number;
  /** Bytes over the line, headers included. */
  readonly bytes: number;
  readonly requests: number;
  /** What cost points, in words. */
  readonly faults: readonly string[];
}

export interface Auditor {
  audit(url: string): Promise<Audit>;
  close(): Promise<void>;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('No free port could be had.');
  return address.port;
}

/** Lighthouse in a browser of its own: a phone on a simulated slow 4G, a first visit each time. */
export async function startAuditor(): Promise<Auditor> {
  const port = await freePort();
  const browser = await chromium.launch({
    executablePath: findOrInstallChromium(),
    args: ['--no-sandbox', `--remote-debugging-port=${port}`, '--disable-background-networking'],
  });
  return {
    audit: async (url) => {
      const result = await lighthouse(url, {
        port,
        formFactor: 'mobile',
        throttlingMethod: 'simulate',
        onlyCategories: [...CATEGORIES],
        logLevel: 'silent',
      });
      if (!result) throw new Error(`Lighthouse said nothing of ${url}.`);
      const { categories, audits, runtimeError } = result.lhr;
      if (runtimeError) throw new Error(`Lighthouse could not audit ${url}: ${runtimeError.message}`);
      const score = (category: Category) => Math.round((categories[category]?.score ?? 0) * 100);
      const details = audits['network-requests']?.details;
      const items = details && 'items' in details && Array.isArray(details.items) ? details.items : [];
      const weighed = new Set(
        CATEGORIES.flatMap((category) => categories[category]?.auditRefs ?? [])
          .filter(({ weight }) => weight > 0)
          .map(({ id }) => id),
      );
      return {
        scores: {
          performance: score('performance'),
          accessibility: score('accessibility'),
          'best-practices': score('best-practices'),
          seo: score('seo'),
        },
        largestPaint: audits['largest-contentful-paint']?.numericValue ?? Number.NaN,
        bytes: audits['total-byte-weight']?.numericValue ?? Number.NaN,
        requests: items.length,
        faults: Object.values(audits)
          .filter(({ id, score: points }) => weighed.has(id) && points !== null && points < 0.9)
          .map(({ id, title, displayValue }) => `${id}: ${displayValue ?? title}`),
      };
    },
    close: () => browser.close(),
  };
}
