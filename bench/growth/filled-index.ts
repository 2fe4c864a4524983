import { join } from 'node:path';
import type { ChainEvent, ChainSnapshot, Cursor, IndexIdentity } from '../../data/store/chain-rows.ts';
import { openIndexWriter } from '../../data/store/open-stores.ts';
import type { EventBatch, IndexWriter } from '../../data/store/ports.ts';

/** A filled, closed index on disk. Its stakers, open stakes and time span do not depend on the number of events. */
export interface FilledIndexFile {
  readonly file: string;
  readonly events: number;
  readonly identity: IndexIdentity;
  readonly newestSlot: number;
}

export interface Growth {
  /** Commits one more deposit and one more stake with their snapshot. */
  commitNext(): Promise<void>;
  /** The vault balance (base units) after the next `commitNext`. */
  vaultBalanceAfterNext(): bigint;
}

export interface OpenFilledIndex extends Growth {
  readonly file: string;
  readonly writer: IndexWriter;
  close(): Promise<void>;
}

/** The number of wallets, each with one open stake. */
const STAKER_COUNT = 100;
/** The vault and the pool's vault. Each has half of the events. */
const ACCOUNT_COUNT = 2;
const SPAN_MS = 15 * 86_400_000;
const AMOUNT = 1_500_000_000_000n;
const BATCH_SIZE = 5_000;

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** A string that looks like a signature or an address, different for each number and evenly distributed. */
function base58Like(kind: string, number: number, length: number): string {
  let state = 2_166_136_261;
  for (const character of `${kind} ${number}`) {
    state = Math.imul(state ^ character.charCodeAt(0), 16_777_619);
  }
  let text = '';
  while (text.length < length) {
    state = Math.imul(state ^ (state >>> 15), 2_246_822_507) + text.length;
    text += BASE58.charAt((state >>> 7) % BASE58.length);
  }
  return text;
}

export const walletOf = (number: number): string => base58Like('wallet', number % STAKER_COUNT, 44);
const entryOf = (number: number): string => base58Like('entry', number, 44);

interface Span {
  readonly eventsPerAccount: number;
  readonly startsAt: number;
  readonly newestSlot: number;
}

/** An account's event, numbered from 0. All stakes except the last `STAKER_COUNT` end right after they begin. */
function eventOf(account: string, isPool: boolean, number: number, span: Span): ChainEvent {
  const endedCount = span.eventsPerAccount - STAKER_COUNT;
  const isUnstake = isPool && number < endedCount && number % 2 === 1;
  const entryNumber = number < endedCount ? Math.floor(number / 2) : number;
  const kind = isPool ? (isUnstake ? 'unstake' : 'stake') : 'deposit';
  const seconds = Math.floor((SPAN_MS * number) / span.eventsPerAccount / 1_000);
  return {
    signature: base58Like(account, number, 88),
    account,
    slot: span.newestSlot - span.eventsPerAccount + number,
    position: 0,
    part: 0,
    blockTime: span.startsAt + seconds * 1_000,
    kind,
    wallet: walletOf(entryNumber),
    delta: isUnstake ? -AMOUNT : AMOUNT,
    stakeEntry: isPool ? entryOf(entryNumber) : null,
    status: 'finalized',
  };
}

function accountsOf({ vault, poolVault }: IndexIdentity) {
  return [
    { account: vault, isPool: false },
    { account: poolVault, isPool: true },
  ];
}

function snapshotOf(slot: number, vaultEvents: bigint, growthSteps: bigint): ChainSnapshot {
  const staked = AMOUNT * (BigInt(STAKER_COUNT) + growthSteps);
  const readAt = Date.now();
  return {
    slot,
    readAt,
    clockDifference: 0,
    vaultBalance: AMOUNT * (vaultEvents + growthSteps),
    vaultLamports: 2_039_280n,
    vaultProblem: null,
    totalStaked: staked,
    poolVaultBalance: staked,
    supply: AMOUNT * 1_000_000_000n,
    unreadEntries: 0,
    stakesProblem: null,
    entries: Array.from({ length: STAKER_COUNT }, (_, number) => ({
      address: base58Like('open entry', number, 44),
      wallet: walletOf(number),
      nonce: 0,
      amount: AMOUNT,
      effectiveAmount: AMOUNT,
      createdAt: readAt - SPAN_MS,
      unlocksAt: readAt + SPAN_MS,
      closedAt: null,
    })),
  };
}

