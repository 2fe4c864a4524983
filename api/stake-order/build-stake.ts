import type { Connection, PublicKey, VersionedTransaction } from '@solana/web3.js';
import bs58 from 'bs58';
import { toDecimalText } from '../../data/model/amounts.ts';
import {
  STAKE_ENTRY_AUTHORITY_OFFSET,
  STAKE_ENTRY_DISCRIMINATOR,
  STAKE_ENTRY_POOL_OFFSET,
  STAKE_ENTRY_SIZE,
} from '../../data/model/stake-layout.ts';
import { STAKING_PROGRAM } from '../../data/model/staking-program.ts';
import type { AskedEndpoint } from '../chain/chain-reads.ts';
import type { ApiError } from '../errors.ts';
import { TooLittleBdError, TooLittleSolError } from './order-errors.ts';
import { refusalError, TOO_LITTLE_SOL } from './refusals.ts';
import { type StakedPool, StakeInstructions, TOKEN_PROGRAMS } from './stake-instructions.ts';

/** A stake to be made. */
export interface StakeWish {
  readonly wallet: string;
  /** Base units. */
  readonly amount: bigint;
  /** Decimals of the mint, for what is said of amounts. */
  readonly decimals: number;
}

export interface BuiltStake {
  readonly transaction: VersionedTransaction;
  /** Lamports. */
  readonly fee: bigint;
  readonly rent: bigint;
  readonly lastValidBlockHeight: number;
  readonly unitsConsumed: number | null;
  /** The slot at which it was tried out. */
  readonly slot: number;
}

const NONCE_OFFSET = 8;
const NONCE_SIZE = 4;
/** Of a token account: mint, owner, amount. */
const AMOUNT_OFFSET = 64;
const TOKEN_ACCOUNT_SIZE = 165;
/** With the mark that its owner stays its owner, which accounts of Token-2022 are opened with. */
const TOKEN_2022_ACCOUNT_SIZE = 170;
const SOL_DECIMALS = 9;

/** The token program of a mint. @throws {RangeError} where the endpoint knows no such mint */
export async function tokenProgramOf({ connection, web3 }: AskedEndpoint, mint: string): Promise<string> {
  const owner = (await connection.getAccountInfo(new web3.PublicKey(mint)))?.owner.toBase58();
  const program = Object.values(TOKEN_PROGRAMS).find((known) => known === owner);
  if (program === undefined) throw new RangeError('An endpoint does not know the mint.');
  return program;
}

/**
 * A number for the wallet's next entry: the lowest that none of its entries on the chain has. Anyone may open an entry for
 * a wallet, under any number: one above the highest would be none once somebody took the last.
 */
async function nextNonce({ connection, web3 }: AskedEndpoint, pool: StakedPool, wallet: string) {
  const entries = await connection.getProgramAccounts(new web3.PublicKey(STAKING_PROGRAM), {
    dataSlice: { offset: NONCE_OFFSET, length: NONCE_SIZE },
    filters: [
      { dataSize: STAKE_ENTRY_SIZE },
      { memcmp: { offset: 0, bytes: bs58.encode(STAKE_ENTRY_DISCRIMINATOR) } },
      { memcmp: { offset: STAKE_ENTRY_POOL_OFFSET, bytes: pool.stakePool } },
      { memcmp: { offset: STAKE_ENTRY_AUTHORITY_OFFSET, bytes: wallet } },
    ],
  });
  const taken = new Set(entries.map(({ account }) => account.data.readUInt32LE(0)));
  let free = 0;
  while (taken.has(free)) free += 1;
  return free;
}

/** What the accounts that a stake opens need to be laid down, in lamports, where it could not be tried out. */
async function rentToLayDown(connection: Connection, pool: StakedPool, opensReceipts: boolean) {
  const size = pool.tokenProgram === TOKEN_PROGRAMS.token2022 ? TOKEN_2022_ACCOUNT_SIZE : TOKEN_ACCOUNT_SIZE;
  const entry = await connection.getMinimumBalanceForRentExemption(STAKE_ENTRY_SIZE);
  const receipts = opensReceipts ? await connection.getMinimumBalanceForRentExemption(size) : 0;
  return BigInt(entry + receipts);
}

/**
 * Builds the unsigned stake of a wallet and tries it out on the chain.
 * @returns what was built, or why it would fail, in plain words
 * @throws {Error} where the endpoint does not answer as it should: another may be asked.
 */
export async function buildOnChain(
  endpoint: AskedEndpoint,
  pool: StakedPool,
  wish: StakeWish,
): Promise<BuiltStake | ApiError> {
  const { connection, web3 } = endpoint;
  const { wallet, amount, decimals } = wish;
  const instructions = new StakeInstructions(web3, pool);
  const nonce = await nextNonce(endpoint, pool, wallet);
  const { from, receipts, entry } = instructions.accounts({ wallet, nonce });
  const payer = new web3.PublicKey(wallet);
  const [{ value: before }, { blockhash, lastValidBlockHeight }] = await Promise.all([
    connection.getMultipleAccountsInfoAndContext([from, receipts, entry, payer]),
    connection.getLatestBlockhash(),
  ]);
  const [heldIn, ...opened] = before;
  const held =
    heldIn && heldIn.data.length >= TOKEN_ACCOUNT_SIZE ? heldIn.data.readBigUInt64LE(AMOUNT_OFFSET) : 0n;
  if (held < amount) {
    return new TooLittleBdError(
      `The wallet holds ${toDecimalText(held, decimals)} BD that is not staked, and ${toDecimalText(amount, decimals)} BD ` +
        'were to be staked. Stake less, or bring more BD into the wallet.',
    );
  }

  const message = new web3.TransactionMessage({
    payerKey: payer,
    recentBlockhash: blockhash,
    instructions: instructions.of({ wallet, nonce, amount }),
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
    if (!(refusal instanceof TooLittleSolError)) return refusal;
    const needed = BigInt(fee) + (await rentToLayDown(connection, pool, opened[0] === null));
    const has = BigInt(opened[2]?.lamports ?? 0);
    return new TooLittleSolError(
      `${TOO_LITTLE_SOL} It has ${toDecimalText(has, SOL_DECIMALS)} SOL, and about ` +
        `${toDecimalText(needed, SOL_DECIMALS)} SOL are needed. Send it some SOL, then try again.`,
    );
  }
  const rent = (tried.accounts ?? []).reduce(
    (sum, account, place) => sum + BigInt(account?.lamports ?? 0) - BigInt(opened[place]?.lamports ?? 0),
    0n,
  );
  return {
    transaction,
    fee: BigInt(fee),
    rent: rent > 0n ? rent : 0n,
    lastValidBlockHeight,
    unitsConsumed: tried.unitsConsumed ?? null,
    slot: context.slot,
  };
}
