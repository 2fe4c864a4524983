import type { AccountInfo, PublicKey, TransactionInstruction, VersionedTransaction } from '@solana/web3.js';
import { toDecimalText } from '../../data/model/amounts.ts';
import { groupDecimalText } from '../../data/model/digit-grouping.ts';
import { utcMinuteText } from '../../data/model/format.ts';
import { entryFilters, STAKE_ENTRY, stakeOfEntry } from '../../data/model/stake-layout.ts';
import { STAKING_PROGRAM } from '../../data/model/staking-terms.ts';
import type { QueriedEndpoint } from '../chain/chain-reads.ts';
import { ApiError, isApiError } from '../errors.ts';
import { AMOUNT_OFFSET, TOKEN_ACCOUNT_SIZE } from '../verification/held-tokens.ts';
import { type ComputeUnitPriceEstimator, priorityFee, STAKE_COMPUTE_UNITS } from './priority-fee.ts';
import { refusalError } from './refusals.ts';
import {
  isWithdrawal,
  StakeInstructions,
  type StakePoolAccounts,
  TOKEN_PROGRAMS,
} from './stake-instructions.ts';

export interface BuiltOrder {
  readonly transaction: VersionedTransaction;
  /** Lamports, including the priority fee. */
  readonly fee: bigint;
  readonly priorityFee: bigint;
  /** Lamports to deposit for the accounts that the transaction opens. */
  readonly rent: bigint;
  readonly lastValidBlockHeight: number;
  /** Compute units that the simulation used; null if the endpoint did not report them. */
  readonly unitsConsumed: number | null;
}

export interface BuildOptions {
  /** Null for a transaction without a priority fee. */
  readonly estimateComputeUnitPrice: ComputeUnitPriceEstimator | null;
  /** The indexed slot. An endpoint that is behind it may lack the wallet's latest tokens, so its answers are not used. */
  readonly minSlot: number;
}

/** @throws {RangeError} if an endpoint answered with a state from before `minSlot` */
export function assertNotBehind(slot: number, minSlot: number): void {
  if (slot < minSlot) throw new RangeError('An endpoint is behind the indexed slot.');
}

const NONCE_SIZE = 4;
/** In bytes, with the immutable-owner extension that every associated Token-2022 account has. */
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
 * The lowest nonce that none of the wallet's entries has. The highest used nonce plus one could be out of range, because anyone
 * can open an entry for a wallet with any nonce, even the highest possible one.
 */
async function nextNonce({ connection, web3 }: QueriedEndpoint, pool: StakePoolAccounts, wallet: string) {
  const entries = await connection.getProgramAccounts(new web3.PublicKey(STAKING_PROGRAM), {
    dataSlice: { offset: STAKE_ENTRY.offsetOf('nonce'), length: NONCE_SIZE },
    filters: entryFilters(pool.stakePool, wallet),
  });
  const usedNonces = new Set(entries.map(({ account }) => account.data.readUInt32LE(0)));
  let nonce = 0;
  while (usedNonces.has(nonce)) nonce += 1;
  return nonce;
}

/** Base units in a token account; 0 if it does not exist. */
function tokenBalance(account: AccountInfo<Buffer> | null): bigint {
  return account && account.data.length >= TOKEN_ACCOUNT_SIZE
    ? account.data.readBigUInt64LE(AMOUNT_OFFSET)
    : 0n;
}

/** Reads the base units that a wallet can stake: only those in its associated token account. */
export async function readAvailableBalance(
  { connection, web3 }: QueriedEndpoint,
  pool: StakePoolAccounts,
  wallet: string,
  minContextSlot: number,
): Promise<{ readonly available: bigint; readonly slot: number }> {
  const { bdAccount } = new StakeInstructions(web3, pool).accounts(wallet);
  const { value, context } = await connection.getAccountInfoAndContext(bdAccount, { minContextSlot });
  return { available: tokenBalance(value), slot: context.slot };
}

/** An account that a transaction may open, and its size in bytes. */
interface OpenedAccount {
  readonly address: PublicKey;
  readonly size: number;
  /** True for a stake entry, because its nonce must be unused. */
  readonly mustBeNew: boolean;
}

