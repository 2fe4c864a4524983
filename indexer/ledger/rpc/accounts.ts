/** Balances, accounts and program accounts, at the newest slot. Shapes: agave, `account-decoder/src/lib.rs`. */
import bs58 from 'bs58';
import type { LedgerAccount, LedgerChain } from '../chain.ts';
import { invalidParams, RPC_ERROR, RpcError } from './json-rpc.ts';
import {
  type Config,
  checkCount,
  decodeBase64,
  isAbsent,
  type RpcMethods,
  readAddress,
  readArray,
  readChoice,
  readCommitment,
  readConfig,
  readFlag,
  readInteger,
  readObject,
  readStateConfig,
  readText,
  withContext,
} from './params.ts';

const MAX_ACCOUNTS = 100;
/** The maximum size of an account's data (10 MiB). */
const MAX_ACCOUNT_DATA = 10 * 1024 * 1024;
/** Base58 takes quadratic time; a node encodes no more than this. */
export const MAX_BASE58_BYTES = 128;
/** The rent epoch of every rent-exempt account, since rent is no longer collected. */
const RENT_EPOCH = 2n ** 64n - 1n;

interface AccountFormat {
  /** `legacy` is a plain base58 string, a node's default encoding. */
  readonly encoding: 'legacy' | 'base58' | 'base64';
  readonly dataSlice: { readonly offset: number; readonly length: number } | null;
}

/** The encoding and data slice in a configuration. */
export function readAccountFormat(config: Config, at: string): AccountFormat {
  const encoding = isAbsent(config.encoding)
    ? 'legacy'
    : readChoice(config.encoding, `${at}.encoding`, ['base58', 'base64'], 'base64');
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

function encodeData(data: Uint8Array, encoding: AccountFormat['encoding']): unknown {
  if (encoding === 'base64') return [Buffer.from(data).toString('base64'), 'base64'];
  if (data.length > MAX_BASE58_BYTES) {
    throw new RpcError(
      RPC_ERROR.invalidRequest,
      `Encoded binary (base 58) data should be less than ${MAX_BASE58_BYTES} bytes, please use Base64 encoding.`,
    );
  }
  const text = bs58.encode(data);
  return encoding === 'legacy' ? text : [text, 'base58'];
}

export function encodeAccount(account: LedgerAccount, { encoding, dataSlice }: AccountFormat): object {
  const { data, executable, lamports, owner } = account;
  const part =
    dataSlice === null ? data : data.subarray(dataSlice.offset, dataSlice.offset + dataSlice.length);
  return {
    data: encodeData(part, encoding),
    executable,
    lamports,
    owner,
    rentEpoch: RENT_EPOCH,
    space: data.length,
  };
}

type AccountFilter = (data: Uint8Array) => boolean;
const MAX_FILTERS = 4;
const MAX_COMPARED_BYTES = 128;
/** 128 bytes have at most this many characters in base58; base64 is shorter. */
const MAX_COMPARED_CHARACTERS = 175;

function readFilter(value: unknown, at: string): AccountFilter {
  const filter = readObject(value, at);
  if (!isAbsent(filter.dataSize)) {
    const size = readInteger(filter.dataSize, `${at}.dataSize`);
    return (data) => data.length === size;
  }
  if (isAbsent(filter.memcmp)) throw invalidParams(`${at} must have dataSize or memcmp`);
  const memcmp = readObject(filter.memcmp, `${at}.memcmp`);
  const offset = readInteger(memcmp.offset, `${at}.memcmp.offset`);
  const encoding = readChoice(memcmp.encoding, `${at}.memcmp.encoding`, ['base58', 'base64'], 'base58');
  const text = readText(memcmp.bytes, `${at}.memcmp.bytes`);
  const decode = encoding === 'base58' ? bs58.decodeUnsafe : decodeBase64;
  const bytes = text.length > MAX_COMPARED_CHARACTERS ? null : decode(text);
  if (isAbsent(bytes) || bytes.length > MAX_COMPARED_BYTES) {
    throw invalidParams(`${at}.memcmp.bytes must be ${encoding} of at most ${MAX_COMPARED_BYTES} bytes`);
  }
  return (data) =>
    data.length >= offset + bytes.length && bytes.every((byte, index) => data[offset + index] === byte);
}

function readFilters(value: unknown, at: string): AccountFilter {
  if (isAbsent(value)) return () => true;
  const filters = readArray(value, at, MAX_FILTERS).map((filter, index) =>
    readFilter(filter, `${at}[${index}]`),
  );
  return (data) => filters.every((accepts) => accepts(data));
}

function encodeAll(chain: LedgerChain, addresses: readonly string[], params: readonly unknown[]): unknown[] {
  const format = readAccountFormat(readStateConfig(chain, params, 1), 'params[1]');
  return addresses.map((address) => {
    const account = chain.account(address);
    return account === null ? null : encodeAccount(account, format);
  });
}

export const ACCOUNT_METHODS: RpcMethods = {
  /** Lamports; 0 if there is no account. */
  getBalance(chain, params) {
    checkCount(params, 2);
    const address = readAddress(params[0], 'params[0]');
    readStateConfig(chain, params, 1);
    return withContext(chain, chain.account(address)?.lamports ?? 0n);
  },

  getAccountInfo(chain, params) {
    checkCount(params, 2);
    const address = readAddress(params[0], 'params[0]');
    return withContext(chain, encodeAll(chain, [address], params)[0]);
  },

  getMultipleAccounts(chain, params) {
    checkCount(params, 2);
    const addresses = readArray(params[0], 'params[0]', MAX_ACCOUNTS).map((address, index) =>
      readAddress(address, `params[0][${index}]`),
    );
    return withContext(chain, encodeAll(chain, addresses, params));
  },

  /** The accounts of a program that pass all filters, by address; `withContext` wraps the list. */
  getProgramAccounts(chain, params) {
    checkCount(params, 2);
    const program = readAddress(params[0], 'params[0]');
    const config = readStateConfig(chain, params, 1);
    const accepts = readFilters(config.filters, 'params[1].filters');
    const format = readAccountFormat(config, 'params[1]');
    const isWrapped = readFlag(config.withContext, 'params[1].withContext');
    const found: { account: object; pubkey: string }[] = [];
    for (const [pubkey, account] of chain.programAccounts(program)) {
      if (accepts(account.data)) found.push({ account: encodeAccount(account, format), pubkey });
    }
    found.sort((one, other) => (one.pubkey < other.pubkey ? -1 : 1));
    return isWrapped ? withContext(chain, found) : found;
  },

  /** Lamports that make an account with this many bytes of data rent-exempt. */
  getMinimumBalanceForRentExemption(chain, params) {
    checkCount(params, 2);
    const length = readInteger(params[0], 'params[0]', 0, MAX_ACCOUNT_DATA);
    readCommitment(readConfig(params, 1), 'params[1]');
    return chain.rentExemption(length);
  },
};
