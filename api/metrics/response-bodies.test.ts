import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHAINS } from '../../data/contract/provenance.ts';
import { CHAIN_ALARM_KINDS, EVENT_KINDS, EVENT_STATUSES } from '../../data/model/chain-events.ts';
import { ENDPOINT_STATES } from '../../data/model/value-state.ts';
import type { IndexSnapshot } from '../../data/store/ports.ts';
import { type CurrentStakes, type StakesContent, stakesContent } from '../staking/current-stakes.ts';
import { SAMPLE_INDEX } from '../testing/fake-index.ts';
import { endedStake, openedStake, signatureOf, walletOf } from '../testing/sample-stakes.ts';
import { FIGURES } from './figures.ts';
import { GROWTH_HOURS, type RecentVaultHistory } from './vault-history.ts';

const amount = fc.bigInt({ min: 0n, max: 10n ** 19n });
const moment = fc.integer({ min: 0, max: 4_102_444_800_000 });
const addressText = fc.constantFrom(SAMPLE_INDEX.identity?.vault ?? '', SAMPLE_INDEX.identity?.mint ?? '');
const decimal = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.option(fc.stringMatching(/^\d{1,14}$/)))
  .map(([whole, fraction]) => (fraction === null ? String(whole) : `${whole}.${fraction}`));
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });

const anyIndex: fc.Arbitrary<IndexSnapshot> = fc.record({
  identity: orNull(
    fc.record({
      genesisHash: addressText,
      mint: addressText,
      vault: addressText,
      stakePool: addressText,
      poolVault: addressText,
      decimals: fc.integer({ min: 0, max: 18 }),
    }),
  ),
  chain: orNull(
    fc.record({
      slot: fc.nat(),
      readAt: moment,
      clockDifference: orNull(fc.integer()),
      vaultBalance: orNull(amount),
      vaultLamports: orNull(amount),
      vaultProblem: orNull(fc.string()),
      totalStaked: amount,
      poolVaultBalance: amount,
      supply: amount,
      stakerCount: orNull(fc.nat()),
      unreadEntries: fc.nat(),
      stakesProblem: orNull(fc.string()),
      entryChanges: fc.nat(),
    }),
  ),
  holders: orNull(fc.record({ slot: fc.nat(), wallets: fc.nat(), readAt: moment })),
  quote: orNull(
    fc.record({
      priceUsd: decimal,
      priceChange24h: orNull(decimal.map((text) => `-${text}`)),
      volume24h: orNull(decimal),
      liquidity: orNull(decimal),
      source: fc.string(),
      readAt: moment,
    }),
  ),
  endpoints: fc.array(
    fc.record({
      name: fc.string(),
      active: fc.boolean(),
      state: fc.constantFrom(...ENDPOINT_STATES),
      latencyMs: orNull(fc.double({ min: 0, max: 1e6, noNaN: true })),
      slot: orNull(fc.nat()),
      slotLag: orNull(fc.nat()),
      requestCount: fc.nat(),
      errorCount: fc.nat(),
      creditsPerDay: fc.option(fc.nat()),
      lastError: orNull(fc.string()),
    }),
  ),
  endpointsReportedAt: orNull(moment),
  recentEvents: fc.array(
    fc.record({
      signature: fc.constant('5'.repeat(88)),
      account: addressText,
      slot: fc.nat(),
      position: fc.nat(),
      part: fc.nat(),
      blockTime: orNull(moment),
      kind: fc.constantFrom(...EVENT_KINDS),
      wallet: orNull(addressText),
      delta: fc.bigInt({ min: -(10n ** 19n), max: 10n ** 19n }),
      stakeEntry: orNull(addressText),
      status: fc.constantFrom(...EVENT_STATUSES),
    }),
  ),
  isHistoryCaughtUp: fc.boolean(),
  historyReadAt: orNull(moment),
  hasCompleteHistory: fc.boolean(),
  reconciliation: orNull(
    fc.record({
      slot: fc.nat(),
      at: moment,
      differences: fc.array(
        fc.record({ what: fc.string(), onChain: amount, indexed: fc.bigInt({ min: -5n, max: 5n }) }),
        { maxLength: 3 },
      ),
    }),
  ),
  lastAgreement: orNull(fc.record({ slot: fc.nat(), at: moment })),
  alarms: fc.array(
    fc.record({
      signature: fc.constant(signatureOf(1)),
      account: addressText,
      slot: fc.nat(),
      blockTime: orNull(moment),
      kind: fc.constantFrom(...CHAIN_ALARM_KINDS),
      address: orNull(addressText),
      status: fc.constantFrom(...EVENT_STATUSES),
    }),
    { maxLength: 3 },
  ),
  quarantinedCount: fc.nat(),
});

const anyStakesContent: fc.Arbitrary<StakesContent> = fc
  .record({
    entries: fc.array(
      fc
        .record({
          number: fc.nat(5),
          amount,
          createdAt: moment,
          unlocksAt: moment,
          closedAt: orNull(moment),
          openedBy: orNull(fc.constant(signatureOf(2))),
        })
        .map(({ number, ...changes }) => openedStake(number, changes)),
      { maxLength: 8 },
    ),
    ended: fc.array(
      fc
        .record({
          wallet: orNull(fc.constant(walletOf(1))),
          amount,
          openedAt: orNull(moment),
          endedAt: orNull(moment),
          openedBy: orNull(fc.constant(signatureOf(3))),
        })
        .map((changes) => endedStake(1, changes)),
      { maxLength: 3 },
    ),
    counts: orNull(fc.dictionary(fc.constantFrom(walletOf(0), walletOf(1)), fc.nat())),
    decimals: fc.integer({ min: 0, max: 18 }),
  })
  .map(({ entries, ended, counts, decimals }) => ({
    ...stakesContent({ entries, ended, transactionCounts: new Map() }, decimals),
    transactionCounts: counts && new Map(Object.entries(counts)),
  }));

const anyStakes: fc.Arbitrary<CurrentStakes> = fc.record({
  content: anyStakesContent,
  slot: fc.nat(),
  readAt: moment,
});

const anyHistory: fc.Arbitrary<RecentVaultHistory> = fc.record({
  asOf: moment,
  earlierBalances: fc
    .array(fc.record({ balance: orNull(amount), asOf: moment }), {
      minLength: GROWTH_HOURS.length,
      maxLength: GROWTH_HOURS.length,
    })
    .map((balances) =>
      balances.map(({ balance, asOf }, index) => ({ hours: GROWTH_HOURS[index] ?? 0, balance, asOf })),
    ),
  last24h: fc.record({
    deposits: amount,
    withdrawals: amount,
    movements: fc.nat(),
    until: orNull(moment),
    coversWindow: fc.boolean(),
  }),
});

describe('every response body', () => {
  it('matches its contract, whatever is in the index', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...CHAINS),
        anyIndex,
        orNull(anyHistory),
        orNull(anyStakes),
        moment,
        (source, index, vaultHistory, stakes, now) => {
          const provenWallets = new Set([walletOf(1)]);
          for (const { call, read: readFigure } of FIGURES) {
            const reading = readFigure({ source, index, vaultHistory, stakes, provenWallets }, now);
            if (reading === null) {
              expect(call.errors, call.path).toHaveLength(1);
            } else {
              // Parses the JSON that is sent. `toEqual` fails on fields that the contract does not have.
              const sent = JSON.parse(reading.json);
              expect(call.response.parse(sent), call.path).toEqual(sent);
            }
          }
        },
      ),
    );
  });
});
