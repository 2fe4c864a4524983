/** Balances, accounts and program accounts, as of the newest slot. Format: agave, `account-decoder/src/lib.rs`. */
import bs58 from 'bs58';
import type { LedgerAccount, LedgerChain } from '../chain.ts';
import { invalidParams, RPC_ERROR, RpcError } from './json-rpc.ts';
import {
  decodeBase64,
  type Param,
  type RpcMethods,
  readCommitment,
  readStateConfig,
  withContext,
} from './params.ts';

const MAX_ACCOUNTS = 100;
const MAX_ACCOUNT_DATA = 10 * 1024 * 1024;
/** A node encodes at most this many bytes in base58, because the encoding takes quadratic time. */
export const MAX_BASE58_BYTES = 128;
/** The rent epoch of rent-exempt accounts. All accounts are rent-exempt, since rent is no longer collected. */
const RENT_EPOCH = 2n ** 64n - 1n;

interface AccountFormat {
  /** `legacy`, a node's default, is a plain base58 string. */
  readonly encoding: 'legacy' | 'base58' | 'base64';
  readonly dataSlice: { readonly offset: number; readonly length: number } | null;
}

export function readAccountFormat(config: Param): AccountFormat {
  const encodingParam = config.get('encoding');
  const encoding = encodingParam.isAbsent ? 'legacy' : encodingParam.choice(['base58', 'base64'], 'base64');
  const slice = config.get('dataSlice');
  if (slice.isAbsent) return { encoding, dataSlice: null };
  const [offset, length] = [slice.object().get('offset').integer(), slice.get('length').integer()];
  return { encoding, dataSlice: { offset, length } };
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
  const slicedData =
    dataSlice === null ? data : data.subarray(dataSlice.offset, dataSlice.offset + dataSlice.length);
  return {
    data: encodeData(slicedData, encoding),
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
/** The length of the longest base58 text for `MAX_COMPARED_BYTES`. The base64 text is shorter. */
const MAX_COMPARED_CHARACTERS = 175;

function readFilter(filter: Param): AccountFilter {
  const dataSize = filter.object().get('dataSize');
  if (!dataSize.isAbsent) {
    const size = dataSize.integer();
    return (data) => data.length === size;
  }
  const memcmp = filter.get('memcmp');
  if (memcmp.isAbsent) throw invalidParams(`${filter.path} must have dataSize or memcmp`);
  const offset = memcmp.object().get('offset').integer();
  const encoding = memcmp.get('encoding').choice(['base58', 'base64'], 'base58');
  const text = memcmp.get('bytes').text();
  const decode = encoding === 'base58' ? bs58.decodeUnsafe : decodeBase64;
  const bytes = text.length > MAX_COMPARED_CHARACTERS ? null : decode(text);
  if (!bytes || bytes.length > MAX_COMPARED_BYTES) {
    throw invalidParams(`${memcmp.path}.bytes must be ${encoding} of at most ${MAX_COMPARED_BYTES} bytes`);
  }
  return (data) =>
    data.length >= offset + bytes.length && bytes.every((byte, index) => data[offset + index] === byte);
}

function encodeAll(chain: LedgerChain, addresses: readonly string[], params: Param): unknown[] {
  const format = readAccountFormat(readStateConfig(chain, params, 1));
  return addresses.map((address) => {
    const account = chain.account(address);
    return account === null ? null : encodeAccount(account, format);
  });
}

export const ACCOUNT_METHODS: RpcMethods = {
  /** Lamports; 0 if there is no account. */
  getBalance(chain, params) {
    params.checkCount(2);
    const address = params.get(0).address();
    readStateConfig(chain, params, 1);
    return withContext(chain, chain.account(address)?.lamports ?? 0n);
  },

  getAccountInfo(chain, params) {
    params.checkCount(2);
    const address = params.get(0).address();
    return withContext(chain, encodeAll(chain, [address], params)[0]);
  },

  getMultipleAccounts(chain, params) {
    params.checkCount(2);
    const items = params.get(0).items(MAX_ACCOUNTS);
    const addresses = items.map((item) => item.address());
    return withContext(chain, encodeAll(chain, addresses, params));
  },

  /** Sorted by address. The option `withContext` adds the slot. */
  getProgramAccounts(chain, params) {
    params.checkCount(2);
    const program = params.get(0).address();
    const config = readStateConfig(chain, params, 1);
    const filterList = config.get('filters');
    const filters = filterList.isAbsent ? [] : filterList.items(MAX_FILTERS).map(readFilter);
    const format = readAccountFormat(config);
    const isWrapped = config.get('withContext').flag();
    const matches: { account: object; pubkey: string }[] = [];
    for (const [pubkey, account] of chain.programAccounts(program)) {
      if (filters.every((accepts) => accepts(account.data)))
        matches.push({ account: encodeAccount(account, format), pubkey });
    }
    matches.sort((one, other) => (one.pubkey < other.pubkey ? -1 : 1));
    return isWrapped ? withContext(chain, matches) : matches;
  },

  getMinimumBalanceForRentExemption(chain, params) {
    params.checkCount(2);
    const length = params.get(0).integer(0, MAX_ACCOUNT_DATA);
    readCommitment(params.config(1));
    return chain.rentExemption(length);
  },
};
