import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { inlineScriptHashes, readSiteFiles, servePages } from '../api/pages/serve-pages.ts';
import { applyHeaders, securityHeaders } from '../api/security/headers.ts';
import { startPortal } from '../e2e/portal.ts';
import { precompress } from '../scripts/built-assets.ts';
import { ISLAND_FREE_PAGES, readBuiltPages } from '../scripts/built-pages.ts';
import { median } from './growth/flatness.ts';
import { type Audit, type AuditLimits, CATEGORIES, isQuickEnough, startAuditor } from './site/auditor.ts';
import { buildStarlightPeer } from './site/starlight-peer.ts';

/** Minimum scores and maximum times for text pages. Pages with islands load live data: their score may be lower. */
const LIMITS: AuditLimits = {
  performance: 100,
  accessibility: 100,
  'best-practices': 100,
  seo: 100,
  blockingTimeMs: 200,
  largestPaintMs: 2_000,
};
const ISLANDS_PERFORMANCE = 98;
/** How often the FAQ of each site, the portal's and Starlight's, is audited. The two take turns. */
const ROUNDS = 5;
const NO_LIMITS: AuditLimits = {
  performance: 0,
  accessibility: 0,
  'best-practices': 0,
  seo: 0,
  blockingTimeMs: Number.POSITIVE_INFINITY,
  largestPaintMs: Number.POSITIVE_INFINITY,
};

const print = (line: string) => process.stdout.write(`${line}\n`);

/** @returns whether the portal's median is at most that of the Starlight site */
function compare(
  [name, measure, unit]: readonly [string, 'bytes' | 'requests' | 'largestPaintMs', string],
  ourAudits: readonly Audit[],
  peerAudits: readonly Audit[],
): boolean {
  const [ours = 0, theirs = 0] = [ourAudits, peerAudits].map((audits) =>
    median(audits.map((audit) => audit[measure])),
  );
  const ratio = ours / theirs;
  print(
    `${name}: ${ours.toFixed(0)} ${unit}, Starlight ${theirs.toFixed(0)} ${unit}, ratio ${ratio.toFixed(2)}`,
  );
  return ratio <= 1;
}

/** Serves a built site as the portal does: precompressed, from memory, with the same headers. */
async function serveFolder(folder: string): Promise<{ readonly url: string; close(): void }> {
  await precompress(folder);
  const site = await readSiteFiles(folder);
  const { page } = securityHeaders({
    publicOrigin: null,
    publicApiOrigin: null,
    pdfViewerHashes: [],
    inlineScriptHashes: inlineScriptHashes(site.pages),
  });
  const server = express()
    .disable('x-powered-by')
    .use((_request, response, next) => {
      applyHeaders(response, page);
      next();
    })
    .use(servePages(site, null))
    .listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The peer has no port.');
  return { url: `http://127.0.0.1:${address.port}`, close: () => server.close() };
}

/**
 * Runs Lighthouse on every listed page, on a simulated phone with slow 4G. Compares the FAQ with a Starlight site that has the
 * same questions, in the same run.
 */
export async function benchSite(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'starlight-peer-'));
  const portal = await startPortal();
  const auditor = await startAuditor();
  try {
    let isMet = true;
    print(
      `${'page'.padEnd(24)}${CATEGORIES.map((category) => category.padStart(16)).join('')}${'LCP ms'.padStart(10)}${'TBT ms'.padStart(10)}`,
    );
    for (const { path, isListed } of await readBuiltPages('dist')) {
      if (!isListed) continue;
      const limits = {
        ...LIMITS,
        performance: ISLAND_FREE_PAGES.has(path) ? LIMITS.performance : ISLANDS_PERFORMANCE,
      };
      const audit = await auditor.audit(portal.url + path, limits);
      const scores = CATEGORIES.map((category) => {
        const score = audit.scores[category];
        const limit = limits[category];
        if (score < limit) isMet = false;
        return `${score}${score < limit ? ` < ${limit}` : ''}`.padStart(16);
      });
      if (!isQuickEnough(audit, limits)) isMet = false;
      const times = [audit.largestPaintMs, audit.blockingTimeMs].map((ms) => ms.toFixed(0).padStart(10));
      print(`${path.padEnd(24)}${scores.join('')}${times.join('')}`);
      for (const finding of audit.findings) print(`    ${finding}`);
    }
    const peer = await serveFolder(await buildStarlightPeer(folder));
    const portalAudits: Audit[] = [];
    const peerAudits: Audit[] = [];
    try {
      for (let round = 0; round < ROUNDS; round++) {
        portalAudits.push(await auditor.audit(`${portal.url}/faq`, NO_LIMITS));
        peerAudits.push(await auditor.audit(`${peer.url}/faq`, NO_LIMITS));
      }
    } finally {
      peer.close();
    }
    print('');
    const comparisons = [
      compare(['bytes of /faq', 'bytes', 'B'], portalAudits, peerAudits),
      compare(['requests of /faq', 'requests', ''], portalAudits, peerAudits),
      compare(['LCP of /faq', 'largestPaintMs', 'ms'], portalAudits, peerAudits),
    ];
    return isMet && comparisons.every(Boolean);
  } finally {
    await auditor.close();
    await portal.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
