import bs58 from 'bs58';
import type { PublicOrigins } from '../../data/config/api-origin.ts';
import type { ResponseOf } from '../../data/contract/call.ts';
import {
  availableForStake,
  buildStake,
  buildUnstake,
  stakeProgress,
  submitStake,
} from '../../data/contract/stake-order.ts';
import { fromDecimalText, toDecimalText } from '../../data/model/amounts.ts';
import { LOCK_DAYS } from '../../data/model/staking-terms.ts';
import { type ApiRoute, callRoute } from '../call-router.ts';
import type { ChainReads, QueriedEndpoint } from '../chain/chain-reads.ts';
import { ApiError, isApiError } from '../errors.ts';
import {
  chainProvenance,
  chainSnapshot,
  type FigureInputs,
  type IdentifiedChainSnapshot,
} from '../metrics/figure.ts';
import { readBody, readQuery } from '../request-input.ts';
import { addressBytes, checkAddress } from '../wallet-address.ts';
import {
  assertNotBehind,
  type BuildOptions,
  type BuiltOrder,
  buildStakeOrder,
  buildUnstakeOrder,
  readAvailableBalance,
  readTokenProgram,
} from './build-stake.ts';
import type { ComputeUnitPriceEstimator } from './priority-fee.ts';
import { refusalError } from './refusals.ts';
import { checkSignedStake } from './signed-stake.ts';
import { stakeActionRoutes } from './stake-action.ts';
import { isWithdrawal, StakeInstructions, type StakePoolAccounts } from './stake-instructions.ts';

const MAX_U64 = 0xffff_ffff_ffff_ffffn;
const LOCK_MS = LOCK_DAYS * 86_400_000;

/** @throws {ApiError} `invalid-body` */
function parseAmount(text: string, decimals: number): bigint {
  let amount: bigint;
  try {
    amount = fromDecimalText(text, decimals);
  } catch (cause) {
    throw new ApiError('invalid-body', {
      text: `Enter an amount with at most ${decimals} decimal places.`,
      cause,
    });
  }
  if (amount === 0n) throw new ApiError('invalid-body', { text: 'Enter an amount above 0.' });
  if (amount > MAX_U64)
    throw new ApiError('invalid-body', { text: 'This is more BD than exists. Enter a smaller amount.' });
  return amount;
}

const orderBody = (wallet: string, built: BuiltOrder) => ({
  transaction: Buffer.from(built.transaction.serialize()).toString('base64'),
  walletAddress: wallet,
  fee: String(built.fee),
  priorityFee: String(built.priorityFee),
  rent: String(built.rent),
  lastValidBlockHeight: built.lastValidBlockHeight,
  simulation: { unitsConsumed: built.unitsConsumed },
});

interface StakeContext extends PublicOrigins {
  readonly stakeReads: ChainReads;
  readonly estimateComputeUnitPrice: ComputeUnitPriceEstimator | null;
  readonly figureInputs: () => FigureInputs;
  readonly now: () => number;
}

