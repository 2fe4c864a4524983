import bs58 from 'bs58';
import type { ResponseOf } from '../../data/contract/call.ts';
import type { buildStake, stakeProgress, submitStake } from '../../data/contract/stake-order.ts';
import { fromDecimalText, toDecimalText } from '../../data/model/amounts.ts';
import { LOCK_DAYS } from '../../data/model/staking-terms.ts';
import type { AskedEndpoint, ChainReads } from '../chain/chain-reads.ts';
import { ApiError, ChainUnreadableError, InvalidBodyError, NotIndexedYetError } from '../errors.ts';
import { chainOf, type Facts, type KnownChain } from '../metrics/facts.ts';
import { type BuiltStake, buildOnChain, tokenProgramOf } from './build-stake.ts';
import { StakeUnsentError } from './order-errors.ts';
import { refusalError } from './refusals.ts';
import { checkSignedStake } from './signed-stake.ts';
import { type StakedPool, StakeInstructions } from './stake-instructions.ts';

type Built = ResponseOf<typeof buildStake>;
type Progress = ResponseOf<typeof stakeProgress>;

const MAX_U64 = 0xffff_ffff_ffff_ffffn;
const LOCK_MS = LOCK_DAYS * 86_400_000;

/** @throws {InvalidBodyError} */
function baseUnits(text: string, decimals: number): bigint {
  let amount: bigint;
  try {
    amount = fromDecimalText(text, decimals);
  } catch (error) {
    throw new InvalidBodyError(
      `Give the amount with ${decimals} decimals at most: BD has no smaller part.`,
      {},
      { cause: error },
    );
  }
  if (amount === 0n) throw new InvalidBodyError('Give an amount above 0.');
  if (amount > MAX_U64) throw new InvalidBodyError('That is more BD than there is. Give a smaller amount.');
  return amount;
}

/** The wallet's own signature stands where the chain looks for it. */
const nameOf = (signature: Uint8Array) => bs58.encode(signature);

/** Stakes from the portal: built here, signed by the wallet alone, sent and followed here. Nothing is stored. */
export class StakeOrders {
  readonly #reads: ChainReads;
  readonly #facts: () => Facts;
  readonly #now: () => number;
  /** A mint stays with its token program for ever. */
  readonly #tokenPrograms = new Map<string, string>();

  constructor(options: {
    readonly reads: ChainReads;
    readonly facts: () => Facts;
    readonly now: () => number;
  }) {
    this.#reads = options.reads;
    this.#facts = options.facts;
    this.#now = options.now;
  }

  #known(): KnownChain {
    const known = chainOf(this.#facts());
    if (!known) throw new NotIndexedYetError();
    return known;
  }

  async #pool(endpoint: AskedEndpoint, { mint, stakePool }: KnownChain['identity']): Promise<StakedPool> {
    const tokenProgram = this.#tokenPrograms.get(mint) ?? (await tokenProgramOf(endpoint, mint));
    this.#tokenPrograms.set(mint, tokenProgram);
    return { mint, stakePool, tokenProgram };
  }

  /**
   * The unsigned stake of a wallet, tried out on the chain.
   * @param amountText BD as decimal text
   * @throws {ApiError} in plain words where it would fail; {ChainUnreadableError} where it cannot be tried out.
   */
  async build(wallet: string, amountText: string): Promise<Built> {
    const { identity, chain } = this.#known();
    const { decimals } = identity;
    const amount = baseUnits(amountText, decimals);
    const { health } = this.#terms();
    const built: BuiltStake | ApiError = await this.#reads.first(health, async (endpoint) => {
      const pool = await this.#pool(endpoint, identity);
      const answer = await buildOnChain(endpoint, pool, { wallet, amount, decimals });
      if (!(answer instanceof ApiError) && answer.slot < chain.slot) {
        throw new RangeError('An endpoint is behind what is known of the chain.');
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
      rent: String(built.rent),
      lastValidBlockHeight: built.lastValidBlockHeight,
      simulation: { unitsConsumed: built.unitsConsumed },
    };
  }

  #terms() {
    return { health: this.#facts().index.endpoints };
  }

  /**
   * Sends a signed stake. Sending it again changes nothing: the chain carries a transaction out once.
   * @throws {ApiError} in plain words where it is not sent; {StakeUnsentError} where that is not sure.
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
          // A refusal is an answer: no other endpoint has to be asked.
          if (error instanceof ApiError) return error;
          throw error;
        }
      });
      if (outcome instanceof ApiError) throw outcome;
      return { signature: outcome };
    } catch (error) {
      if (error instanceof ChainUnreadableError && mayBeSent.yes)
        throw new StakeUnsentError({ cause: error });
      throw error;
    }
  }

  async #send(
    { connection, web3 }: AskedEndpoint,
    pool: StakedPool,
    bytes: Uint8Array,
    mayBeSent: { yes: boolean },
  ): Promise<string> {
    const signature = nameOf(await checkSignedStake(web3, bytes, new StakeInstructions(web3, pool)));
    // Tried out before it is sent, since a node that refuses at sending does not tell its reason as a value.
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

  /** How far a transaction has come. @throws {ChainUnreadableError} */
  async progress(signature: string, lastValidBlockHeight: number): Promise<Progress> {
    const { health } = this.#terms();
    return this.#reads.first(health, async ({ connection }) => {
      // In this order: what landed in the last block that it could is then seen before it is called expired.
      const height = await connection.getBlockHeight();
      const { value } = await connection.getSignatureStatuses([signature], {
        searchTransactionHistory: true,
      });
      const [status] = value;
      if (!status) {
        return { state: height > lastValidBlockHeight ? 'expired' : 'pending', slot: null, error: null };
      }
      if (status.err !== null) {
        const told = await connection.getTransaction(signature, {
          commitment: 'confirmed',
          maxSupportedTransactionVersion: 0,
        });
        const error = refusalError({ err: status.err, logs: told?.meta?.logMessages ?? [] }).message;
        return { state: 'failed', slot: status.slot, error };
      }
      const reached = status.confirmationStatus;
      const state = reached === 'finalized' || reached === 'confirmed' ? reached : 'pending';
      return { state, slot: status.slot, error: null };
    });
  }
}
