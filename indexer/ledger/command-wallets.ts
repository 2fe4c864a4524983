import { type Connection, type Keypair, PublicKey } from '@solana/web3.js';
import { toDecimalText } from '../../data/model/amounts.ts';
import { DEMO_WALLETS } from '../../data/model/demo-wallets.ts';
import { formatFull } from '../../data/model/format.ts';
import { BD_DECIMALS } from './addresses.ts';
import { decodeKey } from './base58-cache.ts';
import { FAUCET_NAME } from './faucet.ts';
import { SOL } from './genesis.ts';
import { bdAccountOf } from './token-instructions.ts';
import { HOLDER_NAMES, ledgerKeypair } from './wallets.ts';

/** Wallets of the genesis, in the order in which they are listed. */
const NAMES: readonly string[] = [
  ...HOLDER_NAMES,
  ...DEMO_WALLETS.map(({ name }) => name),
  'treasury',
  'vault-owner',
  'liquidity',
  'streamflow-lock',
  'creator',
  FAUCET_NAME,
];

/** The keypair that a name or the address of a known wallet stands for; null for an address that nobody here can sign for. */
export function namedWallet(nameOrAddress: string): Keypair | null {
  if (decodeKey(nameOrAddress) === null) return ledgerKeypair(nameOrAddress);
  const name = NAMES.find((known) => ledgerKeypair(known).publicKey.toBase58() === nameOrAddress);
  return name === undefined ? null : ledgerKeypair(name);
}

/** A table of the ledger's own wallets: name, address, BD and SOL. */
export async function listWallets(connection: Connection): Promise<string> {
  const addresses = NAMES.map((name) => ledgerKeypair(name).publicKey.toBase58());
  const keys = [...addresses, ...addresses.map(bdAccountOf)].map((address) => new PublicKey(address));
  const accounts = await connection.getMultipleAccountsInfo(keys);
  const rows = NAMES.map((name, index) => {
    const tokens = accounts[index + NAMES.length]?.data;
    const bd = tokens === undefined ? 0n : tokens.readBigUInt64LE(64);
    const sol = BigInt(accounts[index]?.lamports ?? 0) / SOL;
    const cells = [formatBd(bd).padStart(18), sol.toLocaleString('en-US').padStart(11)];
    return `${name.padEnd(16)} ${(addresses[index] ?? '').padEnd(44)} ${cells.join(' ')}`;
  });
  const head = `${'wallet'.padEnd(16)} ${'address'.padEnd(44)} ${'BD'.padStart(18)} ${'SOL'.padStart(11)}`;
  return [head, ...rows].join('\n');
}

/** Base units as a person reads them, such as `1,500,000.00`. */
export function formatBd(baseUnits: bigint): string {
  return formatFull(toDecimalText(baseUnits, BD_DECIMALS));
}