/** Builds stakes and withdrawals for wallets to sign, sends them and reports their progress. Stores nothing. */
function createStakeOrders({ stakeReads, estimateComputeUnitPrice, figureInputs, now }: StakeContext) {
  /** The token program of each mint. It never changes. */
  const tokenPrograms = new Map<string, string>();
  const health = () => figureInputs().index.endpoints;

  function requireSnapshot(): IdentifiedChainSnapshot {
    const snapshot = chainSnapshot(figureInputs());
    if (!snapshot) throw new ApiError('not-indexed-yet');
    return snapshot;
  }

  async function readPool(
    endpoint: QueriedEndpoint,
    { mint, stakePool }: IdentifiedChainSnapshot['identity'],
  ): Promise<StakePoolAccounts> {
    const tokenProgram = tokenPrograms.get(mint) ?? (await readTokenProgram(endpoint, mint));
    tokenPrograms.set(mint, tokenProgram);
    return { mint, stakePool, tokenProgram };
  }

  /** @throws {ApiError} `chain-unreadable` */
  async function availableBody(wallet: string): Promise<ResponseOf<typeof availableForStake>> {
    const { identity, chain, source } = requireSnapshot();
    const read = await stakeReads.read({ minSlot: chain.slot, health: health() }, async (endpoint) =>
      readAvailableBalance(endpoint, await readPool(endpoint, identity), wallet, chain.slot),
    );
    return {
      walletAddress: wallet,
      available: toDecimalText(read.available, identity.decimals),
      ...chainProvenance(source, { slot: read.slot, readAt: now() }, now()),
    };
  }

  /** Builds a transaction on the first endpoint that has reached the indexed slot. */
  async function buildOnChain<Built extends BuiltOrder>(
    build: (
      endpoint: QueriedEndpoint,
      pool: StakePoolAccounts,
      options: BuildOptions,
    ) => Promise<Built | ApiError>,
  ): Promise<Built> {
    const { identity, chain } = requireSnapshot();
    const options = { estimateComputeUnitPrice, minSlot: chain.slot };
    const built = await stakeReads.firstResult(health(), async (endpoint) =>
      build(endpoint, await readPool(endpoint, identity), options),
    );
    if (built instanceof ApiError) throw built;
    return built;
  }

  /**
   * @param amountText BD as decimal text
   * @throws {ApiError} if the stake would fail; `chain-unreadable` if it cannot be simulated
   */
  async function buildStakeBody(wallet: string, amountText: string): Promise<ResponseOf<typeof buildStake>> {
    const { decimals } = requireSnapshot().identity;
    const amount = parseAmount(amountText, decimals);
    const built = await buildOnChain((endpoint, pool, options) =>
      buildStakeOrder(endpoint, pool, { wallet, amount, decimals }, options),
    );
    return {
      ...orderBody(wallet, built),
      amount: toDecimalText(amount, decimals),
      lockDays: LOCK_DAYS,
      unlockDate: new Date(now() + LOCK_MS).toISOString(),
    };
  }

  /**
   * @param entry the address of the stake entry
   * @throws {ApiError} if the withdrawal would fail; `chain-unreadable` if it cannot be simulated
   */
  async function buildUnstakeBody(wallet: string, entry: string): Promise<ResponseOf<typeof buildUnstake>> {
    const { decimals } = requireSnapshot().identity;
    const built = await buildOnChain((endpoint, pool, options) =>
      buildUnstakeOrder(endpoint, pool, { wallet, entry }, options),
    );
    return { ...orderBody(wallet, built), entry, amount: toDecimalText(built.amount, decimals) };
  }

  /**
   * A retry is safe, because the chain executes a transaction only once.
   * @throws {ApiError} if the transaction was not sent; `stake-not-surely-sent` if it may have been sent
   */
  async function submit(bytes: Uint8Array): Promise<ResponseOf<typeof submitStake>> {
    const { identity, chain } = requireSnapshot();
    let mayBeSent = false;
    let expiryError: ApiError | null = null;

    async function send(endpoint: QueriedEndpoint): Promise<string> {
      const { connection, web3 } = endpoint;
      const stakeInstructions = new StakeInstructions(web3, await readPool(endpoint, identity));
      // A transaction's id is its first signature.
      const signature = bs58.encode(await checkSignedStake(web3, bytes, stakeInstructions));
      // Simulated first, because a failed send reports its reason only as text.
      const transaction = web3.VersionedTransaction.deserialize(bytes);
      const options = { sigVerify: false, replaceRecentBlockhash: false };
      const { context, value: simulated } = await connection.simulateTransaction(transaction, options);
      if (simulated.err === 'AlreadyProcessed') return signature;
      if (simulated.err !== null) {
        assertNotBehind(context.slot, chain.slot);
        const refusal = refusalError({
          err: simulated.err,
          logs: simulated.logs ?? [],
          isWithdrawal: isWithdrawal(transaction.message),
        });
        if (refusal.code !== 'stake-too-old') throw refusal;
        // The blockhash may be too new for this endpoint rather than expired, so the other endpoints are tried first.
        expiryError = refusal;
        throw new RangeError('An endpoint does not know the blockhash.');
      }
      mayBeSent = true;
      await connection.sendRawTransaction(bytes, { skipPreflight: true });
      return signature;
    }

    try {
      const outcome = await stakeReads.firstResult(health(), (endpoint) =>
        send(endpoint).catch((error) => {
          // A rejection is a result too, so no other endpoint is tried.
          if (error instanceof ApiError) return error;
          throw error;
        }),
      );
      if (outcome instanceof ApiError) throw outcome;
      return { signature: outcome };
    } catch (error) {
      // An endpoint that lags may refuse a transaction that another endpoint has already sent.
      if (error instanceof ApiError && mayBeSent)
        throw new ApiError('stake-not-surely-sent', { cause: error });
      throw isApiError(error, 'chain-unreadable') ? (expiryError ?? error) : error;
    }
  }

  /** @throws {ApiError} `chain-unreadable` */
  async function readProgress(
    signature: string,
    lastValidBlockHeight: number,
  ): Promise<ResponseOf<typeof stakeProgress>> {
    return stakeReads.firstResult(health(), async ({ connection }) => {
      // The height is read first, so that a transaction in its last valid block is found before it counts as expired.
      const height = await connection.getBlockHeight();
      const { value } = await connection.getSignatureStatuses([signature], {
        searchTransactionHistory: true,
      });
      const [status] = value;
      if (!status) {
        return { state: height > lastValidBlockHeight ? 'expired' : 'pending', slot: null, error: null };
      }
      if (status.err !== null) {
        const failed = await connection.getTransaction(signature, {
          commitment: 'confirmed',
          maxSupportedTransactionVersion: 1,
        });
        const { message: error } = refusalError({
          err: status.err,
          logs: failed?.meta?.logMessages ?? [],
          isWithdrawal: failed !== null && isWithdrawal(failed.transaction.message),
        });
        return { state: 'failed', slot: status.slot, error };
      }
      const reached = status.confirmationStatus;
      const state = reached === 'finalized' || reached === 'confirmed' ? reached : 'pending';
      return { state, slot: status.slot, error: null };
    });
  }

  return {
    available: availableBody,
    build: buildStakeBody,
    unstake: buildUnstakeBody,
    submit,
    progress: readProgress,
  };
}

