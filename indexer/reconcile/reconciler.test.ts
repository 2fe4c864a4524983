import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChainSnapshot, QuarantinedTransaction } from '../../data/store/chain-rows.ts';
import type { EventSums, Reconciliation } from '../../data/store/ports.ts';
import type { EndpointAnswers, EndpointPool } from '../rpc/endpoint-pool.ts';
import { resultOf } from '../rpc/endpoint-pool.ts';
import { RetryableRpcError } from '../rpc/rpc-errors.ts';
import { entriesOf, type SnapshotAnswers, snapshotCalls, snapshotOf } from '../sync/snapshot.ts';
import { scriptedPool } from '../testing/scripted-pool.ts';
import { startTestChain, type TestChain } from '../testing/test-chain.ts';
import { createProgress } from './progress.ts';
import { createReconciler } from './reconciler.ts';

const never = new AbortController().signal;
const NOW = 1_000;
/** Where the vault's amount stands in a token account. */
const AMOUNT_OFFSET = 64;

let ledger: TestChain;
let answers: SnapshotAnswers;
let snapshot: ChainSnapshot;
beforeAll(async () => {
  ledger = await startTestChain({ history: true });
  const [accounts, entries] = await ledger.pool.batch<SnapshotAnswers>(snapshotCalls(ledger.identity), never);
  answers = [resultOf(accounts), resultOf(entries)];
  snapshot = snapshotOf({ accounts: answers[0], entries: entriesOf(answers[1]) }, ledger.identity, NOW);
});
afterAll(() => ledger.close());

/** What an endpoint answers that adds to the vault's balance. */
function answersWith(more: bigint, slot: number): SnapshotAnswers {
  const [vault, ...others] = answers[0].value;
  if (!vault) throw new Error('The ledger has no vault.');
  const data = Uint8Array.from(vault.data);
  new DataView(data.buffer).setBigUint64(AMOUNT_OFFSET, snapshot.vaultBalance + more, true);
  return [
    { slot, value: [{ ...vault, data }, ...others] },
    { slot, value: answers[1].value },
  ];
}

interface World {
  /** What the indexed history lacks of the vault. */
  missing?: bigint;
  unread?: readonly Pick<QuarantinedTransaction, 'slot'>[];
  /** What each endpoint adds to the vault's balance; `null` does not answer. */
  endpoints?: Readonly<Record<string, bigint | null>>;
}

function world({ missing = 0n, unread = [], endpoints = { 'one.example': 0n } }: World = {}) {
  const state = { missing, unread };
  const committed: Reconciliation[] = [];
  const told: string[] = [];
  const progress = createProgress();
  const reasons: string[] = [];
  const write = (line: string) => {
    const { msg, why } = JSON.parse(line);
    told.push(msg);
    if (why !== undefined) reasons.push(why);
  };
  const log = pino({}, { write });
  const sums = (inflow: bigint, staked: bigint): EventSums => ({
    totalIn: inflow,
    totalOut: 0n,
    staked,
    unstaked: 0n,
  });
  const scripted = scriptedPool({});
  let asked = 0;
  const pool: EndpointPool & typeof scripted = {
    ...scripted,
    health: () => Object.keys(endpoints).map(() => ({})) as unknown as ReturnType<EndpointPool['health']>,
    askEach: (async () => {
      asked += 1;
      return Object.entries(endpoints).map(([endpoint, more]): EndpointAnswers<SnapshotAnswers> => {
        const by = endpoint;
        if (more === null) {
          const fault = { ok: false, error: new RetryableRpcError('timeout', 'no answer'), by } as const;
          return { endpoint, replies: [fault, fault] };
        }
        const [accounts, entries] = answersWith(more, 20);
        return {
          endpoint,
          replies: [
            { ok: true, value: accounts, by },
            { ok: true, value: entries, by },
          ],
        };
      });
    }) as unknown as EndpointPool['askEach'],
  };
  const reconciler = createReconciler({
    pool,
    identity: ledger.identity,
    progress,
    log,
    now: () => NOW,
    patienceMs: 40,
    writer: {
      eventSums: async (account) =>
        account === ledger.identity.vault
          ? sums(snapshot.vaultBalance - state.missing, 0n)
          : sums(snapshot.poolVaultBalance, snapshot.totalStaked),
      quarantined: async () => state.unread as readonly QuarantinedTransaction[],
      commitReconciliation: async (reconciliation) => void committed.push(reconciliation),
    },
  });
  return {
    state,
    committed,
    told,
    reasons,
    progress,
    distrusted: scripted.distrusted,
    askedEndpoints: () => asked,
    at: (slot: number, changes: Partial<ChainSnapshot> = {}) =>
      progress.snapshotCommitted({ ...snapshot, ...changes, slot }),
    run: () => reconciler.reconcile(never),
    /** Runs while the loops go on, slot by slot. */
    async runWhileFollowing(changes: Partial<ChainSnapshot> = {}) {
      const running = reconciler.reconcile(never);
      let isOver = false;
      const end = running.finally(() => {
        isOver = true;
      });
      for (let slot = 11; !isOver; slot += 1) {
        progress.snapshotCommitted({ ...snapshot, ...changes, slot });
        progress.historyRead(slot + 20);
        await new Promise((resolve) => setImmediate(resolve));
      }
      return end;
    },
  };
}

