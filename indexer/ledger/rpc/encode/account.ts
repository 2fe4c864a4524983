/**
 * Accounts in the shape of a Solana node (Agave, `account-decoder/src/lib.rs`): base58, base64, base64+zstd, jsonParsed, and
 * the legacy base58 text that a node answers when no encoding is asked for.
 */
import { zstdCompressSync } from 'node:zlib';
import bs58 from 'bs58';
import type { LedgerAccount, LedgerChain } from '../../chain.ts';
import { type Config, isAbsent, readInteger, readObject, readWord } from '../params.ts';
import { invalidRequest } from '../rpc-error.ts';
import { parseAccount } from './parsed-account.ts';
import { readMint } from './token-state.ts';

export type AccountEncoding = 'binary' | 'base58' | 'base64' | 'base64+zstd' | 'jsonParsed';

interface DataSlice {
  readonly offset: number;
  readonly length: number;
}

export interface AccountFormat {
  readonly encoding: AccountEncoding;
  readonly dataSlice: DataSlice | null;
}

/** What every rent-exempt account carries since rent is no longer collected. */
const RENT_EPOCH = 2n ** 64n - 1n;
/** Base58 is quadratic in the length; a node encodes no more than this. */
export const MOST_BASE58_BYTES = 128;

const ENCODINGS: readonly AccountEncoding[] = ['binary', 'base58', 'base64', 'base64+zstd', 'jsonParsed'];

/** The encoding and data slice that a configuration asks for. */
export function readAccountFormat(config: Config, at: string): AccountFormat {
  const encoding = readWord(config.encoding, `${at}.encoding`, ENCODINGS, 'binary');
  if (isAbsent(config.dataSlice)) return { encoding, dataSlice: null };
  const slice = readObject(config.dataSlice, `${at}.dataSlice`);
  return {
    encoding,
    dataSlice: {
      offset: readInteger(slice.offset, `${at}.dataSlice.offset`),
      length: readInteger(slice.length, `${at}.dataSlice.length`),
    },
  };
}

/** A look-up of mint decimals that reads each mint once. */
export function mintDecimals(chain: LedgerChain): (mint: string) => number | null {
  const known = new Map<string, number | null>();
  return (mint) => {
    const seen = known.get(mint);
    if (seen !== undefined) return seen;
    const account = chain.account(mint);
    const decimals = account === null ? null : (readMint(account)?.decimals ?? null);
    known.set(mint, decimals);
    return decimals;
  };
}

function encodeData(
  account: LedgerAccount,
  { encoding, dataSlice }: AccountFormat,
  decimalsOf: (mint: string) => number | null,
): unknown {
  if (encoding === 'jsonParsed') {
    const parsed = parseAccount(account, decimalsOf);
    if (parsed !== null) return parsed;
  }
  const data =
    dataSlice === null
      ? account.data
      : account.data.subarray(dataSlice.offset, dataSlice.offset + dataSlice.length);
  if (encoding === 'binary' || encoding === 'base58') {
    if (data.length > MOST_BASE58_BYTES) {
      throw invalidRequest(
        `Encoded binary (base 58) data should be less than ${MOST_BASE58_BYTES} bytes, please use Base64 encoding.`,
      );
    }
    const text = bs58.encode(data);
    return encoding === 'binary' ? text : [text, 'base58'];
  }
  if (encoding === 'base64+zstd') return [zstdCompressSync(data).toString('base64'), 'base64+zstd'];
  return [Buffer.from(data).toString('base64'), 'base64'];
}

/** An account as the interface shows it. */
export function encodeAccount(
  account: LedgerAccount,
  format: AccountFormat,
  decimalsOf: (mint: string) => number | null,
): object {
  return {
    data: encodeData(account, format, decimalsOf),
    executable: account.executable,
    lamports: account.lamports,
    owner: account.owner,
    rentEpoch: RENT_EPOCH,
    space: account.data.length,
  };
}
