import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChainSnapshot, QuarantinedTransaction } from '../../data/store/chain-rows.ts';
import type { EventSums, Reconciliation } from '../../data/store/ports.ts';
import { type EndpointPool, type EndpointReplies, resultOf } from '../rpc/endpoint-pool.ts';
import { RetryableRpcError } from '../rpc/rpc-errors.ts';
import { decodeEntries, type SnapshotAnswers, snapshotCalls, snapshotOf } from '../sync/snapshot.ts';
import { scriptedPool } from '../testing/scripted-pool.ts';
import { startTestChain, type TestChain } from '../testing/test-chain.ts';
import { createLoopProgress } from './loop-progress.ts';
import { type AccountsAtSlot, createReconciler, findDifferences, type HistorySums } from './reconciler.ts';

const units = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const someUnits = fc.array(units, { maxLength: 6 });
const total = (amounts: readonly bigint[]) => amounts.reduce((sum, amount) => sum + amount, 0n);

/** A chain's accounts, and sums of its history that agree with them. */
const agreeing = fc
  .record({
    deposits: someUnits,
    withdrawals: someUnits,
    open: someUnits,
    ended: someUnits,
    sentToPool: someUnits,
  })
  .map(({ deposits, withdrawals, open, ended, sentToPool }) => {
    const staked = total([...open, ...ended]);
    const unstaked = total(ended);
    const accounts: AccountsAtSlot = {
      slot: 7,
      vaultBalance: total(deposits) - total(withdrawals),
      poolVaultBalance: total(open) + total(sentToPool),
      totalStaked: total(open),
      entries: [
        ...open.map((amount) => ({ amount, closedAt: null })),
        ...ended.map((amount) => ({ amount, closedAt: 1 })),
      ],
    };
    const flows = { totalIn: total(deposits), totalOut: total(withdrawals) };
    const vault: EventSums = { ...flows, staked: 0n, unstaked: 0n };
    const poolVault = { totalIn: staked + total(sentToPool), totalOut: unstaked, staked, unstaked };
    const sums: HistorySums = { vault, poolVault, quarantinedCount: 0 };
    return { accounts, sums };
  });

describe('accounts compared with the sum of events', () => {
  it('agree if the history explains them, including any gifts to the pool', () => {
    fc.assert(
      fc.property(agreeing, ({ accounts, sums }) => {
        expect(findDifferences(accounts, sums)).toEqual([]);
      }),
    );
  });

  it('differ in the vault by exactly the amount of a missing, duplicated or invented event', () => {
    fc.assert(
      fc.property(agreeing, fc.bigInt({ min: 1n, max: 2n ** 64n }), ({ accounts, sums }, amount) => {
        for (const side of ['totalIn', 'totalOut'] as const) {
          const vault = { ...sums.vault, [side]: sums.vault[side] + amount };
          const [difference, ...others] = findDifferences(accounts, { ...sums, vault });
          expect(others).toEqual([]);
          expect(difference?.what).toBe('vault.balance');
          const gap = (difference?.indexed ?? 0n) - (difference?.onChain ?? 0n);
          expect(gap).toBe(side === 'totalIn' ? amount : -amount);
        }
      }),
    );
  });

  it('differ in the balance and the total of the pool if a stake is missing', () => {
    fc.assert(
      fc.property(agreeing, fc.bigInt({ min: 1n, max: 2n ** 64n }), ({ accounts, sums }, amount) => {
        const { poolVault } = sums;
        const [totalIn, staked] = [poolVault.totalIn - amount, poolVault.staked - amount];
        const missing = { ...poolVault, totalIn, staked };
        expect(findDifferences(accounts, { ...sums, poolVault: missing }).map(({ what }) => what)).toEqual([
          'stake-pool.vault-balance',
          'stake-pool.total-staked',
        ]);
      }),
    );
  });

  it('differ if the open entries do not add up to the total of their pool', () => {
    fc.assert(
      fc.property(agreeing, fc.bigInt({ min: 1n, max: 2n ** 64n }), ({ accounts, sums }, amount) => {
        const entries = [...accounts.entries, { amount, closedAt: null }];
        const differences = findDifferences({ ...accounts, entries }, sums);
        expect(differences.map(({ what }) => what)).toEqual(['stake-pool.open-entries']);
      }),
    );
  });

  it('never agree while a transaction up to the slot is quarantined, because the sums may lack its amounts', () => {
    fc.assert(
      fc.property(agreeing, fc.integer({ min: 1, max: 1_000 }), ({ accounts, sums }, quarantinedCount) => {
        expect(findDifferences(accounts, { ...sums, quarantinedCount })).toEqual([
          { what: 'history.unread-transactions', onChain: BigInt(quarantinedCount), indexed: 0n },
        ]);
      }),
    );
  });
});

