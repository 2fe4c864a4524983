/**
 * Reads the public figures from the ledger by JSON-RPC. It shares no code with the indexer or the API, so agreement with
 * them is evidence.
 */
import { EMBEDDED_ADDRESSES } from '../data/config/environment.ts';

const STAKE_PROGRAM = 'STAKEvGqQTtzJZH6BWDcbpzXXn2BBerPAgQ3EGLN2GH';

interface EncodedAccount {
  readonly data: readonly [string, 'base64'];
}

async function rpc<T>(url: string, method: string, params: readonly unknown[]): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: '1', method, params }),
  });
  const body: { result?: T; error?: { message: string } } = await response.json();
  if (body.result === undefined) throw new Error(`${method}: ${body.error?.message}`);
  return body.result;
}

function bytes(account: EncodedAccount): Buffer {
  return Buffer.from(account.data[0], 'base64');
}

/** Formats base units with six decimals: `'99998436.01'`. */
function asText(units: bigint): string {
  const digits = units.toString().padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/\.?0+$/, '');
}

interface LedgerFigures {
  readonly vaultBalance: string;
  readonly totalStaked: string;
  readonly stakers: number;
}

export async function readLedgerFigures(url: string): Promise<LedgerFigures> {
  const vault = await rpc<{ value: { amount: string } }>(url, 'getTokenAccountBalance', [
    EMBEDDED_ADDRESSES.vault,
  ]);
  const entries = await rpc<{ account: EncodedAccount }[]>(url, 'getProgramAccounts', [
    STAKE_PROGRAM,
    {
      encoding: 'base64',
      filters: [{ dataSize: 220 }, { memcmp: { offset: 12, bytes: EMBEDDED_ADDRESSES.stakePool } }],
    },
  ]);
  const open = entries
    .map(({ account }) => bytes(account))
    .filter((data) => data.readBigUInt64LE(148) === 0n);
  return {
    vaultBalance: asText(BigInt(vault.value.amount)),
    totalStaked: asText(open.reduce((sum, data) => sum + data.readBigUInt64LE(108), 0n)),
    stakers: new Set(open.map((data) => data.subarray(76, 108).toString('hex'))).size,
  };
}
