import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPortal } from '../e2e/portal.ts';
import { readBuiltPages } from '../scripts/built-pages.ts';
import { STAYS_TEXT } from '../scripts/text-pages.ts';
import { type Audit, type AuditLimits, CATEGORIES, isQuickEnough, startAuditor } from './site/auditor.ts';
import { serveFolder } from './site/serve-folder.ts';
import { buildStarlightPeer } from './site/starlight-peer.ts';

/** Lowest scores. The figures of a page with islands come from a live server, so its first paint may wait for more. */
const LIMITS: AuditLimits = {
  performance: 100,
  accessibility: 100,
  'best-practices': 100,
  seo: 100,
  blockingTime: 200,
  largestPaint: 2_000,
};
const ISLANDS_PERFORMANCE = 95;
/** Audits of each contender, in turn; their medians are compared. */
const ROUNDS = 5;
const ANY: AuditLimits = {
  performance: 0,
  accessibility: 0,
  'best-practices': 0,
  seo: 0,
  blockingTime: Number.POSITIVE_INFINITY,
  largestPaint: Number.POSITIVE_INFINITY,
};

const say = (line: string) => process.stdout.write(`${line}\n`);

function median(audits: readonly Audit[], measure: 'bytes' | 'requests' | 'largestPaint'): number {
  const sorted = audits.map((audit) => audit[measure]).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** A measure beside the peer's. @returns whether it is no worse; smaller is better. */
function compare(name: string, unit: string, ours: number, peers: number): boolean {
  const ratio = ours / peers;
  say(
    `${name}: ${ours.toFixed(0)} ${unit}, Starlight ${peers.toFixed(0)} ${unit}, ratio ${ratio.toFixed(2)}`,
  );
  return ratio <= 1;
}

/**
 * Lighthouse over every listed page against its limits, on a simulated phone and slow 4G, and the questions beside a
 * Starlight site of the same questions, measured in the same run.
 */
export async function benchSite(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'starlight-peer-'));
  const portal = await startPortal();
  const auditor = await startAuditor();
  try {
    let isHeld = true;
    say(
      `${'page'.padEnd(24)}${CATEGORIES.map((category) => category.padStart(16)).join('')}${'LCP ms'.padStart(10)}${'TBT ms'.padStart(10)}`,
    );
    for (const { path, isListed } of await readBuiltPages('dist')) {
      if (!isListed) continue;
      const limits = {
        ...LIMITS,
        performance: STAYS_TEXT.has(path) ? LIMITS.performance : ISLANDS_PERFORMANCE,
      };
      const audit = await auditor.audit(portal.url + path, limits);
      const scores = CATEGORIES.map((category) => {
        const score = audit.scores[category];
        const limit = limits[category];
        if (score < limit) isHeld = false;
        return `${score}${score < limit ? ` < ${limit}` : ''}`.padStart(16);
      });
      if (!isQuickEnough(audit, limits)) isHeld = false;
      const times = [audit.largestPaint, audit.blockingTime].map((ms) => ms.toFixed(0).padStart(10));
      say(`${path.padEnd(24)}${scores.join('')}${times.join('')}`);
      for (const fault of audit.faults) say(`    ${fault}`);
    }
    const peer = await serveFolder(await buildStarlightPeer(folder));
    const ours: Audit[] = [];
    const peers: Audit[] = [];
    try {
      for (let round = 0; round < ROUNDS; round++) {
        ours.push(await auditor.audit(`${portal.url}/faq`, ANY));
        peers.push(await auditor.audit(`${peer.url}/faq`, ANY));
      }
    } finally {
      peer.close();
    }
    say('');
    const held = [
      compare('bytes of /faq', 'B', median(ours, 'bytes'), median(peers, 'bytes')),
      compare('requests of /faq', '', median(ours, 'requests'), median(peers, 'requests')),
      compare('LCP of /faq', 'ms', median(ours, 'largestPaint'), median(peers, 'largestPaint')),
    ];
    return isHeld && held.every(Boolean);
  } finally {
    await auditor.close();
    await portal.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