const neverAborted = new AbortController().signal;
const NOW = 1_000;
/** The position of the amount in a token account's data (bytes). */
const AMOUNT_OFFSET = 64;

let ledger: TestChain;
let answers: SnapshotAnswers;
let snapshot: ChainSnapshot;
/** The balance is never null, because the ledger's vault is never closed. */
const vaultBalance = () => snapshot.vaultBalance ?? 0n;
beforeAll(async () => {
  ledger = await startTestChain({ history: true });
  const [accounts, entries] = await ledger.pool.batch<SnapshotAnswers>(
    snapshotCalls(ledger.identity),
    neverAborted,
  );
  answers = [resultOf(accounts), resultOf(entries)];
  snapshot = snapshotOf({ accounts: answers[0], ...decodeEntries(answers[1]) }, ledger.identity, NOW);
});
afterAll(() => ledger.close());

/** The answers of an endpoint that adds an amount to the vault's balance. */
function answersWith(more: bigint, slot: number): SnapshotAnswers {
  const [vault, ...others] = answers[0].value;
  if (!vault) throw new Error('The ledger has no vault.');
  const data = Uint8Array.from(vault.data);
  new DataView(data.buffer).setBigUint64(AMOUNT_OFFSET, vaultBalance() + more, true);
  return [
    { slot, value: [{ ...vault, data }, ...others], chainTime: null },
    { slot, value: answers[1].value },
  ];
}

interface Setup {
  /** How much is missing from the vault's indexed history (base units). */
  missing?: bigint;
  quarantined?: readonly Pick<QuarantinedTransaction, 'slot'>[];
  /** By endpoint: how much its answer adds to the vault's balance (base units); null if it does not answer. */
  endpoints?: Readonly<Record<string, bigint | null>>;
  waitMs?: number;
}

