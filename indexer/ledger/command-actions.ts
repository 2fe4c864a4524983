import { type Connection, type Keypair, PublicKey, SendTransactionError } from '@solana/web3.js';
import { toDecimalText } from '../../data/model/amounts.ts';
import { DEMO_WALLETS } from '../../data/model/demo-wallets.ts';
import { formatFull } from '../../data/model/format.ts';
import { entryFilters, STAKE_ENTRY, type StakeEntry } from '../../data/model/stake-layout.ts';
import { LOCK_DAYS } from '../../data/model/staking-terms.ts';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';
import { BD_DECIMALS, FAUCET_NAME, HOLDER_NAMES, LEDGER, ledgerAddress, ledgerKeypair } from './addresses.ts';
import { decodeKey } from './base58-cache.ts';
import { LAMPORTS_PER_SOL } from './genesis.ts';
import {
  bdAccountOf,
  depositTransactionBytes,
  stakeTransactionBytes,
  transferTransactionBytes,
  unstakeTransactionBytes,
  withdrawalTransactionBytes,
} from './transactions.ts';

/** A wallet with fewer lamports gets an airdrop. */
const MIN_LAMPORTS = LAMPORTS_PER_SOL / 10n;
const REFILL_LAMPORTS = 10n * LAMPORTS_PER_SOL;
const CONFIRM_TIMEOUT_MS = 30_000;
const CONFIRM_INTERVAL_MS = 200;

// Each action returns the text to print. All but `advance` and `listWallets` send signed transactions over JSON-RPC and
// wait for confirmation.

export async function stake(connection: Connection, wallet: Keypair, amount: bigint): Promise<string> {
  const fundingLines = await fund(connection, wallet, amount);
  const nonces = (await entriesOf(connection, wallet)).map((entry) => entry.nonce);
  const nonce = Math.max(-1, ...nonces) + 1;
  const signature = await send(connection, (blockhash) =>
    stakeTransactionBytes(wallet, { amount, nonce }, blockhash),
  );
  const result = `Staked ${formatBd(amount)} BD for ${LOCK_DAYS} days (nonce ${nonce}).`;
  return [...fundingLines, result, signature].join('\n');
}

/** Advances the clock that the programs of an embedded ledger see. */
export async function advance({ rpcEndpoint }: Connection, seconds: number): Promise<string> {
  const response = await fetch(rpcEndpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'advanceClock', params: [seconds] }),
  });
  const { result, error } = await response.json();
  if (!result) throw tryAgainError(`The ledger did not advance its clock: ${error?.message}`);
  return `The ledger's programs now see ${new Date(result * 1_000).toISOString()}.`;
}

export async function unstake(
  connection: Connection,
  wallet: Keypair,
  nonce: number | null,
): Promise<string> {
  const openStakes = (await entriesOf(connection, wallet)).filter(
    (entry) => entry.closedAt === 0n && (nonce === null || entry.nonce === nonce),
  );
  const [oldest] = openStakes.toSorted((left, right) => Number(unlockTime(left) - unlockTime(right)));
  if (oldest === undefined)
    throw tryAgainError(`The wallet has no open stake${nonce === null ? '' : ` with nonce ${nonce}`}.`);
  await fund(connection, wallet, 0n);
  const signature = await send(connection, (blockhash) => unstakeTransactionBytes(wallet, oldest, blockhash));
  return `Unstaked ${formatBd(oldest.amount)} BD (nonce ${oldest.nonce}).\n${signature}`;
}

export async function deposit(connection: Connection, wallet: Keypair, amount: bigint): Promise<string> {
  const fundingLines = await fund(connection, wallet, amount);
  const signature = await send(connection, (blockhash) =>
    depositTransactionBytes(wallet, { amount }, blockhash),
  );
  return [...fundingLines, `Deposited ${formatBd(amount)} BD into the vault.`, signature].join('\n');
}

export async function withdraw(connection: Connection, wallet: Keypair, amount: bigint): Promise<string> {
  const to = wallet.publicKey.toBase58();
  const signature = await send(connection, (blockhash) =>
    withdrawalTransactionBytes({ to, amount }, blockhash),
  );
  return `Withdrew ${formatBd(amount)} BD from the vault to ${to}.\n${signature}`;
}

export async function transfer(
  connection: Connection,
  wallet: Keypair,
  receiver: string,
  amount: bigint,
): Promise<string> {
  const to = decodeKey(receiver) === null ? ledgerAddress(receiver) : receiver;
  const fundingLines = await fund(connection, wallet, amount);
  const signature = await send(connection, (blockhash) =>
    transferTransactionBytes(wallet, { to, amount }, blockhash),
  );
  return [...fundingLines, `Transferred ${formatBd(amount)} BD to ${to}.`, signature].join('\n');
}

