import type { Logger } from '../../data/runtime/log.ts';
import type { ChainSnapshot, IndexIdentity } from '../../data/store/chain-rows.ts';
import type { HolderCount, IndexWriter } from '../../data/store/ports.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../chain/addresses.ts';
import {
  decodeOwnerAndAmount,
  OWNER_AND_AMOUNT,
  TOKEN_ACCOUNT_MINT_OFFSET,
  TOKEN_ACCOUNT_SIZE,
} from '../chain/token-layout.ts';
import type { Progress } from '../reconcile/progress.ts';
import { type EndpointPool, resultOf } from '../rpc/endpoint-pool.ts';
import { RetryableRpcError, RpcRequestError } from '../rpc/rpc-errors.ts';
import { getMultipleAccounts, getProgramAccounts } from '../rpc/solana-calls.ts';
import { countWallets, type Holding, HoldingsError } from './count-wallets.ts';

export interface HolderCounterOptions {
  readonly pool: Pick<EndpointPool, 'batch' | 'askBeside'>;
  readonly writer: Pick<IndexWriter, 'commitHolders'>;
  readonly identity: IndexIdentity;
  readonly progress: Progress;
  readonly log: Logger;
  /** Unix ms. */
  readonly now?: () => number;
  /** Milliseconds for an endpoint to list the token accounts. */
  readonly answerWithinMs?: number;
  /** Milliseconds to wait for a snapshot of the slot that they were listed at. */
  readonly patienceMs?: number;
}

export interface HolderCounter {
  /**
   * Counts the wallets that hold BD at one slot and commits the count. Where that cannot be done the last count stays, and
   * the log is told of it once while it stays so.
   * @returns the count, or null where there is none
   * @throws the signal's reason where it aborts
   */
  count(signal: AbortSignal): Promise<HolderCount | null>;
}

const ANSWER_WITHIN_MS = 60_000;
/** Snapshots are committed every few seconds at least while the chain goes on. */
const PATIENCE_MS = 30_000;
/** Tries to list the accounts while no stake begins or ends. */
const TRIES = 3;

/**
 * The stakers at the slot of the listing come from the snapshots before and after it: where both have the same, these are
 * the stakers of every slot between them.
 */
export function createHolderCounter({
  pool,
  writer,
  identity,
  progress,
  log,
  now = Date.now,
  answerWithinMs = ANSWER_WITHIN_MS,
  patienceMs = PATIENCE_MS,
}: HolderCounterOptions): HolderCounter {
  let program: string | null = null;
  let isFailing = false;

  const listAccounts = async (signal: AbortSignal) => {
    program ??= await tokenProgram(pool, identity, signal);
    const [reply] = await pool.askBeside([tokenAccounts(program, identity.mint)], signal, answerWithinMs);
    const { slot, value } = resultOf(reply);
    return { slot, readAt: now(), holdings: value.map(holdingOf), isPartWithheld: program !== TOKEN_PROGRAM };
  };

  const readCount = async (signal: AbortSignal): Promise<HolderCount | null> => {
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const before = progress.newestSnapshot();
      if (before === null) return null;
      const { slot, readAt, ...listed } = await listAccounts(signal);
      const isReached = () => (progress.newestSnapshot()?.slot ?? 0) >= slot;
      if (slot < before.slot || !(await progress.waitUntil(isReached, patienceMs, signal))) continue;
      const after = progress.newestSnapshot();
      if (after === null || !isSameState(before, after)) continue;
      const { vault, poolVault } = identity;
      const { supply } = after;
      const wallets = countWallets({ ...listed, vault, poolVault, supply, stakers: stakersOf(after) });
      return { slot, wallets, readAt };
    }
    throw new HoldingsError(
      `No listing of the token accounts fell between two equal snapshots in ${TRIES} tries.`,
    );
  };

  return {
    async count(signal) {
      try {
        const holders = await readCount(signal);
        if (holders === null) return null;
        await writer.commitHolders(holders);
        if (isFailing) log.info({ ...holders }, 'the wallets that hold BD are counted again');
        isFailing = false;
        return holders;
      } catch (error) {
        const isSilent =
          error instanceof RetryableRpcError ||
          error instanceof RpcRequestError ||
          error instanceof HoldingsError;
        if (!isSilent) throw error;
        if (!isFailing) log.warn({ reason: error.message }, 'the wallets that hold BD cannot be counted');
        isFailing = true;
        return null;
      }
    },
  };
}

/** The program that keeps the mint's token accounts. @throws {HoldingsError} where it is neither of the two that are known */
async function tokenProgram(
  pool: Pick<EndpointPool, 'batch'>,
  { mint }: IndexIdentity,
  signal: AbortSignal,
): Promise<string> {
  const [reply] = await pool.batch([getMultipleAccounts([mint])], signal);
  const owner = resultOf(reply).value[0]?.owner;
  if (owner === TOKEN_PROGRAM || owner === TOKEN_2022_PROGRAM) return owner;
  throw new HoldingsError('The mint belongs to no token program that is known.');
}

/** Nodes that keep an index by mint use it where SPL Token's accounts are asked for by size; Token-2022's have many sizes. */
function tokenAccounts(program: string, mint: string) {
  return getProgramAccounts(program, {
    ...(program === TOKEN_PROGRAM && { dataSize: TOKEN_ACCOUNT_SIZE }),
    memcmp: [{ offset: TOKEN_ACCOUNT_MINT_OFFSET, bytes: mint }],
    dataSlice: OWNER_AND_AMOUNT,
  });
}

function holdingOf({ address, data }: { readonly address: string; readonly data: Uint8Array }): Holding {
  const held = decodeOwnerAndAmount(data);
  if (!held) throw new HoldingsError('A token account was told in another length than asked for.');
  return { address, ...held };
}

function stakersOf({ entries }: ChainSnapshot): ReadonlySet<string> {
  return new Set(entries.filter(({ closedAt }) => closedAt === null).map(({ wallet }) => wallet));
}

function isSameState(one: ChainSnapshot, other: ChainSnapshot): boolean {
  const [stakers, others] = [stakersOf(one), stakersOf(other)];
  const isSameStakers = stakers.size === others.size && [...stakers].every((wallet) => others.has(wallet));
  return isSameStakers && one.supply === other.supply;
}
