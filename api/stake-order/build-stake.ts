import type { Connection, PublicKey, VersionedTransaction } from '@solana/web3.js';
import { toDecimalText } from '../../data/model/amounts.ts';
import { groupDecimalText } from '../../data/model/count.ts';
import { entryFilters, STAKE_ENTRY } from '../../data/model/stake-layout.ts';
import { STAKING_PROGRAM } from '../../data/model/staking-terms.ts';
import type { QueriedEndpoint } from '../chain/chain-reads.ts';
import { ApiError, isApiError } from '../errors.ts';
import { priorityFee, STAKE_COMPUTE_UNITS, type UnitPrice } from './priority-fee.ts';
import { refusalError } from './refusals.ts';
import { type StakedPool, StakeInstructions, TOKEN_PROGRAMS } from './stake-instructions.ts';

/** A stake to be made. */
interface StakeOrder {
  readonly wallet: string;
  /** Base units. */
  readonly amount: bigint;
  /** Decimals of the mint, for error texts. */
  readonly decimals: number;
}

export interface BuiltStake {
  readonly transaction: VersionedTransaction;
  /** Lamports. The priority fee is part of the fee. */
  readonly fee: bigint;
  readonly priorityFee: bigint;
  readonly rent: bigint;
  readonly lastValidBlockHeight: number;
  readonly unitsConsumed: number | null;
  /** The slot of the simulation. */
  readonly slot: number;
}

const NONCE_SIZE = 4;
/** A token account starts with mint, owner and amount. */
const AMOUNT_OFFSET = 64;
const TOKEN_ACCOUNT_SIZE = 165;
/** With the immutable-owner extension, which Token-2022 accounts have. */
const TOKEN_2022_ACCOUNT_SIZE = 170;
const SOL_DECIMALS = 9;

/** The token program of a mint. @throws {RangeError} when the endpoint does not know the mint */
export async function tokenProgramOf({ connection, web3 }: QueriedEndpoint, mint: string): Promise<string> {
  const owner = (await connection.getAccountInfo(new web3.PublicKey(mint)))?.owner.toBase58();
  const program = Object.values(TOKEN_PROGRAMS).find((known) => known === owner);
  if (program === undefined) throw new RangeError('An endpoint does not know the mint.');
  return program;
}

/**
 * The lowest nonce that none of the wallet's entries has. Not the highest plus one: anyone can open an entry for a wallet
 * with any nonce, even the last one.
 */
async function nextNonce({ connection, web3 }: QueriedEndpoint, pool: StakedPool, wallet: string) {
  const entries = await connection.getProgramAccounts(new web3.PublicKey(STAKING_PROGRAM), {
    dataSlice: { offset: STAKE_ENTRY.offsetOf('nonce'), length: NONCE_SIZE },
    filters: entryFilters(pool.stakePool, wallet),
  });
  const taken = new Set(entries.map(({ account }) => account.data.readUInt32LE(0)));
  let free = 0;
  while (taken.has(free)) free += 1;
  return free;
}

/** The deposit (rent) in lamports for the accounts that a stake opens, when the simulation failed. */
async function rentOfAccounts(connection: Connection, pool: StakedPool, opensReceipts: boolean) {
  const size = pool.tokenProgram === TOKEN_PROGRAMS.token2022 ? TOKEN_2022_ACCOUNT_SIZE : TOKEN_ACCOUNT_SIZE;
  const entry = await connection.getMinimumBalanceForRentExemption(STAKE_ENTRY.size);
  const receipts = opensReceipts ? await connection.getMinimumBalanceForRentExemption(size) : 0;
  return BigInt(entry + receipts);
}

/**
 * Builds the unsigned stake of a wallet and simulates it on the chain.
 * @param unitPrice null for a stake without a priority fee
 * @returns the stake, or the error with which it would fail
 * @throws {Error} when the endpoint fails, so that the next one is asked
 */
export async function buildOnChain(
  endpoint: QueriedEndpoint,
  pool: StakedPool,
  wish: StakeOrder,
  unitPrice: UnitPrice | null,
): Promise<BuiltStake | ApiError> {
  const { connection, web3 } = endpoint;
  const { wallet, amount, decimals } = wish;
  const instructions = new StakeInstructions(web3, pool);
  const nonce = await nextNonce(endpoint, pool, wallet);
  const { from, receipts, entry } = instructions.accounts({ wallet, nonce });
  const payer = new web3.PublicKey(wallet);
  const stake = instructions.build({ wallet, nonce, amount });
  const writable = stake.flatMap(({ keys }) => keys.filter(({ isWritable }) => isWritable));
  const [{ value: before }, { blockhash, lastValidBlockHeight }, price] = await Promise.all([
    connection.getMultipleAccountsInfoAndContext([from, receipts, entry, payer]),
    connection.getLatestBlockhash(),
    unitPrice?.([...new Set(writable.map(({ pubkey }) => pubkey.toBase58()))]) ?? 0n,
  ]);
  const [heldIn, ...opened] = before;
  const held =
    heldIn && heldIn.data.length >= TOKEN_ACCOUNT_SIZE ? heldIn.data.readBigUInt64LE(AMOUNT_OFFSET) : 0n;
  if (held < amount) {
    return new ApiError('too-little-bd', {
      text: `You have ${groupDecimalText(toDecimalText(held, decimals))} BD available. Enter that amount or less.`,
    });
  }

  const { ComputeBudgetProgram } = web3;
  const budget = [
    ComputeBudgetProgram.setComputeUnitLimit({ units: STAKE_COMPUTE_UNITS }),
    ComputeBudgetProgram.setComputeUnitPrice({ microLamports: price }),
  ];
  const message = new web3.TransactionMessage({
    payerKey: payer,
    recentBlockhash: blockhash,
    instructions: price > 0n ? [...budget, ...stake] : stake,
  }).compileToLegacyMessage();
  const transaction = new web3.VersionedTransaction(message);
  const [{ value: fee }, { context, value: tried }] = await Promise.all([
    connection.getFeeForMessage(message),
    connection.simulateTransaction(transaction, {
      sigVerify: false,
      replaceRecentBlockhash: false,
      accounts: { encoding: 'base64', addresses: [receipts, entry].map((key: PublicKey) => key.toBase58()) },
    }),
  ]);
  if (fee === null) throw new RangeError('An endpoint does not know its own blockhash.');
  if (tried.err !== null) {
    const refusal = refusalError({ err: tried.err, logs: tried.logs ?? [] });
    if (!isApiError(refusal, 'too-little-sol')) return refusal;
    const needed = BigInt(fee) + (await rentOfAccounts(connection, pool, opened[0] === null));
    const has = BigInt(opened[2]?.lamports ?? 0);
    return new ApiError('too-little-sol', {
      text: `The wallet has ${toDecimalText(has, SOL_DECIMALS)} SOL and needs about ${toDecimalText(needed, SOL_DECIMALS)} SOL for the network fee and the account deposits. Send it some SOL, then try again.`,
    });
  }
  const rent = (tried.accounts ?? []).reduce(
    (sum, account, place) => sum + BigInt(account?.lamports ?? 0) - BigInt(opened[place]?.lamports ?? 0),
    0n,
  );
  return {
    transaction,
    fee: BigInt(fee),
    priorityFee: priorityFee(price),
    rent: rent > 0n ? rent : 0n,
    lastValidBlockHeight,
    unitsConsumed: tried.unitsConsumed ?? null,
    slot: context.slot,
  };
}
