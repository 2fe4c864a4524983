import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CALLS } from '../data/contract/calls.ts';
import { FakeIndex, SAMPLE_INDEX } from './testing/fake-index.ts';
import { ask } from './testing/portal-client.ts';
import { manyStakes, walletOf } from './testing/sample-stakes.ts';
import { startTestPortal, type TestPortal } from './testing/test-portal.ts';

/** The kind of a field: `text` is a decimal number as text, `date` is ISO 8601, `?` allows null. */
type Kind = 'number' | 'text' | 'text?' | 'word' | 'word?' | 'flag' | 'date' | 'number?';

interface Reads {
  readonly path: string;
  /** Fields by path: dots lead into objects, `[]` into the rows of a list. */
  readonly fields: Readonly<Record<string, Kind>>;
}

const MARKET: Reads['fields'] = {
  priceUsd: 'text',
  priceChange24h: 'text?',
  volume24h: 'text?',
  marketCap: 'text',
  liquidity: 'text?',
};
const WALLET = `walletAddress=${walletOf(1)}`;

/** The fields of the public calls that the specification names: they must not change. */
const READ: readonly Reads[] = [
  {
    path: '/api/vault/live-balance',
    fields: { vaultBalance: 'text', balance: 'text', solBalance: 'text' },
  },
  { path: '/api/vault/metrics', fields: { vaultBalance: 'text' } },
  { path: '/api/staking/total', fields: { balance: 'text', stakerCount: 'number' } },
  {
    path: '/api/analytics/real-staking',
    fields: {
      totalStakers: 'number',
      totalStaked: 'text',
      walletsHolding: 'number?',
      stakingParticipation: 'number?',
    },
  },
  {
    path: '/api/analytics/overview',
    fields: { totalStakers: 'number', 'overview.totalDeployed': 'text' },
  },
  { path: '/api/trading/market-data', fields: MARKET },
  { path: '/api/token/market-data', fields: MARKET },
  {
    path: '/api/transactions',
    fields: {
      '[].type': 'word',
      '[].amount': 'text',
      '[].signature': 'word',
      '[].status': 'word',
      '[].blockTime': 'number?',
    },
  },
  {
    path: '/api/stakers/enhanced',
    fields: {
      '[].walletAddress': 'word',
      '[].stakedAmount': 'text',
      '[].tier': 'word?',
      '[].isAuthenticated': 'flag',
      '[].stakingDuration': 'number',
      '[].transactionCount': 'number?',
    },
  },
  {
    path: '/api/staking/transfers',
    fields: {
      totalStakers: 'number',
      totalStaked: 'text',
      'stakers[].amount': 'text',
      'stakers[].wallet': 'word',
      'stakers[].signature': 'word?',
      'stakers[].startDate': 'date',
      'stakers[].unlockDate': 'date',
    },
  },
  {
    path: '/api/staking/program-summary',
    fields: {
      isActive: 'flag',
      programAddress: 'word',
      totalAccounts: 'number',
      totalValue: 'text',
      lastVerified: 'date',
    },
  },
  {
    path: `/api/verify-bd-tokens?${WALLET}`,
    fields: { isStaking: 'flag', stakedAmount: 'number', tier: 'word', detectionMethod: 'word' },
  },
  {
    path: `/api/virtual-card/eligibility?${WALLET}`,
    fields: { eligible: 'flag', bdBalance: 'number', usdValue: 'text?', tier: 'word' },
  },
  {
    path: '/api/network/health',
    fields: {
      status: 'word',
      activeEndpoints: 'number',
      totalEndpoints: 'number',
      lastUpdate: 'date',
      errorCount: 'number',
    },
  },
];

function kindMatches(kind: Kind, value: unknown): boolean {
  if (kind.endsWith('?')) return value === null || kindMatches(kind.slice(0, -1) as Kind, value);
  if (kind === 'number') return typeof value === 'number';
  if (kind === 'flag') return typeof value === 'boolean';
  if (typeof value !== 'string') return false;
  if (kind === 'text') return /^-?\d+(\.\d+)?$/.test(value);
  return kind === 'date' ? new Date(value).toISOString() === value : value !== '';
}

/** Every value at a field's path. */
function valuesAt(body: unknown, place: string): readonly unknown[] {
  const [first = '', ...rest] = place.split('.');
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
    index.held = manyStakes(3);
    index.commit({ recentEvents: SAMPLE_INDEX.recentEvents });
    portal = await startTestPortal({ index });
  });
  afterAll(() => portal.close());

  it.each(READ)('$path has the specified fields with their kinds', async ({ path, fields }) => {
    const { status, headers, body } = await ask(portal.port, path);
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    const parsed: unknown = JSON.parse(body);
    for (const [place, kind] of Object.entries(fields)) {
      const values = valuesAt(parsed, place);
      expect(values.length, place).toBeGreaterThan(0);
      for (const value of values) expect(kindMatches(kind, value), `${place}: ${String(value)}`).toBe(true);
    }
  });

  it('is in the contract', () => {
    const paths = CALLS.map((call): string => call.path);
    for (const { path } of READ) expect(paths).toContain(path.split('?')[0]);
  });

  it.each([
    ['with a cache-busting query', '/api/staking/total?t=1767225600000'],
    ['with credentials', '/api/staking/total'],
  ])('answers the same %s', async (_case, path) => {
    const answer = await ask(portal.port, path, { headers: { Cookie: 'adminSession=x' } });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toMatchObject({ stakerCount: 8 });
    expect(answer.headers['set-cookie']).toBeUndefined();
  });
});
