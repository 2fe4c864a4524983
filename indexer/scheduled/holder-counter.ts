import type { Logger } from '../../data/runtime/log.ts';
import type { ChainSnapshot, IndexIdentity } from '../../data/store/chain-rows.ts';
import type { HolderCount, IndexWriter } from '../../data/store/ports.ts';
import {
  decodeOwnerAndAmount,
  OWNER_AND_AMOUNT,
  TOKEN_2022_PROGRAM,
  TOKEN_ACCOUNT_MINT_OFFSET,
  TOKEN_ACCOUNT_SIZE,
  TOKEN_PROGRAM,
} from '../chain/accounts.ts';
import { type EndpointPool, resultOf } from '../rpc/endpoint-pool.ts';
import { RetryableRpcError, RpcRequestError } from '../rpc/rpc-errors.ts';
import { multipleAccountsCall, programAccountsCall } from '../rpc/solana-calls.ts';
import type { LoopProgress } from './loop-progress.ts';

export interface Holding {
  readonly address: string;
  readonly owner: string;
  /** Base units. */
  readonly amount: bigint;
}

interface HoldingsAtSlot {
  readonly holdings: readonly Holding[];
  /** `vault` and `poolVault` are the token accounts of the vault and the stake pool. Their owners do not count as holders. */
  readonly vault: string;
  readonly poolVault: string;
  /** Base units. */
  readonly supply: bigint;
  /** True for Token-2022, which stores withheld fees separately. The accounts may then add up to less than the supply. */
  readonly isPartWithheld: boolean;
  /** Wallets with an open stake. Their tokens are in the stake pool's account. */
  readonly stakers: Iterable<string>;
}

/** The wallets cannot be counted reliably, for example because the list of token accounts is incomplete. */
export class HoldingsError extends Error {
  override readonly name = 'HoldingsError';
}

/**
 * Counts the wallets that hold BD: the owners of non-empty token accounts and the stakers, each once. The owners of the vault and
 * of the stake pool's account do not count as holders.
 * @throws {HoldingsError} if the list cannot be correct, because a missing count is better than a wrong one
 */
export function countWallets(listed: HoldingsAtSlot): number {
  const { holdings, vault, poolVault, supply, isPartWithheld, stakers } = listed;
  const owners = [vault, poolVault].map((address) => {
    const account = holdings.find((holding) => holding.address === address);
    if (!account)
      throw new HoldingsError("The vault or the pool's vault is missing from the token accounts.");
    return account.owner;
  });
  const total = holdings.reduce((sum, { amount }) => sum + amount, 0n);
  if (total > supply || (total < supply && !isPartWithheld)) {
    throw new HoldingsError('The listed token accounts do not add up to the supply of the mint.');
  }
  const wallets = new Set(holdings.filter(({ amount }) => amount > 0n).map(({ owner }) => owner));
  for (const owner of owners) wallets.delete(owner);
  for (const staker of stakers) wallets.add(staker);
  return wallets.size;
}

interface HolderCounterOptions {
  readonly pool: Pick<EndpointPool, 'batch' | 'requestWithoutPenalty'>;
  readonly writer: Pick<IndexWriter, 'commitHolders'>;
  readonly identity: IndexIdentity;
  readonly progress: LoopProgress;
  readonly log: Logger;
  /** Unix ms. */
  readonly now?: () => number;
}

/** How long an endpoint may take to list the token accounts (ms). */
const ANSWER_WITHIN_MS = 60_000;
/** Milliseconds to wait for a snapshot. While the chain advances, one is committed at least every few seconds. */
const SNAPSHOT_WAIT_MS = 30_000;
/** The maximum number of listings in one run. A listing is repeated if the stakers or the supply change during it. */
const ATTEMPTS = 3;

/**
 * Creates a counter of the wallets that hold BD, including stakers. A listing of accounts does not include the stakers, so they
 * come from snapshots. A listing is used only if the snapshots before and after it have the same stakers and the same supply.
 */
