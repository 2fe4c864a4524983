import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CALLS } from '../data/contract/calls.ts';
import { FakeIndex, SAMPLE_INDEX } from './testing/fake-index.ts';
import { ask } from './testing/portal-client.ts';
import { manyStakes, walletOf } from './testing/sample-stakes.ts';
import { startTestPortal, type TestPortal } from './testing/test-portal.ts';

/** `decimal`: a number as text; `text`: any other text; `flag`: a boolean; `date`: ISO 8601. A `?` allows null. */
type Kind = 'number' | 'number?' | 'decimal' | 'decimal?' | 'text' | 'text?' | 'flag' | 'date';

/** The kind of each field in a body, by path: `a.b` is the field `b` of the object `a`; `a[]` is a row of list `a`. */
type FieldKinds = Readonly<Record<string, Kind>>;

const MARKET_FIELDS: FieldKinds = {
  priceUsd: 'decimal',
  priceChange24h: 'decimal?',
  volume24h: 'decimal?',
  marketCap: 'decimal',
  liquidity: 'decimal?',
};
const WALLET_QUERY = `walletAddress=${walletOf(1)}`;

/** The public calls that the specification names, with their fields, which must not change. */
const SPECIFIED_CALLS: readonly (readonly [path: string, fields: FieldKinds])[] = [
  ['/api/vault/live-balance', { vaultBalance: 'decimal', balance: 'decimal', solBalance: 'decimal' }],
  ['/api/vault/metrics', { vaultBalance: 'decimal' }],
  ['/api/staking/total', { balance: 'decimal', stakerCount: 'number' }],
  [
    '/api/analytics/real-staking',
    {
      totalStakers: 'number',
      totalStaked: 'decimal',
      walletsHolding: 'number?',
      stakingParticipation: 'number?',
    },
  ],
  ['/api/analytics/overview', { totalStakers: 'number', 'overview.totalDeployed': 'decimal' }],
  ['/api/trading/market-data', MARKET_FIELDS],
  ['/api/token/market-data', MARKET_FIELDS],
  [
    '/api/transactions',
    {
      '[].type': 'text',
      '[].amount': 'decimal',
      '[].signature': 'text',
      '[].status': 'text',
      '[].blockTime': 'number?',
    },
  ],
  [
    '/api/stakers/enhanced',
    {
      '[].walletAddress': 'text',
      '[].stakedAmount': 'decimal',
      '[].tier': 'text?',
      '[].isAuthenticated': 'flag',
      '[].stakingDuration': 'number',
      '[].transactionCount': 'number?',
    },
  ],
  [
    '/api/staking/transfers',
    {
      totalStakers: 'number',
      totalStaked: 'decimal',
      'stakers[].amount': 'decimal',
      'stakers[].wallet': 'text',
      'stakers[].signature': 'text?',
      'stakers[].startDate': 'date',
      'stakers[].unlockDate': 'date',
    },
  ],
  [
    '/api/staking/program-summary',
    {
      isActive: 'flag',
      programAddress: 'text',
      totalAccounts: 'number',
      totalValue: 'decimal',
      lastVerified: 'date',
    },
  ],
  [
    `/api/verify-bd-tokens?${WALLET_QUERY}`,
    { isStaking: 'flag', stakedAmount: 'number', tier: 'text', detectionMethod: 'text' },
  ],
  [
    `/api/virtual-card/eligibility?${WALLET_QUERY}`,
    { eligible: 'flag', bdBalance: 'number', usdValue: 'decimal?', tier: 'text' },
  ],
  [
    '/api/network/health',
    {
      status: 'text',
      activeEndpoints: 'number',
      totalEndpoints: 'number',
      lastUpdate: 'date',
      errorCount: 'number',
    },
  ],
];

function kindMatches(kind: Kind, value: unknown): boolean {
  if (kind.endsWith('?')) return value === null || kindMatches(kind.slice(0, -1) as Kind, value);
  if (kind === 'number') return typeof value === 'number';
  if (kind === 'flag') return typeof value === 'boolean';
  if (typeof value !== 'string') return false;
  if (kind === 'decimal') return /^-?\d+(\.\d+)?$/.test(value);
  return kind === 'date' ? new Date(value).toISOString() === value : value !== '';
}

function valuesAt(body: unknown, path: string): readonly unknown[] {
  const [first = '', ...rest] = path.split('.');
  const isList = first.endsWith('[]');
  const name = isList ? first.slice(0, -2) : first;
  const value = name === '' ? body : (body as Record<string, unknown>)[name];
  const values: readonly unknown[] = isList && Array.isArray(value) ? value : [value];
  return rest.length === 0 ? values : values.flatMap((one) => valuesAt(one, rest.join('.')));
}

describe('a public call', () => {
  let portal: TestPortal;
  beforeAll(async () => {
    const index = new FakeIndex();
    index.storedStakes = manyStakes(3);
    index.commit({ recentEvents: SAMPLE_INDEX.recentEvents });
    portal = await startTestPortal({ index });
  });
  afterAll(() => portal.close());

  it.each(SPECIFIED_CALLS)('%s has the specified fields and kinds of values', async (path, fields) => {
    const { status, headers, body } = await ask(portal.port, path);
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    const parsed: unknown = JSON.parse(body);
    for (const [field, kind] of Object.entries(fields)) {
      const values = valuesAt(parsed, field);
      expect(values.length, field).toBeGreaterThan(0);
      for (const value of values) expect(kindMatches(kind, value), `${field}: ${String(value)}`).toBe(true);
    }
  });

  it('is in the contract', () => {
    const paths = CALLS.map((call): string => call.path);
    for (const [path] of SPECIFIED_CALLS) expect(paths).toContain(path.split('?')[0]);
  });

  it('ignores credentials and a cache-busting query', async () => {
    const path = '/api/staking/total?t=1767225600000';
    const answer = await ask(portal.port, path, { headers: { Cookie: 'adminSession=x' } });
    expect([answer.status, JSON.parse(answer.body).stakerCount]).toEqual([200, 8]);
    expect(answer.headers['set-cookie']).toBeUndefined();
  });
});
