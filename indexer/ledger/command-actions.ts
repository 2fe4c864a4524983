import { type Connection, type Keypair, PublicKey, SendTransactionError } from '@solana/web3.js';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';
import { LEDGER } from './addresses.ts';
import { decodeKey } from './base58-cache.ts';
import { formatBd } from './command-wallets.ts';
import { SOL } from './genesis.ts';
import { decodeStakeEntry, STAKE_ENTRY_BYTES, type StakeEntry } from './stake-program/layout.ts';
import { bdAccountOf } from './token-instructions.ts';
import { depositWire, stakeWire, transferWire, unstakeWire, withdrawWire } from './transactions.ts';
import { ledgerAddress, ledgerKeypair } from './wallets.ts';

const LEAST_LAMPORTS = SOL / 10n;
const REFILL_LAMPORTS = 10n * SOL;
const CONFIRM_WITHIN = 30_000;
const CONFIRM_EVERY = 200;

/** Each action sends a signed transaction over JSON-RPC, waits until it is confirmed, and answers what it did. */

export async function stake(connection: Connection, wallet: Keypair, amount: bigint): Promise<string> {
  const funded = await fund(connection, wallet, amount);
  const nonces = (await entriesOf(connection, wallet)).map((entry) => entry.nonce);
  const nonce = Math.max(-1, ...nonces) + 1;
  const signature = await send(connection, (blockhash) => stakeWire(wallet, { amount, nonce }, blockhash));
  return [...funded, `Staked ${formatBd(amount)} BD for 180 days (nonce ${nonce}).`, signature].join('\n');
}

export async function unstake(
  connection: Connection,
  wallet: Keypair,
  nonce: number | null,
): Promise<string> {
  const open = (await entriesOf(connection, wallet)).filter((entry) => entry.closedTime === 0n);
  const wanted = nonce === null ? open : open.filter((entry) => entry.nonce === nonce);
  const [oldest] = wanted.toSorted((left, right) => Number(unlockTime(left) - unlockTime(right)));
  if (oldest === undefined)
    throw notNow(`The wallet has no open stake${nonce === null ? '' : ` with nonce ${nonce}`}.`);
  const unlocksAt = new Date(Number(unlockTime(oldest)) * 1_000);
  if (unlocksAt.getTime() > Date.now()) {
    throw notNow(
      `The stake of ${formatBd(oldest.amount)} BD (nonce ${oldest.nonce}) is locked until ${unlocksAt.toISOString()}.`,
    );
  }
  await fund(connection, wallet, 0n);
  const signature = await send(connection, (blockhash) => unstakeWire(wallet, oldest, blockhash));
  return `Unstaked ${formatBd(oldest.amount)} BD (nonce ${oldest.nonce}).\n${signature}`;
}

export async function deposit(connection: Connection, wallet: Keypair, amount: bigint): Promise<string> {
  const funded = await fund(connection, wallet, amount);
  const signature = await send(connection, (blockhash) => depositWire(wallet, { amount }, blockhash));
  return [...funded, `Deposited ${formatBd(amount)} BD into the vault.`, signature].join('\n');
}

export async function withdraw(connection: Connection, wallet: Keypair, amount: bigint): Promise<string> {
  const to = wallet.publicKey.toBase58();
  const signature = await send(connection, (blockhash) => withdrawWire({ to, amount }, blockhash));
  return `Withdrew ${formatBd(amount)} BD from the vault to ${to}.\n${signature}`;
}

export async function transfer(
  connection: Connection,
  wallet: Keypair,
  receiver: string,
  amount: bigint,
): Promise<string> {
  const to = decodeKey(receiver) === null ? ledgerAddress(receiver) : receiver;
  const funded = await fund(connection, wallet, amount);
  const signature = await send(connection, (blockhash) => transferWire(wallet, { to, amount }, blockhash));
  return [...funded, `Transferred ${formatBd(amount)} BD to ${to}.`, signature].join('\n');
}

function notNow(message: string): StartError {
  return new StartError(message, EXIT.tryAgain);
}

function unlockTime(entry: StakeEntry): bigint {
  return entry.createdTime + entry.duration;
}

async function entriesOf(connection: Connection, wallet: Keypair): Promise<StakeEntry[]> {
  const accounts = await connection.getProgramAccounts(new PublicKey(LEDGER.stakeProgram), {
    filters: [
      { dataSize: STAKE_ENTRY_BYTES },
      { memcmp: { offset: 12, bytes: LEDGER.stakePool } },
      { memcmp: { offset: 76, bytes: wallet.publicKey.toBase58() } },
    ],
  });
  return accounts.flatMap(({ account }) => decodeStakeEntry(account.data) ?? []);
}

/** Gives a wallet what it lacks: lamports from the faucet, BD from the treasury. Answers what it did. */
async function fund(connection: Connection, wallet: Keypair, amount: bigint): Promise<string[]> {
  const done: string[] = [];
  const address = wallet.publicKey.toBase58();
  if (BigInt(await connection.getBalance(wallet.publicKey)) < LEAST_LAMPORTS) {
    await confirm(connection, await connection.requestAirdrop(wallet.publicKey, Number(REFILL_LAMPORTS)));
    done.push(`Gave ${address} ${REFILL_LAMPORTS / SOL} SOL.`);
  }
  const account = await connection.getAccountInfo(new PublicKey(bdAccountOf(address)));
  const missing = amount - (account?.data.readBigUInt64LE(64) ?? 0n);
  if (missing > 0n) {
    const treasury = ledgerKeypair('treasury');
    const gift = { to: address, amount: missing };
    await send(connection, (blockhash) => transferWire(treasury, gift, blockhash));
    done.push(`Gave ${address} ${formatBd(missing)} BD from the treasury.`);
  }
  return done;
}

async function send(connection: Connection, build: (blockhash: string) => Uint8Array): Promise<string> {
  const { blockhash } = await connection.getLatestBlockhash();
  try {
    const signature = await connection.sendRawTransaction(build(blockhash));
    await confirm(connection, signature);
    return signature;
  } catch (error) {
    if (!(error instanceof SendTransactionError)) throw error;
    const logs = error.logs ?? [];
    throw new StartError(
      ['The ledger refused the transaction:', error.transactionError.message, ...logs].join('\n  '),
      EXIT.tryAgain,
      { cause: error },
    );
  }
}

async function confirm(connection: Connection, signature: string): Promise<void> {
  const deadline = Date.now() + CONFIRM_WITHIN;
  while (Date.now() < deadline) {
    const { value } = await connection.getSignatureStatus(signature);
    if (value?.err) throw notNow(`The transaction ${signature} failed: ${JSON.stringify(value.err)}`);
    if (value?.confirmationStatus === 'confirmed' || value?.confirmationStatus === 'finalized') return;
    await new Promise((resolve) => setTimeout(resolve, CONFIRM_EVERY));
  }
  throw notNow(`The transaction ${signature} was not confirmed within ${CONFIRM_WITHIN / 1_000} s.`);
}
