/**
 * Reads the public figures from the ledger through JSON-RPC. It shares no code with the indexer or the API, so if the portal
 * shows the same figures, they are probably right.
 */
import { Connection, PublicKey } from '@solana/web3.js';
import { EMBEDDED_ADDRESSES } from '../data/config/environment.ts';

const STAKE_PROGRAM = new PublicKey('STAKEvGqQTtzJZH6BWDcbpzXXn2BBerPAgQ3EGLN2GH');

/** Formats base units with six decimals: `'99998436.01'`. */
function decimalText(units: bigint): string {
  const digits = units.toString().padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/\.?0+$/, '');
}

/** @returns the figures; amounts are decimal strings */
export async function readLedgerFigures(url: string) {
  const connection = new Connection(url, 'finalized');
  const vault = await connection.getTokenAccountBalance(new PublicKey(EMBEDDED_ADDRESSES.vault));
  const entries = await connection.getProgramAccounts(STAKE_PROGRAM, {
    filters: [{ dataSize: 220 }, { memcmp: { offset: 12, bytes: EMBEDDED_ADDRESSES.stakePool } }],
  });
  const openEntries = entries
    .map(({ account }) => account.data)
    .filter((data) => data.readBigUInt64LE(148) === 0n);
  return {
    vaultBalance: decimalText(BigInt(vault.value.amount)),
    totalStaked: decimalText(openEntries.reduce((sum, data) => sum + data.readBigUInt64LE(108), 0n)),
    stakers: new Set(openEntries.map((data) => data.subarray(76, 108).toString('hex'))).size,
  };
}