/** The routes need no session, because only the wallet's signature moves tokens. */
export function orderRoutes(context: StakeContext): readonly ApiRoute[] {
  const orders = createStakeOrders(context);
  return [
    callRoute(availableForStake, { limit: 'stake-balances' }, async (request, response) => {
      const { walletAddress } = readQuery(availableForStake.query, request.query);
      checkAddress(walletAddress);
      response.json(await orders.available(walletAddress));
    }),
    callRoute(buildStake, { limit: 'stakes-built' }, async (request, response) => {
      const { walletAddress, amount } = readBody(buildStake.body, request.body);
      addressBytes(walletAddress);
      response.json(await orders.build(walletAddress, amount));
    }),
    callRoute(buildUnstake, { limit: 'stakes-built' }, async (request, response) => {
      const { walletAddress, entry } = readBody(buildUnstake.body, request.body);
      for (const address of [walletAddress, entry]) addressBytes(address);
      response.json(await orders.unstake(walletAddress, entry));
    }),
    callRoute(submitStake, { limit: 'stakes-sent' }, async (request, response) => {
      const { transaction } = readBody(submitStake.body, request.body);
      response.json(await orders.submit(Buffer.from(transaction, 'base64')));
    }),
    callRoute(stakeProgress, { limit: 'stake-progress' }, async (request, response) => {
      const { signature, lastValidBlockHeight } = readQuery(stakeProgress.query, request.query);
      response.json(await orders.progress(signature, Number(lastValidBlockHeight)));
    }),
    ...stakeActionRoutes({ ...context, build: orders.build }),
  ];
}
