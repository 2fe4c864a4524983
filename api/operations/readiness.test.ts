import { describe, expect, it } from 'vitest';
import { MAX_HISTORY_LAG_MS } from '../../data/model/value-state.ts';
import type { EndpointHealth, IndexSnapshot } from '../../data/store/ports.ts';
import { type FigureInputs, noFigureInputs } from '../metrics/figure.ts';
import { stakesContent } from '../staking/current-stakes.ts';
import { healthyEndpoint, SAMPLE_INDEX, TEST_START } from '../testing/fake-index.ts';
import { manyStakes, signatureOf } from '../testing/sample-stakes.ts';
import { readiness } from './readiness.ts';

function inputsWith(changes: Partial<IndexSnapshot> = {}): FigureInputs {
  const stakes = { content: stakesContent(manyStakes(1), 6), slot: 4_242, readAt: TEST_START };
  return { ...noFigureInputs('solana', new Set()), index: { ...SAMPLE_INDEX, ...changes }, stakes };
}

const namesOf = (list: readonly { what: string }[]) => list.map(({ what }) => what);
const reportedAt = (age: number) => ({ endpointsReportedAt: TEST_START + age });
const agreementOfAge = (age: number) => ({
  reconciliation: { slot: 1, at: TEST_START - age, differences: [] },
});
const differingReconciliation = {
  slot: 1,
  at: TEST_START,
  differences: [{ what: 'vault.balance', onChain: 1n, indexed: 2n }],
};
const alarm = {
  signature: signatureOf(1),
  account: SAMPLE_INDEX.identity?.vault ?? '',
  slot: 1,
  blockTime: null,
  kind: 'account-closed',
  address: null,
  status: 'finalized',
} as const;

const chainWith = (changes: Partial<NonNullable<IndexSnapshot['chain']>>): Partial<IndexSnapshot> => ({
  chain: SAMPLE_INDEX.chain && { ...SAMPLE_INDEX.chain, ...changes },
});
const historyBehind = { historyReadAt: TEST_START - MAX_HISTORY_LAG_MS - 1 };
const withoutVault = chainWith({ vaultBalance: null, vaultLamports: null, vaultProblem: 'it was closed' });
const stalePrice = { quote: SAMPLE_INDEX.quote && { ...SAMPLE_INDEX.quote, readAt: TEST_START - 180_001 } };
const endpointsWith = (...changes: readonly Partial<EndpointHealth>[]): Partial<IndexSnapshot> => ({
  endpoints: changes.map((change, number) => healthyEndpoint(`${number}.example`, change)),
});

describe('the portal', () => {
  it('is ready if nothing is missing', () => {
    expect(readiness(inputsWith(), true, null, TEST_START)).toEqual({
      ready: true,
      missing: [],
      warnings: [],
    });
  });

  it.each<[string, string, FigureInputs, boolean, number]>([
    ['index', 'the index cannot be read', inputsWith(), false, 0],
    ['snapshot', 'no account was read', inputsWith({ chain: null }), true, 0],
    ['snapshot', 'the accounts are stale', inputsWith(), true, 60_001],
    ['vault', 'the vault was closed', inputsWith(withoutVault), true, 0],
    ['stakes', 'the stakes were not read', { ...inputsWith(), stakes: null }, true, 0],
    ['history', 'the history is being read', inputsWith({ isHistoryCaughtUp: false }), true, 0],
    ['history', 'the history is behind the accounts', inputsWith(historyBehind), true, 0],
    [
      'reconciliation',
      'accounts and history differ',
      inputsWith({ reconciliation: differingReconciliation }),
      true,
      0,
    ],
  ])('is not ready because of the %s if %s', (part, _case, inputs, isReadable, age) => {
    const { ready, missing } = readiness(inputs, isReadable, null, TEST_START + age);
    expect([ready, namesOf(missing)]).toEqual([false, [part]]);
  });

  it.each<[string, string, Partial<IndexSnapshot>]>([
    ['reconciliation', 'nothing has been compared yet', { reconciliation: null }],
    ['reconciliation', 'nothing has been compared for a quarter of an hour', agreementOfAge(900_001)],
    ['market', 'there is no price', { quote: null }],
    ['market', 'the price is stale', stalePrice],
    ['endpoints', 'one endpoint is down', endpointsWith({}, { active: false })],
    ['endpoints', 'the only endpoint is far behind', endpointsWith({ slotLag: 129 })],
    ['stakes', 'a stake entry cannot be read', chainWith({ unreadEntries: 1 })],
    ['clock', 'the host is ahead of the chain', chainWith({ clockDifference: 60_001 })],
    ['clock', 'the host is behind the chain', chainWith({ clockDifference: -60_001 })],
    ['quarantine', 'transactions could not be read', { quarantinedCount: 1 }],
    ['alarms', 'there is an alarm', { alarms: [alarm] }],
  ])('is ready with a warning about the %s if %s', (part, _case, changes) => {
    const { ready, warnings } = readiness(inputsWith(changes), true, null, TEST_START);
    expect([ready, namesOf(warnings)]).toEqual([true, [part]]);
  });

  it('is ready with a warning, which gives no details, while backups cannot be copied elsewhere', () => {
    const machine = { spaceProblem: null, copyProblem: 'the bucket backups.example.com does not exist' };
    const { ready, warnings } = readiness(inputsWith(), true, null, TEST_START, machine);
    expect([ready, namesOf(warnings)]).toEqual([true, ['backups']]);
    expect(warnings[0]?.why).not.toContain('example.com');
  });

  it('is ready without a warning while the last comparison is at most a quarter of an hour old', () => {
    expect(readiness(inputsWith(agreementOfAge(900_000)), true, null, TEST_START).warnings).toEqual([]);
  });

  it('warns if endpoints answer without a newer slot, and is not ready once the snapshot is stale', () => {
    const readinessAt = (age: number) => readiness(inputsWith(reportedAt(age)), true, null, TEST_START + age);
    expect(readinessAt(10_000).warnings).toEqual([]);
    expect([readinessAt(10_001).ready, namesOf(readinessAt(10_001).warnings)]).toEqual([true, ['chain']]);
    expect([namesOf(readinessAt(100_000).missing), namesOf(readinessAt(100_000).warnings)]).toEqual([
      ['snapshot'],
      ['chain'],
    ]);
  });
});