function setUp({
  missing = 0n,
  quarantined = [],
  endpoints = { 'one.example': 0n },
  waitMs = 60_000,
}: Setup = {}) {
  const state = { missing, quarantined };
  const committed: Reconciliation[] = [];
  /** The level of each log line: `info` for an agreement, `warn` if nothing could be compared, `error` for an alarm. */
  const logged: string[] = [];
  const progress = createLoopProgress();
  const { waitUntil } = progress;
  progress.waitUntil = (isMet, _withinMs, signal) => waitUntil(isMet, waitMs, signal);
  const write = (line: string) => void logged.push(pino.levels.labels[JSON.parse(line).level] ?? '');
  const log = pino({}, { write });
  const sums = (totalIn: bigint, staked: bigint): EventSums => ({
    totalIn,
    totalOut: 0n,
    staked,
    unstaked: 0n,
  });
  const scripted = scriptedPool({});
  let requestCount = 0;
  const pool: EndpointPool & typeof scripted = {
    ...scripted,
    health: () => Object.keys(endpoints).map(() => ({})) as unknown as ReturnType<EndpointPool['health']>,
    requestFromEach: (async () => {
      requestCount += 1;
      return Object.entries(endpoints).map(([endpoint, more]): EndpointReplies<SnapshotAnswers> => {
        if (more === null) {
          const failed = {
            ok: false,
            error: new RetryableRpcError('timeout', 'no answer'),
            endpointName: endpoint,
          } as const;
          return { endpoint, replies: [failed, failed] };
        }
        const [accounts, entries] = answersWith(more, 20);
        const answered = { ok: true, endpointName: endpoint } as const;
        return {
          endpoint,
          replies: [
            { ...answered, value: accounts },
            { ...answered, value: entries },
          ],
        };
      });
    }) as unknown as EndpointPool['requestFromEach'],
  };
  const reconciler = createReconciler({
    pool,
    identity: ledger.identity,
    progress,
    log,
    now: () => NOW,
    writer: {
      eventSums: async (account) =>
        account === ledger.identity.vault
          ? sums(vaultBalance() - state.missing, 0n)
          : sums(snapshot.poolVaultBalance, snapshot.totalStaked),
      quarantined: async () => state.quarantined as readonly QuarantinedTransaction[],
      commitReconciliation: async (reconciliation) => void committed.push(reconciliation),
    },
  });
  return {
    state,
    committed,
    logged,
    progress,
    distrusted: scripted.distrusted,
    endpointRequestCount: () => requestCount,
    noteSnapshotAt: (slot: number, changes: Partial<ChainSnapshot> = {}) =>
      progress.noteSnapshot({ ...snapshot, ...changes, slot }),
    run: () => reconciler.reconcile(neverAborted),
    /** Runs the reconciliation while the chain loop reports a new snapshot and its history for each slot. */
    async runWhileFollowing(changes: Partial<ChainSnapshot> = {}) {
      const running = reconciler.reconcile(neverAborted);
      let isOver = false;
      const end = running.finally(() => {
        isOver = true;
      });
      for (let slot = 11; !isOver; slot += 1) {
        progress.noteSnapshot({ ...snapshot, ...changes, slot });
        progress.noteHistoryRead(slot + 20);
        await new Promise((resolve) => setImmediate(resolve));
      }
      return end;
    },
  };
}

describe('the reconciliation', () => {
  it('waits until the history is read up to the slot of the accounts, then agrees', async () => {
    const { noteSnapshotAt, progress, run, committed } = setUp();
    progress.noteHistoryRead(5);
    noteSnapshotAt(10);
    const running = run();
    await new Promise((resolve) => setImmediate(resolve));
    expect(committed).toEqual([]);
    progress.noteHistoryRead(10);
    expect(await running).toEqual({ slot: 10, at: NOW, differences: [] });
    expect(committed).toEqual([{ slot: 10, at: NOW, differences: [] }]);
  });

  it.each([
    ['the history is not read', ({ noteSnapshotAt }: ReturnType<typeof setUp>) => noteSnapshotAt(10)],
    ['there is no snapshot', ({ progress }: ReturnType<typeof setUp>) => progress.noteHistoryRead(10)],
    [
      'the slot is not reached in time',
      ({ noteSnapshotAt, progress }: ReturnType<typeof setUp>) => {
        progress.noteHistoryRead(9);
        noteSnapshotAt(10);
      },
    ],
  ])('has no result if %s, and warns once', async (_what, prepare) => {
    const context = setUp({ waitMs: 40 });
    prepare(context);
    for (let time = 0; time < 2; time += 1) expect(await context.run()).toBeNull();
    expect(context.committed).toEqual([]);
    expect(context.logged).toEqual(['warn']);
  });

  it('logs its first result after each warning', async () => {
    const { noteSnapshotAt, progress, run, logged } = setUp({ waitMs: 40 });
    noteSnapshotAt(10);
    await run();
    progress.noteHistoryRead(10);
    await run();
    noteSnapshotAt(11);
    for (let time = 0; time < 2; time += 1) await run();
    progress.noteHistoryRead(11);
    await run();
    expect(logged).toEqual(['warn', 'info', 'warn', 'info']);
  });

  it('raises an alarm once while a difference stays the same, and logs its end', async () => {
    const { state, runWhileFollowing, logged, progress, committed } = setUp({ missing: 250n });
    progress.noteHistoryRead(1);
    progress.noteSnapshot({ ...snapshot, slot: 10 });
    const difference = { what: 'vault.balance', onChain: vaultBalance(), indexed: vaultBalance() - 250n };
    const result = await runWhileFollowing();
    expect(result?.differences).toEqual([difference]);
    expect(committed).toEqual([result]);
    await runWhileFollowing();
    expect(logged).toEqual(['error']);
    state.missing = 300n;
    await runWhileFollowing();
    expect(logged).toEqual(['error', 'error']);
    state.missing = 0n;
    expect(await runWhileFollowing()).toMatchObject({ differences: [] });
    expect(logged).toEqual(['error', 'error', 'info']);
  });

  it('ignores a single reading that differs, because it may be from the middle of a slot', async () => {
    const { noteSnapshotAt, progress, run, committed } = setUp();
    progress.noteHistoryRead(100);
    noteSnapshotAt(10, { vaultBalance: vaultBalance() - 1n });
    const running = run();
    await new Promise((resolve) => setImmediate(resolve));
    noteSnapshotAt(11);
    expect(await running).toEqual({ slot: 11, at: NOW, differences: [] });
    expect(committed).toHaveLength(1);
  });

  it('never agrees while a transaction up to the slot is quarantined, and does not ask other endpoints', async () => {
    const endpoints = { 'one.example': 0n, 'two.example': 5n };
    const quarantined = [{ slot: 3 }];
    const { progress, noteSnapshotAt, runWhileFollowing, endpointRequestCount } = setUp({
      quarantined,
      endpoints,
    });
    progress.noteHistoryRead(1);
    noteSnapshotAt(10);
    const result = await runWhileFollowing();
    expect(result?.differences.map(({ what }) => what)).toEqual(['history.unread-transactions']);
    expect(endpointRequestCount()).toBe(0);
  });

  it('ignores quarantined transactions of later slots', async () => {
    const { progress, noteSnapshotAt, run } = setUp({ quarantined: [{ slot: 11 }] });
    progress.noteHistoryRead(10);
    noteSnapshotAt(10);
    expect(await run()).toMatchObject({ slot: 10, differences: [] });
  });

  it('stops waiting when the signal aborts', async () => {
    const { progress } = setUp();
    const controller = new AbortController();
    const waiting = progress.waitUntil(() => false, 60_000, controller.signal);
    controller.abort(new Error('stopping'));
    await expect(waiting).rejects.toThrow('stopping');
  });
});

