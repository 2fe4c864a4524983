import type { AccountInfo, Connection, VersionedTransaction } from '@solana/web3.js';
import { toDecimalText } from '../../data/model/amounts.ts';
import { groupDecimalText } from '../../data/model/count.ts';
import { entryFilters, STAKE_ENTRY } from '../../data/model/stake-layout.ts';
import { STAKING_PROGRAM } from '../../data/model/staking-terms.ts';
import type { QueriedEndpoint } from '../chain/chain-reads.ts';
import { ApiError, isApiError } from '../errors.ts';
import { AMOUNT_OFFSET, TOKEN_ACCOUNT_SIZE } from '../verification/held-tokens.ts';
import { priorityFee, STAKE_COMPUTE_UNITS, type UnitPrice } from './priority-fee.ts';
import { refusalError } from './refusals.ts';
import { type StakedPool, StakeInstructions, TOKEN_PROGRAMS } from './stake-instructions.ts';

interface StakeOrder {
  readonly wallet: string;
  /** Base units. */
  readonly amount: bigint;
  /** The mint's decimals, for error messages. */
  readonly decimals: number;
}

export interface BuiltStake {
  readonly transaction: VersionedTransaction;
  /** Lamports, including the priority fee. */
  readonly fee: bigint;
  readonly priorityFee: bigint;
  /** Lamports to deposit for the accounts that the stake opens. */
  readonly rent: bigint;
  readonly lastValidBlockHeight: number;
  /** Compute units that the simulation used. */
  readonly unitsConsumed: number | null;
  /** The slot of the simulation. */
  readonly slot: number;
}

const NONCE_SIZE = 4;
/** Token-2022 accounts have the immutable-owner extension. */
const TOKEN_2022_ACCOUNT_SIZE = 170;
const SOL_DECIMALS = 9;

/** @throws {RangeError} if the endpoint does not know the mint */
export async function readTokenProgram({ connection, web3 }: QueriedEndpoint, mint: string): Promise<string> {
  const owner = (await connection.getAccountInfo(new web3.PublicKey(mint)))?.owner.toBase58();
  const program = Object.values(TOKEN_PROGRAMS).find((known) => known === owner);
  if (program === undefined) throw new RangeError('An endpoint does not know the mint.');
  return program;
}

/**
 * The lowest nonce that no entry of the wallet has. It is not the highest plus one, because anyone can open an entry for a
 * wallet with any nonce, even the highest possible one.
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

/** Computes the rent (lamports) that a failed simulation does not show. */
async function computeRent(connection: Connection, pool: StakedPool, opensReceipts: boolean) {
  const size = pool.tokenProgram === TOKEN_PROGRAMS.token2022 ? TOKEN_2022_ACCOUNT_SIZE : TOKEN_ACCOUNT_SIZE;
  const entry = await connection.getMinimumBalanceForRentExemption(STAKE_ENTRY.size);
  const receipts = opensReceipts ? await connection.getMinimumBalanceForRentExemption(size) : 0;
  return BigInt(entry + receipts);
}

/** Base units in a token account; 0 if it does not exist. */
function tokensIn(account: AccountInfo<Buffer> | null): bigint {
  return account && account.data.length >= TOKEN_ACCOUNT_SIZE
    ? account.data.readBigUInt64LE(AMOUNT_OFFSET)
    : 0n;
}

/** Reads the base units that a wallet can stake: only those in its associated token account. */
export async function readAvailable(
  { connection, web3 }: QueriedEndpoint,
  pool: StakedPool,
  wallet: string,
  minContextSlot: number,
): Promise<{ readonly available: bigint; readonly slot: number }> {
  const { from } = new StakeInstructions(web3, pool).accounts({ wallet, nonce: 0 });
  const { value, context } = await connection.getAccountInfoAndContext(from, { minContextSlot });
  return { available: tokensIn(value), slot: context.slot };
}

/**
 * Builds a wallet's unsigned stake and simulates it on the chain.
 * @param unitPrice null for a stake without a priority fee
 * @returns the stake, or the error with which it would fail
 * @throws {Error} if the endpoint fails, so that the next one is tried
 */
export async function buildOnChain(
  endpoint: QueriedEndpoint,
  pool: StakedPool,
  { wallet, amount, decimals }: StakeOrder,
  unitPrice: UnitPrice | null,
): Promise<BuiltStake | ApiError> {
  const { connection, web3 } = endpoint;
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
  const [source, ...opened] = before;
  const available = tokensIn(source ?? null);
  if (available < amount) {
    const text = groupDecimalText(toDecimalText(available, decimals));
    return new ApiError('too-little-bd', {
      text: `You have ${text} BD available. Enter that amount or less.`,
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
  const [{ value: fee }, { context, value: simulated }] = await Promise.all([
    connection.getFeeForMessage(message),
    connection.simulateTransaction(transaction, {
      sigVerify: false,
      replaceRecentBlockhash: false,
      accounts: { encoding: 'base64', addresses: [receipts.toBase58(), entry.toBase58()] },
    }),
  ]);
  if (fee === null) throw new RangeError('An endpoint does not know its own blockhash.');
  if (simulated.err !== null) {
    const refusal = refusalError({ err: simulated.err, logs: simulated.logs ?? [] });
    if (!isApiError(refusal, 'too-little-sol')) return refusal;
    const needed = BigInt(fee) + (await computeRent(connection, pool, opened[0] === null));
    const sol = (lamports: bigint) => toDecimalText(lamports, SOL_DECIMALS);
    return new ApiError('too-little-sol', {
      text: `The wallet has ${sol(BigInt(opened[2]?.lamports ?? 0))} SOL and needs about ${sol(needed)} SOL for the network fee and the account deposits. Send it some SOL, then try again.`,
    });
  }
  const rent = (simulated.accounts ?? []).reduce(
    (sum, account, index) => sum + BigInt(account?.lamports ?? 0) - BigInt(opened[index]?.lamports ?? 0),
    0n,
  );
  return {
    transaction,
    fee: BigInt(fee),
    priorityFee: priorityFee(price),
    rent: rent > 0n ? rent : 0n,
    lastValidBlockHeight,
    unitsConsumed: simulated.unitsConsumed ?? null,
    slot: context.slot,
  };
}