interface Order {
  readonly wallet: string;
  readonly instructions: readonly TransactionInstruction[];
  readonly openedAccounts: readonly OpenedAccount[];
  readonly checkedAddress: PublicKey;
  /** Returns the error that the transaction would fail with because of this account; null if the account causes no error. */
  readonly check: (account: AccountInfo<Buffer> | null) => ApiError | null;
}

/**
 * Builds the unsigned transaction for an order and simulates it on the chain.
 * @returns the transaction, or the error that it would fail with
 * @throws {Error} if the endpoint fails, so that the next endpoint is tried
 */
async function buildOrder(
  { connection, web3 }: QueriedEndpoint,
  { wallet, instructions, openedAccounts, checkedAddress, check }: Order,
  { estimateComputeUnitPrice, minSlot }: BuildOptions,
): Promise<BuiltOrder | ApiError> {
  const payer = new web3.PublicKey(wallet);
  const openedAddresses = openedAccounts.map(({ address }) => address);
  const writable = instructions.flatMap(({ keys }) => keys.filter(({ isWritable }) => isWritable));
  const [{ context: readContext, value: accountsBefore }, { blockhash, lastValidBlockHeight }, price] =
    await Promise.all([
      connection.getMultipleAccountsInfoAndContext([checkedAddress, payer, ...openedAddresses]),
      connection.getLatestBlockhash(),
      estimateComputeUnitPrice?.([...new Set(writable.map(({ pubkey }) => pubkey.toBase58()))]) ?? 0n,
    ]);
  assertNotBehind(readContext.slot, minSlot);
  const [checkedAccount = null, payerAccount, ...existingAccounts] = accountsBefore;
  if (openedAccounts.some(({ mustBeNew }, index) => mustBeNew && existingAccounts[index]))
    throw new RangeError('An endpoint lists the stake entries of a wallet late.');
  const refusal = check(checkedAccount);
  if (refusal) return refusal;

  const { ComputeBudgetProgram } = web3;
  const budget = [
    ComputeBudgetProgram.setComputeUnitLimit({ units: STAKE_COMPUTE_UNITS }),
    ComputeBudgetProgram.setComputeUnitPrice({ microLamports: price }),
  ];
  const message = new web3.TransactionMessage({
    payerKey: payer,
    recentBlockhash: blockhash,
    instructions: [...(price > 0n ? budget : []), ...instructions],
  }).compileToLegacyMessage();
  const transaction = new web3.VersionedTransaction(message);
  const [{ value: fee }, { context, value: simulated }] = await Promise.all([
    connection.getFeeForMessage(message),
    connection.simulateTransaction(transaction, {
      sigVerify: false,
      replaceRecentBlockhash: false,
      accounts: { encoding: 'base64', addresses: openedAddresses.map((address) => address.toBase58()) },
    }),
  ]);
  assertNotBehind(context.slot, minSlot);
  if (fee === null || simulated.err === 'BlockhashNotFound')
    throw new RangeError('An endpoint does not know its own blockhash.');
  if (simulated.err !== null) {
    const refusal = refusalError({
      err: simulated.err,
      logs: simulated.logs ?? [],
      isWithdrawal: isWithdrawal(message),
    });
    if (!isApiError(refusal, 'too-little-sol')) return refusal;
    // A failed simulation does not show the rent, so the rent is computed from the missing accounts. The wallet
    // must also keep the rent-exempt minimum of a 0-byte account.
    const missing = openedAccounts.filter((_opened, index) => !existingAccounts[index]);
    const sizes = [0, ...missing.map(({ size }) => size)];
    const rents = sizes.map((size) => connection.getMinimumBalanceForRentExemption(size));
    const needed = (await Promise.all(rents)).reduce((sum, rent) => sum + BigInt(rent), BigInt(fee));
    const sol = (lamports: bigint) => toDecimalText(lamports, SOL_DECIMALS);
    return new ApiError('too-little-sol', {
      text: `The wallet has ${sol(BigInt(payerAccount?.lamports ?? 0))} SOL and needs about ${sol(needed)} SOL for the network fee and the account deposits. Send it some SOL, then try again.`,
    });
  }
  const rent = (simulated.accounts ?? []).reduce(
    (sum, account, index) =>
      sum + BigInt(account?.lamports ?? 0) - BigInt(existingAccounts[index]?.lamports ?? 0),
    0n,
  );
  return {
    transaction,
    fee: BigInt(fee),
    priorityFee: priorityFee(price),
    rent: rent > 0n ? rent : 0n,
    lastValidBlockHeight,
    unitsConsumed: simulated.unitsConsumed ?? null,
  };
}

