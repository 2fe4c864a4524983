import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPublicRead } from '../../data/contract/call.ts';
import { CALLS } from '../../data/contract/calls.ts';
import * as PATHS from '../../data/contract/paths.ts';
import { WALLET_SESSION_COOKIE } from '../../data/contract/wallet-session.ts';
import { FakeIndex, SAMPLE_INDEX } from '../testing/fake-index.ts';
import { ask } from '../testing/portal-client.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

/** All paths that pages of other origins may read. A new public read must be added here deliberately. */
const PUBLIC_READS = [
  PATHS.vaultLiveBalance,
  PATHS.vaultMetrics,
  PATHS.stakingTotal,
  PATHS.realStaking,
  PATHS.analyticsOverview,
  PATHS.tradingMarketData,
  PATHS.tokenMarketData,
  PATHS.transactions,
  PATHS.stakingTransfers,
  PATHS.enhancedStakers,
  PATHS.stakeDistribution,
  PATHS.programSummary,
  PATHS.networkHealth,
  PATHS.history,
  PATHS.verifyBdTokens,
  PATHS.cardEligibility,
  PATHS.walletPosition,
  PATHS.walletHistory,
  PATHS.walletHistoryExport,
  PATHS.stakeHistory,
  PATHS.walletName,
  PATHS.cardFunding,
  PATHS.availableForStake,
  PATHS.stakeProgress,
  PATHS.loanNoteDocument,
];

const FOREIGN_HEADERS = {
  Origin: 'https://other.example',
  Cookie: `${WALLET_SESSION_COOKIE}=${'a'.repeat(43)}`,
};
const ALLOW_ORIGIN_HEADER = 'access-control-allow-origin';

let portal: TestPortal;
const allowedOriginOf = async (method: string, path: string, changes: Record<string, string> = {}) => {
  const { headers } = await ask(portal.port, path, { method, headers: { ...FOREIGN_HEADERS, ...changes } });
  expect(headers['access-control-allow-credentials'], path).toBeUndefined();
  return headers[ALLOW_ORIGIN_HEADER];
};

beforeAll(async () => {
  portal = await startTestPortal({ index: new FakeIndex(SAMPLE_INDEX) });
});
afterAll(() => portal.close());

describe('pages of other origins', () => {
  it('can read exactly the calls that this test lists', () => {
    expect(
      CALLS.filter(isPublicRead)
        .map(({ path }) => path)
        .toSorted(),
    ).toEqual(PUBLIC_READS.toSorted());
  });

  it('can read the answers and the errors of public reads', async () => {
    for (const path of [...PUBLIC_READS, PATHS.openApi]) {
      for (const method of ['GET', 'HEAD'])
        expect(await allowedOriginOf(method, path), `${method} ${path}`).toBe('*');
    }
  });

  it('can read neither answers nor errors of other calls (ASVS V3.4.2)', async () => {
    const others = CALLS.filter((call) => !isPublicRead(call) && !call.allowsAnyOrigin);
    for (const { method, path } of others)
      expect(await allowedOriginOf(method, path), `${method} ${path}`).toBeUndefined();
    for (const path of [PATHS.live, PATHS.verificationSteps, '/api/missing', PATHS.healthz, '/']) {
      expect(await allowedOriginOf('HEAD', path), path).toBeUndefined();
      expect(await allowedOriginOf('HEAD', path, { Origin: 'null' }), `${path} from null`).toBeUndefined();
    }
  });

  it('can neither write to a public path nor pass a preflight for it', async () => {
    for (const method of ['POST', 'OPTIONS']) {
      expect(await allowedOriginOf(method, PATHS.vaultLiveBalance), method).toBeUndefined();
    }
  });

  it('can read the age, the ETag and the retry delay in the headers of an answer', async () => {
    const { headers } = await ask(portal.port, PATHS.transactions, { headers: FOREIGN_HEADERS });
    const exposedHeaders = String(headers['access-control-expose-headers']).toLowerCase().split(', ');
    expect(exposedHeaders).toEqual(
      expect.arrayContaining(['etag', 'retry-after', 'x-figure-as-of', 'x-figure-state']),
    );
    const repeated = await ask(portal.port, PATHS.transactions, {
      headers: { ...FOREIGN_HEADERS, 'If-None-Match': headers.etag ?? '' },
    });
    expect([repeated.status, repeated.headers[ALLOW_ORIGIN_HEADER]]).toEqual([304, '*']);
  });

  it('can make the calls of Solana Actions after a preflight, but no other writes', async () => {
    const calls = CALLS.filter(({ allowsAnyOrigin }) => allowsAnyOrigin);
    expect(calls.map(({ method, path }) => [method, path])).toEqual([
      ['GET', PATHS.stakeAction],
      ['POST', PATHS.stakeAction],
    ]);
    const origin = { Origin: 'https://other.example', 'Sec-Fetch-Site': 'cross-site' };
    for (const { method, path } of calls) {
      const preflight = await ask(portal.port, path, {
        method: 'OPTIONS',
        headers: { ...origin, 'Access-Control-Request-Method': method },
      });
      expect(preflight.status).toBe(204);
      expect(preflight.headers[ALLOW_ORIGIN_HEADER]).toBe('*');
      expect(preflight.headers['access-control-allow-methods']).toBe('GET, POST');
      expect(String(preflight.headers['access-control-allow-headers'])).toContain('X-Accept-Action-Version');
      const answer = await ask(portal.port, path, { method, headers: { ...FOREIGN_HEADERS, ...origin } });
      expect([
        answer.headers[ALLOW_ORIGIN_HEADER],
        answer.headers['access-control-allow-credentials'],
      ]).toEqual(['*', undefined]);
      // The POST has no amount, so it is rejected.
      expect(answer.status).toBe(method === 'GET' ? 200 : 400);
    }
  });

  it('get the same answer with and without a cookie', async () => {
    for (const path of [PATHS.vaultLiveBalance, PATHS.networkHealth, PATHS.cardFunding]) {
      const answerWithoutCookie = await ask(portal.port, path);
      const withCookie = await ask(portal.port, path, { headers: FOREIGN_HEADERS });
      expect(withCookie.body, path).toBe(answerWithoutCookie.body);
      expect(withCookie.headers['set-cookie'], path).toBeUndefined();
    }
  });
});