describe('the reconciliation', () => {
  it('waits until the history is read up to the slot of the accounts, then says that both agree', async () => {
    const { at, progress, run, committed } = world();
    progress.historyRead(5);
    at(10);
    const running = run();
    await new Promise((resolve) => setImmediate(resolve));
    expect(committed).toEqual([]);
    progress.historyRead(10);
    expect(await running).toEqual({ slot: 10, at: NOW, differences: [] });
    expect(committed).toEqual([{ slot: 10, at: NOW, differences: [] }]);
  });

  it.each([
    ['the history is not read', ({ at }: ReturnType<typeof world>) => at(10), /history is not read/],
    [
      'no snapshot is there',
      ({ progress }: ReturnType<typeof world>) => progress.historyRead(10),
      /no account is read/,
    ],
    [
      'the slot is not reached in time',
      ({ at, progress }: ReturnType<typeof world>) => {
        progress.historyRead(9);
        at(10);
      },
      /within 0.04 seconds/,
    ],
  ])('is no result and no agreement where %s, and says so once', async (_what, prepare, why) => {
    const world1 = world();
    prepare(world1);
    for (let time = 0; time < 2; time += 1) expect(await world1.run()).toBeNull();
    expect(world1.committed).toEqual([]);
    expect(world1.told).toEqual(['the accounts could not be compared with the history']);
    expect(world1.reasons).toEqual([expect.stringMatching(why)]);
  });

  it('says when it comes to a result again', async () => {
    const { at, progress, run, told } = world();
    at(10);
    await run();
    progress.historyRead(10);
    await run();
    expect(told.at(-1)).toBe('the accounts agree with the indexed history');
    at(11);
    for (let time = 0; time < 2; time += 1) await run();
    expect(told.slice(2)).toEqual(['the accounts could not be compared with the history']);
    progress.historyRead(11);
    await run();
    expect(told.at(-1)).toBe('the accounts agree with the indexed history');
  });

  it('tells a difference with its slot, alarms once while it stays the same, and says when it is over', async () => {
    const { state, runWhileFollowing, told, progress, committed } = world({ missing: 250n });
    progress.historyRead(1);
    progress.snapshotCommitted({ ...snapshot, slot: 10 });
    const { vaultBalance } = snapshot;
    const difference = { what: 'vault.balance', onChain: vaultBalance, indexed: vaultBalance - 250n };
    const result = await runWhileFollowing();
    expect(result?.differences).toEqual([difference]);
    expect(committed).toEqual([result]);
    await runWhileFollowing();
    const alarm = 'the accounts differ from the indexed history; nothing is corrected';
    expect(told).toEqual([alarm]);
    state.missing = 300n;
    await runWhileFollowing();
    expect(told).toEqual([alarm, alarm]);
    state.missing = 0n;
    expect(await runWhileFollowing()).toMatchObject({ differences: [] });
    expect(told.at(-1)).toBe('the accounts agree with the indexed history');
  });

  it('takes one odd reading for none: it may hold at the middle of a slot', async () => {
    const { at, progress, run, committed } = world();
    progress.historyRead(100);
    at(10, { vaultBalance: snapshot.vaultBalance - 1n });
    const running = run();
    await new Promise((resolve) => setImmediate(resolve));
    at(11);
    expect(await running).toEqual({ slot: 11, at: NOW, differences: [] });
    expect(committed).toHaveLength(1);
  });

  it('never agrees while a transaction up to the slot is unread, and blames no endpoint for it', async () => {
    const endpoints = { 'one.example': 0n, 'two.example': 5n };
    const { progress, at, runWhileFollowing, askedEndpoints } = world({ unread: [{ slot: 3 }], endpoints });
    progress.historyRead(1);
    at(10);
    const result = await runWhileFollowing();
    expect(result?.differences.map(({ what }) => what)).toEqual(['history.unread-transactions']);
    expect(askedEndpoints()).toBe(0);
  });

  it('leaves later unread transactions out of what it says of a slot', async () => {
    const { progress, at, run } = world({ unread: [{ slot: 11 }] });
    progress.historyRead(10);
    at(10);
    expect(await run()).toMatchObject({ slot: 10, differences: [] });
  });

  it('stops when told to', async () => {
    const { at, progress } = world();
    progress.historyRead(1);
    at(10);
    const controller = new AbortController();
    const waiting = progress.waitUntil(() => false, 60_000, controller.signal);
    controller.abort(new Error('stopping'));
    await expect(waiting).rejects.toThrow('stopping');
  });
});

