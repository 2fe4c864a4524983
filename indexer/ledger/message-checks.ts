import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import bs58 from 'bs58';
import { encodeKey, keyBytes } from './base58-cache.ts';
import type { LedgerAccount } from './chain.ts';
import { COMPUTE_BUDGET_PROGRAM, MEMO_PROGRAMS, SYSTEM_PROGRAM } from './programs.ts';
import { isWritableStaticKey, type WireMessage, type WireTransaction } from './wire.ts';

/** DER prefix of an ed25519 public key (RFC 8410); the 32 bytes of the key follow. */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const KEY_CACHE_LIMIT = 10_000;
const publicKeys = new Map<string, KeyObject>();

/**
 * Whether each required signature is valid for its key and the message (ed25519). Like a cluster's strict verification,
 * OpenSSL rejects small-order keys.
 */
export function hasValidSignatures({ message, signatures }: WireTransaction): boolean {
  return signatures.every((signature, index) => {
    const signer = message.staticKeys[index];
    return signer !== undefined && verify(null, message.bytes, publicKeyOf(signer), signature);
  });
}

function publicKeyOf(address: string): KeyObject {
  const cached = publicKeys.get(address);
  if (cached !== undefined) return cached;
  if (publicKeys.size >= KEY_CACHE_LIMIT) publicKeys.clear();
  const der = Buffer.concat([SPKI_PREFIX, keyBytes(address)]);
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  publicKeys.set(address, key);
  return key;
}

/** A transaction's memos in JSON-RPC's format: `[length in bytes] text`, joined by `; `. Null if there is none. */
export function extractMemo({ instructions, staticKeys }: WireMessage): string | null {
  const memos = instructions
    .filter(({ programIdIndex }) => MEMO_PROGRAMS.has(staticKeys[programIdIndex] ?? ''))
    .map(({ data }) => `[${data.length}] ${Buffer.from(data).toString('utf8')}`);
  return memos.length === 0 ? null : memos.join('; ');
}

/** Lamports for each signature. */
export const SIGNATURE_FEE = 5000n;
const MICRO_LAMPORTS = 1_000_000n;
const MAX_COMPUTE_UNITS = 1_400_000;
const DEFAULT_UNITS = 200_000;
/** Compute units that an instruction of a built-in program gets by default. */
const DEFAULT_BUILT_IN_UNITS = 3_000;
const SIGNATURE_PROGRAMS: ReadonlySet<string> = new Set([
  'Ed25519SigVerify111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
  'Secp256r1SigVerify1111111111111111111111111',
]);
const BUILT_IN_PROGRAMS: ReadonlySet<string> = new Set([
  SYSTEM_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  'Vote111111111111111111111111111111111111111',
  ...SIGNATURE_PROGRAMS,
]);

/**
 * The fee for a message in lamports: 5,000 for each signature, including those that a signature program verifies, plus the
 * priority fee (compute unit limit × price, rounded up).
 */
export function messageFee({ header, staticKeys, instructions }: WireMessage): bigint {
  let signatureCount = header.requiredSignatures;
  let unitLimit: number | null = null;
  let price = 0n;
  let defaultUnits = 0;
  for (const { programIdIndex, data } of instructions) {
    const program = staticKeys[programIdIndex] ?? '';
    if (SIGNATURE_PROGRAMS.has(program)) signatureCount += data[0] ?? 0;
    defaultUnits += BUILT_IN_PROGRAMS.has(program) ? DEFAULT_BUILT_IN_UNITS : DEFAULT_UNITS;
    if (program !== COMPUTE_BUDGET_PROGRAM) continue;
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    if (data[0] === 2 && data.length >= 5) unitLimit = view.getUint32(1, true);
    if (data[0] === 3 && data.length >= 9) price = view.getBigUint64(1, true);
  }
  const units = BigInt(Math.min(unitLimit ?? defaultUnits, MAX_COMPUTE_UNITS));
  const priorityFee = (units * price + MICRO_LAMPORTS - 1n) / MICRO_LAMPORTS;
  return BigInt(signatureCount) * SIGNATURE_FEE + priorityFee;
}

/** A nonce account's size. Layout: version u32, state u32, authority, durable nonce, lamports per signature u64. */
export const NONCE_ACCOUNT_BYTES = 80;
const ADVANCE_NONCE = 4;

/**
 * The nonce account that a message uses instead of a recent blockhash, or null. The first instruction must advance the
 * account, the account's authority must sign, and the message's blockhash must be the account's nonce. Source: agave,
 * `check_load_and_advance_message_nonce_account`.
 */
export function durableNonceAddress(
  message: WireMessage,
  read: (address: string) => LedgerAccount | null,
): string | null {
  const { header, staticKeys, instructions, blockhash } = message;
  const [first] = instructions;
  if (first === undefined || staticKeys[first.programIdIndex] !== SYSTEM_PROGRAM) return null;
  const data = Buffer.from(first.data);
  if (data.length < 4 || data.readUInt32LE(0) !== ADVANCE_NONCE) return null;
  const [index = -1] = first.accounts;
  const address = staticKeys[index];
  if (address === undefined || !isWritableStaticKey(message, index)) return null;
  const account = read(address);
  if (account?.owner !== SYSTEM_PROGRAM || account.data.length !== NONCE_ACCOUNT_BYTES) return null;
  const state = Buffer.from(account.data);
  const isInitialized = state.readUInt32LE(0) === 1 && state.readUInt32LE(4) === 1;
  const authority = encodeKey(state.subarray(8, 40));
  const isSignedByAuthority = first.accounts.some(
    (keyIndex) => keyIndex < header.requiredSignatures && staticKeys[keyIndex] === authority,
  );
  return isInitialized && isSignedByAuthority && bs58.encode(state.subarray(40, 72)) === blockhash
    ? address
    : null;
}

/** Returns a nonce account with a new nonce, as the System program leaves it once the nonce has been used. */
export function withAdvancedNonce(account: LedgerAccount): LedgerAccount {
  const { lamports, owner, executable } = account;
  const data = Buffer.from(account.data);
  const next = createHash('sha256').update('DURABLE_NONCE').update(data.subarray(40, 72)).digest();
  data.set(next, 40);
  return { lamports, owner, executable, data };
}