export function createHolderCounter({
  pool,
  writer,
  identity,
  progress,
  log,
  now = Date.now,
}: HolderCounterOptions) {
  const { mint, vault, poolVault } = identity;
  let program: string | null = null;
  let isFailing = false;

  const listAccounts = async (signal: AbortSignal) => {
    program ??= await readTokenProgram(pool, mint, signal);
    const calls = [tokenAccountsCall(program, mint)] as const;
    const [reply] = await pool.requestWithoutPenalty(calls, signal, ANSWER_WITHIN_MS);
    const { slot, value } = resultOf(reply);
    return { slot, readAt: now(), holdings: value.map(holdingOf), isPartWithheld: program !== TOKEN_PROGRAM };
  };

  const readCount = async (signal: AbortSignal): Promise<HolderCount | null> => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const before = progress.newestSnapshot();
      if (before === null) return null;
      const { slot, readAt, ...listed } = await listAccounts(signal);
      const isReached = () => (progress.newestSnapshot()?.slot ?? 0) >= slot;
      if (slot < before.slot || !(await progress.waitUntil(isReached, SNAPSHOT_WAIT_MS, signal))) continue;
      const after = progress.newestSnapshot();
      if (after === null || !hasSameState(before, after)) continue;
      const { supply } = after;
      const wallets = countWallets({ ...listed, vault, poolVault, supply, stakers: stakersOf(after) });
      return { slot, wallets, readAt };
    }
    throw new HoldingsError(
      `None of ${ATTEMPTS} listings was made between two snapshots with equal stakers and supply.`,
    );
  };

  return {
    /**
     * Counts the wallets at one slot and commits the count. If this fails, the previous count stays, and a warning is logged
     * once.
     * @returns null if nothing was counted
     * @throws the signal's reason if it aborts
     */
    async count(signal: AbortSignal): Promise<HolderCount | null> {
      try {
        const holders = await readCount(signal);
        if (holders === null) return null;
        await writer.commitHolders(holders);
        if (isFailing) log.info({ ...holders }, 'counting the wallets that hold BD works again');
        isFailing = false;
        return holders;
      } catch (error) {
        const isExpected =
          error instanceof RetryableRpcError ||
          error instanceof RpcRequestError ||
          error instanceof HoldingsError;
        if (!isExpected) throw error;
        if (!isFailing) log.warn({ reason: error.message }, 'the wallets that hold BD cannot be counted');
        isFailing = true;
        return null;
      }
    },
  };
}

/** The token program that owns the mint. @throws {HoldingsError} if the owner is neither SPL Token nor Token-2022 */
async function readTokenProgram(
  pool: Pick<EndpointPool, 'batch'>,
  mint: string,
  signal: AbortSignal,
): Promise<string> {
  const [reply] = await pool.batch([multipleAccountsCall([mint])], signal);
  const owner = resultOf(reply).value[0]?.owner;
  if (owner === TOKEN_PROGRAM || owner === TOKEN_2022_PROGRAM) return owner;
  throw new HoldingsError('The mint belongs to no known token program.');
}

/**
 * For SPL Token, a node uses its index by mint only if the request specifies the account size. Token-2022 accounts vary in size.
 */
function tokenAccountsCall(program: string, mint: string) {
  return programAccountsCall(program, {
    ...(program === TOKEN_PROGRAM && { dataSize: TOKEN_ACCOUNT_SIZE }),
    memcmp: [{ offset: TOKEN_ACCOUNT_MINT_OFFSET, bytes: mint }],
    dataSlice: OWNER_AND_AMOUNT,
  });
}

function holdingOf({ address, data }: { readonly address: string; readonly data: Uint8Array }): Holding {
  const decoded = decodeOwnerAndAmount(data);
  if (!decoded) throw new HoldingsError("A token account's data does not have the requested length.");
  return { address, ...decoded };
}

function stakersOf({ entries }: ChainSnapshot): ReadonlySet<string> {
  return new Set(entries.filter(({ closedAt }) => closedAt === null).map(({ wallet }) => wallet));
}

function hasSameState(one: ChainSnapshot, other: ChainSnapshot): boolean {
  const [stakers, others] = [stakersOf(one), stakersOf(other)];
  const hasSameStakers = stakers.size === others.size && [...stakers].every((wallet) => others.has(wallet));
  return hasSameStakers && one.supply === other.supply;
}
