import { createHash } from 'node:crypto';
import type { AccountInfo, PublicKey } from '@solana/web3.js';
import { walletName } from '../../data/contract/wallet-name.ts';
import { type ApiRoute, callRoute } from '../call-router.ts';
import type { ChainReads, QueriedEndpoint, Web3 } from '../chain/chain-reads.ts';
import type { FigureInputs } from '../metrics/figure.ts';
import { readQuery } from '../request-input.ts';
import { checkAddress } from '../wallet-address.ts';

// The Solana Name Service (https://github.com/SolanaNameService/sns-sdk). An account of the name-offers
// program points to a wallet's primary name: it holds a tag (u8), then the address of the name's account.
const OFFERS_PROGRAM = '85iDfUvr3HJyLM2zcq5BXSiDvUWfw6cSE1FfNBo8Ap29';
const NAME_PROGRAM = 'namesLPneVptA9Z5rqUDD9tMTWEJwofgaYwp8cawRkX';
/** The account of the domain `sol`. */
const SOL_DOMAIN = '58PwtjSDuFHuUkYjH9BYnnQKHfwo9reZhC2zMJv9JPkx';
/** The class of reverse-lookup accounts, which hold the name of another account as text. */
const REVERSE_CLASS = '33m47vH6Eav6jr5Ry86XjhRft2jRBLDnDgPSHoquXi2Z';
const HASH_PREFIX = 'SPL Name Service';
/** A name account starts with the keys of its parent, owner and class. */
const HEADER_BYTES = 96;
const MAX_NAME_BYTES = 128;

function nameAccount(
  { PublicKey }: Web3,
  name: string,
  keys: { class?: string; parent?: string },
): PublicKey {
  const hashed = createHash('sha256').update(HASH_PREFIX).update(name).digest();
  const seed = (key: string | undefined) =>
    key === undefined ? Buffer.alloc(32) : new PublicKey(key).toBuffer();
  const seeds = [hashed, seed(keys.class), seed(keys.parent)];
  return PublicKey.findProgramAddressSync(seeds, new PublicKey(NAME_PROGRAM))[0];
}

export function primaryNameAccount({ PublicKey }: Web3, wallet: string): PublicKey {
  const seeds = [Buffer.from('favourite_domain'), new PublicKey(wallet).toBuffer()];
  return PublicKey.findProgramAddressSync(seeds, new PublicKey(OFFERS_PROGRAM))[0];
}

/** The account of a name in the domain `sol`. @param name without `.sol`, such as `bonfida` */
export const solNameAccount = (web3: Web3, name: string): PublicKey =>
  nameAccount(web3, name, { parent: SOL_DOMAIN });

export const reverseAccount = (web3: Web3, account: PublicKey): PublicKey =>
  nameAccount(web3, account.toBase58(), { class: REVERSE_CLASS });

type OptionalAccount = AccountInfo<Buffer> | null | undefined;

/** Whether an account is a name account. @param keys the keys that it must contain, by byte offset */
function isName(
  web3: Web3,
  account: OptionalAccount,
  keys: Readonly<Record<number, string>>,
): account is AccountInfo<Buffer> {
  if (account?.owner.toBase58() !== NAME_PROGRAM || account.data.length < HEADER_BYTES) return false;
  return Object.entries(keys).every(
    ([offset, key]) => new web3.PublicKey(account.data.subarray(+offset, +offset + 32)).toBase58() === key,
  );
}

/** Null if the name is empty, too long or not valid UTF-8. */
function textOf(data: Buffer): string | null {
  const length = data.length < HEADER_BYTES + 4 ? 0 : data.readUInt32LE(HEADER_BYTES);
  if (length === 0 || length > MAX_NAME_BYTES || data.length < HEADER_BYTES + 4 + length) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(
      data.subarray(HEADER_BYTES + 4, HEADER_BYTES + 4 + length),
    );
  } catch {
    return null;
  }
}

/** Reads a wallet's primary name, such as `bonfida`; null if it has none, or no longer owns the name. */
async function readName({ connection, web3 }: QueriedEndpoint, wallet: string): Promise<string | null> {
  const primary = await connection.getAccountInfo(primaryNameAccount(web3, wallet));
  if (primary?.owner.toBase58() !== OFFERS_PROGRAM || primary.data.length < 33) return null;
  const account = new web3.PublicKey(primary.data.subarray(1, 33));
  const [nameInfo, reverseInfo] = await connection.getMultipleAccountsInfo([
    account,
    reverseAccount(web3, account),
  ]);
  if (!isName(web3, nameInfo, { 0: SOL_DOMAIN, 32: wallet })) return null;
  if (!isName(web3, reverseInfo, { 64: REVERSE_CLASS })) return null;
  const text = textOf(reverseInfo.data);
  // The text needs no other check, because the address of the name's account is derived from the text.
  return text !== null && solNameAccount(web3, text).equals(account) ? text : null;
}

/**
 * A name as it is shown. All characters except `a` to `z`, digits, `-` and `_` are escaped, because they can be invisible or
 * look like one of these: `аda` with a Cyrillic а becomes `\u{430}da`.
 */
export const plainName = (name: string): string =>
  name.replaceAll(/[^a-z0-9_-]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

const CACHE_MS = 600_000;
const MAX_CACHED = 2_000;

interface NameContext {
  readonly stakeReads: ChainReads;
  readonly figureInputs: () => FigureInputs;
  readonly monotonicNow: () => number;
}

/**
 * Returns a function that reads a wallet's name and caches it for ten minutes. Concurrent calls for a wallet share one read.
 */
function createNameReader({ stakeReads, figureInputs, monotonicNow }: NameContext) {
  const cache = new Map<string, { readonly until: number; readonly name: Promise<string | null> }>();
  return (wallet: string): Promise<string | null> => {
    const cached = cache.get(wallet);
    if (cached && monotonicNow() < cached.until) return cached.name;
    const health = figureInputs().index.endpoints;
    const name = stakeReads.firstResult(health, (endpoint) => readName(endpoint, wallet));
    cache.delete(wallet);
    cache.set(wallet, { until: monotonicNow() + CACHE_MS, name });
    const [oldest] = cache.keys();
    if (oldest !== undefined && cache.size > MAX_CACHED) cache.delete(oldest);
    name.catch(() => {
      if (cache.get(wallet)?.name === name) cache.delete(wallet);
    });
    return name;
  };
}

/** `GET /api/wallet/name`. The data is public, so no signature is needed. */
export function nameRoute(context: NameContext): ApiRoute {
  const nameOf = createNameReader(context);
  return callRoute(walletName, { limit: 'names' }, async (request, response) => {
    const { walletAddress } = readQuery(walletName.query, request.query);
    checkAddress(walletAddress);
    const name = await nameOf(walletAddress);
    response.json({ walletAddress, name: name === null ? null : `${plainName(name)}.sol` });
  });
}
