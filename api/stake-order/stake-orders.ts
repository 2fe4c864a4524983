import bs58 from 'bs58';
import type { ResponseOf } from '../../data/contract/call.ts';
import { buildStake, stakeProgress, submitStake } from '../../data/contract/stake-order.ts';
import { fromDecimalText, toDecimalText } from '../../data/model/amounts.ts';
import { LOCK_DAYS } from '../../data/model/staking-terms.ts';
import type { ChainReads, QueriedEndpoint } from '../chain/chain-reads.ts';
import { ApiError, isApiError } from '../errors.ts';
import type { ApiRoute } from '../known-calls.ts';
import { chainOf, type FigureInputs, type KnownChain } from '../metrics/figure.ts';
import { readBody, readQuery } from '../request-input.ts';
import { addressBytes } from '../wallet-address.ts';
import { type BuiltStake, buildOnChain, tokenProgramOf } from './build-stake.ts';
import type { UnitPrice } from './priority-fee.ts';
import { refusalError } from './refusals.ts';
import { checkSignedStake } from './signed-stake.ts';
import { type StakedPool, StakeInstructions } from './stake-instructions.ts';

type Built = ResponseOf<typeof buildStake>;
type Progress = ResponseOf<typeof stakeProgress>;

const MAX_U64 = 0xffff_ffff_ffff_ffffn;
const LOCK_MS = LOCK_DAYS * 86_400_000;

/** @throws {ApiError} `invalid-body` */
function baseUnits(text: string, decimals: number): bigint {
  let amount: bigint;
  try {
    amount = fromDecimalText(text, decimals);
  } catch (error) {
    throw new ApiError('invalid-body', {
      text: `Enter the amount with at most ${decimals} decimals.`,
      cause: error,
    });
  }
  if (amount === 0n) throw new ApiError('invalid-body', { text: 'Enter an amount above 0.' });
  if (amount > MAX_U64)
    throw new ApiError('invalid-body', { text: 'This is more BD than exists. Enter a smaller amount.' });
  return amount;
}

/** The id of a transaction: its first signature in base58. */
const idOf = (signature: Uint8Array) => bs58.encode(signature);

interface StakeContext {
  readonly stakeReads: ChainReads;
  readonly unitPrice: UnitPrice | null;
  readonly facts: () => FigureInputs;
  readonly now: () => number;
}

/** Builds stakes for wallets to sign, sends them and reports their state. Nothing is stored. */
class StakeOrders {
  readonly #reads: ChainReads;
  readonly #unitPrice: UnitPrice | null;
  readonly #facts: () => FigureInputs;
  readonly #now: () => number;
  /** By mint. A mint never changes its token program. */
  readonly #tokenPrograms = new Map<string, string>();

  constructor({ stakeReads, unitPrice, facts, now }: StakeContext) {
    this.#reads = stakeReads;
    this.#unitPrice = unitPrice;
    this.#facts = facts;
    this.#now = now;
  }

  #known(): KnownChain {
    const known = chainOf(this.#facts());
    if (!known) throw new ApiError('not-indexed-yet');
    return known;
  }