describe('several endpoints', () => {
  const lie = { vaultBalance: 1n };

  async function judged(setup: World, changes: Partial<ChainSnapshot> = lie) {
    const one = world(setup);
    one.progress.historyRead(1);
    one.progress.snapshotCommitted({ ...snapshot, ...changes, slot: 10 });
    const result = await one.runWhileFollowing(changes);
    return { ...one, result };
  }

  it('are asked where accounts and history differ; the one that others disprove is put aside', async () => {
    const endpoints = { 'liar.example': 77n, 'honest.example': 0n };
    const { result, distrusted, told } = await judged({ endpoints });
    expect(distrusted).toEqual([['liar.example', 'contradicts the indexed history (vault.balance)']]);
    expect(result).toMatchObject({ slot: 20, differences: [] });
    expect(told[0]).toMatch(/contradicts the history that others confirm/);
  });

  it('are believed where all contradict the history: then it is the history that is wrong', async () => {
    const endpoints = { 'one.example': 0n, 'two.example': 0n };
    const { result, distrusted } = await judged({ endpoints, missing: 9n }, {});
    expect(distrusted).toEqual([]);
    expect(result?.differences.map(({ what }) => what)).toEqual(['vault.balance']);
  });

  it('are believed where most contradict the history', async () => {
    const endpoints = { 'one.example': 9n, 'two.example': 9n, 'three.example': 0n };
    const { result, distrusted } = await judged({ endpoints });
    expect(distrusted).toEqual([]);
    expect(result?.differences).not.toEqual([]);
  });

  it('say nothing where they do not answer', async () => {
    const endpoints = { 'one.example': null, 'two.example': null };
    const { result, distrusted } = await judged({ endpoints });
    expect(distrusted).toEqual([]);
    expect(result?.differences).not.toEqual([]);
  });
});