const tokenAccountSize = ({ tokenProgram }: StakePoolAccounts): number =>
  tokenProgram === TOKEN_PROGRAMS.token2022 ? TOKEN_2022_ACCOUNT_SIZE : TOKEN_ACCOUNT_SIZE;

/**
 * @param order.amount base units
 * @param order.decimals the mint's decimals, for error messages
 */
export async function buildStakeOrder(
  endpoint: QueriedEndpoint,
  pool: StakePoolAccounts,
  order: { readonly wallet: string; readonly amount: bigint; readonly decimals: number },
  options: BuildOptions,
): Promise<BuiltOrder | ApiError> {
  const { wallet, amount, decimals } = order;
  const stakeInstructions = new StakeInstructions(endpoint.web3, pool);
  const nonce = await nextNonce(endpoint, pool, wallet);
  const { bdAccount, receiptAccount } = stakeInstructions.accounts(wallet);
  const check = (tokenAccount: AccountInfo<Buffer> | null) => {
    const available = tokenBalance(tokenAccount);
    if (available >= amount) return null;
    const text = groupDecimalText(toDecimalText(available, decimals));
    return new ApiError('too-little-bd', {
      text: `You have ${text} BD available. Enter that amount or less.`,
    });
  };
  const stakeOrder: Order = {
    wallet,
    instructions: stakeInstructions.build({ wallet, nonce, amount }),
    openedAccounts: [
      { address: receiptAccount, size: tokenAccountSize(pool), mustBeNew: false },
      { address: stakeInstructions.entryOf({ wallet, nonce }), size: STAKE_ENTRY.size, mustBeNew: true },
    ],
    checkedAddress: bdAccount,
    check,
  };
  return buildOrder(endpoint, stakeOrder, options);
}

/**
 * Builds the unsigned withdrawal of a stake and simulates it on the chain, whose clock decides whether the lock is over.
 * @param order.entry the address of the stake entry
 * @returns the withdrawal with its amount in base units, or the error that it would fail with
 */
export async function buildUnstakeOrder(
  endpoint: QueriedEndpoint,
  pool: StakePoolAccounts,
  { wallet, entry }: { readonly wallet: string; readonly entry: string },
  options: BuildOptions,
): Promise<(BuiltOrder & { readonly amount: bigint }) | ApiError> {
  const stakeInstructions = new StakeInstructions(endpoint.web3, pool);
  let amount = 0n;
  let unlocksAt = 0;
  const check = (account: AccountInfo<Buffer> | null) => {
    const isEntry = account?.owner.toBase58() === STAKING_PROGRAM;
    const stake = isEntry ? STAKE_ENTRY.decode(account.data) : null;
    const isOwn = stake?.authority === wallet && stake.stakePool === pool.stakePool;
    if (!isOwn || stake.closedAt !== 0n) return new ApiError('no-such-stake');
    ({ amount, unlocksAt } = stakeOfEntry(stake));
    return null;
  };
  const { bdAccount } = stakeInstructions.accounts(wallet);
  const built = await buildOrder(
    endpoint,
    {
      wallet,
      instructions: stakeInstructions.buildUnstake({ wallet, entry }),
      openedAccounts: [{ address: bdAccount, size: tokenAccountSize(pool), mustBeNew: false }],
      checkedAddress: new endpoint.web3.PublicKey(entry),
      check,
    },
    options,
  );
  if (isApiError(built, 'stake-locked')) {
    return new ApiError('stake-locked', {
      text: `The stake is locked until ${utcMinuteText(unlocksAt)}. Nothing was withdrawn. Try again after that.`,
    });
  }
  return built instanceof ApiError ? built : { ...built, amount };
}