describe('several endpoints', () => {
  const lie = { vaultBalance: 1n };

  async function runWithSetup(setup: Setup, changes: Partial<ChainSnapshot> = lie) {
    const one = setUp(setup);
    one.progress.noteHistoryRead(1);
    one.progress.noteSnapshot({ ...snapshot, ...changes, slot: 10 });
    const result = await one.runWhileFollowing(changes);
    return { ...one, result };
  }

  it('are compared if accounts and history differ, and one that the others refute is distrusted', async () => {
    const endpoints = { 'liar.example': 77n, 'honest.example': 0n };
    const { result, distrusted, logged } = await runWithSetup({ endpoints });
    expect(distrusted).toEqual([['liar.example', expect.stringContaining('vault.balance')]]);
    expect(result).toMatchObject({ slot: 20, differences: [] });
    expect(logged).toEqual(['error', 'info']);
  });

  it('stay trusted if all contradict the history, because then the history is wrong', async () => {
    const endpoints = { 'one.example': 0n, 'two.example': 0n };
    const { result, distrusted } = await runWithSetup({ endpoints, missing: 9n }, {});
    expect(distrusted).toEqual([]);
    expect(result?.differences.map(({ what }) => what)).toEqual(['vault.balance']);
  });

  it('stay trusted if most contradict the history', async () => {
    const endpoints = { 'one.example': 9n, 'two.example': 9n, 'three.example': 0n };
    const { result, distrusted } = await runWithSetup({ endpoints });
    expect(distrusted).toEqual([]);
    expect(result?.differences).not.toEqual([]);
  });

  it('change nothing if they do not answer', async () => {
    const endpoints = { 'one.example': null, 'two.example': null };
    const { result, distrusted } = await runWithSetup({ endpoints });
    expect(distrusted).toEqual([]);
    expect(result?.differences).not.toEqual([]);
  });
});