  async #pool(endpoint: QueriedEndpoint, { mint, stakePool }: KnownChain['identity']): Promise<StakedPool> {
    const tokenProgram = this.#tokenPrograms.get(mint) ?? (await tokenProgramOf(endpoint, mint));
    this.#tokenPrograms.set(mint, tokenProgram);
    return { mint, stakePool, tokenProgram };
  }

  /**
   * Builds the unsigned stake of a wallet and simulates it.
   * @param amountText BD as decimal text
   * @throws {ApiError} when it would fail; `chain-unreadable` when it cannot be simulated
   */
  async build(wallet: string, amountText: string): Promise<Built> {
    const { identity, chain } = this.#known();
    const { decimals } = identity;
    const amount = baseUnits(amountText, decimals);
    const { health } = this.#terms();
    const built: BuiltStake | ApiError = await this.#reads.first(health, async (endpoint) => {
      const pool = await this.#pool(endpoint, identity);
      const answer = await buildOnChain(endpoint, pool, { wallet, amount, decimals }, this.#unitPrice);
      if (!(answer instanceof ApiError) && answer.slot < chain.slot) {
        throw new RangeError('An endpoint is behind the indexed slot.');
      }
      return answer;
    });
    if (built instanceof ApiError) throw built;
    return {
      transaction: Buffer.from(built.transaction.serialize()).toString('base64'),
      walletAddress: wallet,
      amount: toDecimalText(amount, decimals),
      lockDays: LOCK_DAYS,
      unlockDate: new Date(this.#now() + LOCK_MS).toISOString(),
      fee: String(built.fee),
      priorityFee: String(built.priorityFee),
      rent: String(built.rent),
      lastValidBlockHeight: built.lastValidBlockHeight,
      simulation: { unitsConsumed: built.unitsConsumed },
    };
  }

  #terms() {
    return { health: this.#facts().index.endpoints };
  }

  /**
   * Sends a signed stake. Sending it again is safe: the chain executes a transaction once.
   * @throws {ApiError} when it was not sent; `stake-not-surely-sent` when that is uncertain
   */
  async submit(bytes: Uint8Array): Promise<ResponseOf<typeof submitStake>> {
    const { identity } = this.#known();
    const { health } = this.#terms();
    const mayBeSent = { yes: false };
    try {
      const outcome = await this.#reads.first(health, async (endpoint) => {
        try {
          return await this.#send(endpoint, await this.#pool(endpoint, identity), bytes, mayBeSent);
        } catch (error) {
          // A refusal is an answer, so no other endpoint is asked.
          if (error instanceof ApiError) return error;
          throw error;
        }
      });
      if (outcome instanceof ApiError) throw outcome;
      return { signature: outcome };
    } catch (error) {
      if (isApiError(error, 'chain-unreadable') && mayBeSent.yes)
        throw new ApiError('stake-not-surely-sent', { cause: error });
      throw error;
    }
  }

  async #send(
    { connection, web3 }: QueriedEndpoint,
    pool: StakedPool,
    bytes: Uint8Array,
    mayBeSent: { yes: boolean },
  ): Promise<string> {
    const signature = idOf(await checkSignedStake(web3, bytes, new StakeInstructions(web3, pool)));
    // Simulated first, because a refusal when sending does not contain its reason as data.
    const { value: tried } = await connection.simulateTransaction(
      web3.VersionedTransaction.deserialize(bytes),
      { sigVerify: false, replaceRecentBlockhash: false },
    );
    if (tried.err === 'AlreadyProcessed') return signature;
    if (tried.err !== null) throw refusalError({ err: tried.err, logs: tried.logs ?? [] });
    mayBeSent.yes = true;
    await connection.sendRawTransaction(bytes, { skipPreflight: true });
    return signature;
  }

  /** The state of a transaction. @throws {ApiError} `chain-unreadable` */
  async progress(signature: string, lastValidBlockHeight: number): Promise<Progress> {
    const { health } = this.#terms();
    return this.#reads.first(health, async ({ connection }) => {
      // In this order, so that a transaction in its last possible block is found before it counts as expired.
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
        const error = refusalError({ err: status.err, logs: failed?.meta?.logMessages ?? [] }).message;
        return { state: 'failed', slot: status.slot, error };
      }
      const reached = status.confirmationStatus;
      const state = reached === 'finalized' || reached === 'confirmed' ? reached : 'pending';
      return { state, slot: status.slot, error: null };
    });
  }
}

/** The calls to stake from the portal. They need no session, because only the wallet's signature moves tokens. */
export function orderRoutes(context: StakeContext): readonly ApiRoute[] {
  const orders = new StakeOrders(context);
  return [
    {
      method: buildStake.method,
      path: buildStake.path,
      limit: 'stakes-built',
      handle: async (request, response) => {
        const { walletAddress, amount } = readBody(buildStake.body, request.body);
        addressBytes(walletAddress);
        response.json(await orders.build(walletAddress, amount));
      },
    },
    {
      method: submitStake.method,
      path: submitStake.path,
      limit: 'stakes-sent',
      handle: async (request, response) => {
        const { transaction } = readBody(submitStake.body, request.body);
        response.json(await orders.submit(Buffer.from(transaction, 'base64')));
      },
    },
    {
      method: stakeProgress.method,
      path: stakeProgress.path,
      limit: 'stake-progress',
      handle: async (request, response) => {
        const { signature, lastValidBlockHeight } = readQuery(stakeProgress.query, request.query);
        response.json(await orders.progress(signature, Number(lastValidBlockHeight)));
      },
    },
  ];
}