interface FillingOptions {
  /** At least 1000. */
  readonly events: number;
  readonly identity: IndexIdentity;
  readonly newestSlot: number;
  /** @returns the signature of an account's last transaction, which becomes the account's cursor */
  readonly lastSignatureOf: (account: string) => string;
}

/** Generates the batches of events, oldest first, each with the share that is completed after it (0 to 1). */
export function* fillingBatches({
  events,
  identity,
  newestSlot,
  lastSignatureOf,
}: FillingOptions): Generator<{ readonly batch: EventBatch; readonly share: number }> {
  const eventsPerAccount = events / ACCOUNT_COUNT;
  const span: Span = { eventsPerAccount, startsAt: Date.now() - SPAN_MS, newestSlot };
  const batchOf = (account: string, chunk: readonly ChainEvent[], isLast: boolean): EventBatch => {
    const slot = isLast ? newestSlot : (chunk.at(-1)?.slot ?? newestSlot);
    const signature = isLast
      ? lastSignatureOf(account)
      : (chunk.at(-1)?.signature ?? lastSignatureOf(account));
    const cursor: Cursor = { account, signature, slot };
    return { account, events: chunk, cursor, caughtUpAt: isLast ? Date.now() : null };
  };
  for (let begin = 0; begin < eventsPerAccount; begin += BATCH_SIZE) {
    const end = Math.min(begin + BATCH_SIZE, eventsPerAccount);
    for (const { account, isPool } of accountsOf(identity)) {
      const chunk = Array.from({ length: end - begin }, (_, index) =>
        eventOf(account, isPool, begin + index, span),
      );
      yield { batch: batchOf(account, chunk, end === eventsPerAccount), share: end / eventsPerAccount };
    }
  }
}

/** Commits what follows the batches: the snapshot, a quote, and the history for the charts. */
export async function finishFilling(
  writer: IndexWriter,
  { events, newestSlot }: FillingOptions,
): Promise<void> {
  await writer.commitSnapshot(snapshotOf(newestSlot, BigInt(events / ACCOUNT_COUNT), 0n));
  await writer.commitQuote({
    priceUsd: '0.000114',
    priceChange24h: null,
    volume24h: null,
    liquidity: null,
    source: 'demo',
    readAt: Date.now(),
  });
  if (!(await writer.fillHistory())) throw new Error('The history of the index could not be filled.');
}

/** Fills an index through the store's writer. @param options.report receives the completed share, 0 to 1 */
export async function fillIndex(
  options: FillingOptions & { readonly folder: string; readonly report: (share: number) => void },
): Promise<FilledIndexFile> {
  const { folder, events, identity, newestSlot, report } = options;
  const file = join(folder, 'index.db');
  const writer = await openIndexWriter(file);
  await writer.claim(identity);
  for (const { batch, share } of fillingBatches(options)) {
    await writer.commitEvents(batch);
    report(share);
  }
  await finishFilling(writer, options);
  await writer.close();
  return { file, events, identity, newestSlot };
}

export async function openFilledIndex({ file, ...filled }: FilledIndexFile): Promise<OpenFilledIndex> {
  const writer = await openIndexWriter(file);
  return { file, writer, ...growthOf(writer, filled), close: () => writer.close() };
}

export function growthOf(
  writer: IndexWriter,
  { events, identity, newestSlot }: Omit<FilledIndexFile, 'file'>,
): Growth {
  const eventsPerAccount = events / ACCOUNT_COUNT;
  const span: Span = { eventsPerAccount, startsAt: Date.now() - SPAN_MS, newestSlot };
  let growthSteps = 0;
  const commitNext = async (): Promise<void> => {
    growthSteps += 1;
    const slot = newestSlot + growthSteps;
    for (const { account, isPool } of accountsOf(identity)) {
      const event: ChainEvent = {
        ...eventOf(account, isPool, eventsPerAccount + growthSteps, span),
        slot,
        blockTime: Date.now(),
      };
      const cursor = { account, signature: event.signature, slot, position: event.position };
      await writer.commitEvents({ account, events: [event], cursor, caughtUpAt: Date.now() });
    }
    await writer.commitSnapshot(snapshotOf(slot, BigInt(eventsPerAccount), BigInt(growthSteps)));
  };
  return { commitNext, vaultBalanceAfterNext: () => AMOUNT * BigInt(eventsPerAccount + growthSteps + 1) };
}