function tryAgainError(message: string): StartError {
  return new StartError(message, EXIT.tryAgain);
}

function unlockTime(entry: StakeEntry): bigint {
  return entry.createdAt + entry.duration;
}

async function entriesOf(connection: Connection, wallet: Keypair): Promise<StakeEntry[]> {
  const accounts = await connection.getProgramAccounts(new PublicKey(LEDGER.stakeProgram), {
    filters: entryFilters(LEDGER.stakePool, wallet.publicKey.toBase58()),
  });
  return accounts.flatMap(({ account }) => STAKE_ENTRY.decode(account.data) ?? []);
}

/**
 * Gives a wallet SOL if it has too little for fees, and as much BD as it lacks for `amount`. @returns a line to print for each
 * transfer
 */
async function fund(connection: Connection, wallet: Keypair, amount: bigint): Promise<string[]> {
  const lines: string[] = [];
  const address = wallet.publicKey.toBase58();
  if (BigInt(await connection.getBalance(wallet.publicKey)) < MIN_LAMPORTS) {
    await confirm(connection, await connection.requestAirdrop(wallet.publicKey, Number(REFILL_LAMPORTS)));
    lines.push(`Gave ${address} ${REFILL_LAMPORTS / LAMPORTS_PER_SOL} SOL.`);
  }
  const account = await connection.getAccountInfo(new PublicKey(bdAccountOf(address)));
  const missing = amount - (account?.data.readBigUInt64LE(64) ?? 0n);
  if (missing > 0n) {
    const treasury = ledgerKeypair('treasury');
    const gift = { to: address, amount: missing };
    await send(connection, (blockhash) => transferTransactionBytes(treasury, gift, blockhash));
    lines.push(`Gave ${address} ${formatBd(missing)} BD from the treasury.`);
  }
  return lines;
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
      ['The ledger rejected the transaction:', error.transactionError.message, ...logs].join('\n  '),
      EXIT.tryAgain,
      { cause: error },
    );
  }
}

async function confirm(connection: Connection, signature: string): Promise<void> {
  const deadline = Date.now() + CONFIRM_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const { value } = await connection.getSignatureStatus(signature);
    if (value?.err) throw tryAgainError(`The transaction ${signature} failed: ${JSON.stringify(value.err)}`);
    if (value?.confirmationStatus === 'confirmed' || value?.confirmationStatus === 'finalized') return;
    await new Promise((resolve) => setTimeout(resolve, CONFIRM_INTERVAL_MS));
  }
  throw tryAgainError(
    `The transaction ${signature} was not confirmed within ${CONFIRM_TIMEOUT_MS / 1_000} s.`,
  );
}

/** In the order in which `listWallets` shows them. */
const WALLET_NAMES: readonly string[] = [
  ...HOLDER_NAMES,
  ...DEMO_WALLETS.map(({ name }) => name),
  'treasury',
  'vault-owner',
  'liquidity',
  'streamflow-lock',
  'creator',
  FAUCET_NAME,
];

/** The keypair for a wallet's name or address; null for an address without a known key. */
export function walletByNameOrAddress(nameOrAddress: string): Keypair | null {
  if (decodeKey(nameOrAddress) === null) return ledgerKeypair(nameOrAddress);
  const name = WALLET_NAMES.find((known) => ledgerKeypair(known).publicKey.toBase58() === nameOrAddress);
  return name === undefined ? null : ledgerKeypair(name);
}

export async function listWallets(connection: Connection): Promise<string> {
  const addresses = WALLET_NAMES.map((name) => ledgerKeypair(name).publicKey.toBase58());
  const keys = [...addresses, ...addresses.map(bdAccountOf)].map((address) => new PublicKey(address));
  const accounts = await connection.getMultipleAccountsInfo(keys);
  const rows = WALLET_NAMES.map((name, index) => {
    const tokenAccountData = accounts[index + WALLET_NAMES.length]?.data;
    const bd = tokenAccountData === undefined ? 0n : tokenAccountData.readBigUInt64LE(64);
    const sol = BigInt(accounts[index]?.lamports ?? 0) / LAMPORTS_PER_SOL;
    const cells = [formatBd(bd).padStart(18), sol.toLocaleString('en-US').padStart(11)];
    return `${name.padEnd(16)} ${(addresses[index] ?? '').padEnd(44)} ${cells.join(' ')}`;
  });
  const head = `${'wallet'.padEnd(16)} ${'address'.padEnd(44)} ${'BD'.padStart(18)} ${'SOL'.padStart(11)}`;
  return [head, ...rows].join('\n');
}

/** Base units as BD: `1,234,500.00`. */
function formatBd(baseUnits: bigint): string {
  return formatFull(toDecimalText(baseUnits, BD_DECIMALS));
}
