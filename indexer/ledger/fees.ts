import { COMPUTE_BUDGET_PROGRAM } from './programs.ts';
import type { WireMessage } from './wire.ts';

/** Lamports a signature costs. */
export const SIGNATURE_FEE = 5000n;
const MICRO_LAMPORTS = 1_000_000n;
const MAX_UNITS = 1_400_000;
const DEFAULT_UNITS = 200_000;
/** Units the runtime grants an instruction of a built-in program that asks for none. */
const DEFAULT_BUILT_IN_UNITS = 3_000;
const BUILT_IN_PROGRAMS: ReadonlySet<string> = new Set([
  '11111111111111111111111111111111',
  COMPUTE_BUDGET_PROGRAM,
  'Vote111111111111111111111111111111111111111',
  'Ed25519SigVerify111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
  'Secp256r1SigVerify1111111111111111111111111',
]);
const SIGNATURE_PROGRAMS: ReadonlySet<string> = new Set([
  'Ed25519SigVerify111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
  'Secp256r1SigVerify1111111111111111111111111',
]);

/**
 * Lamports that a message costs: its signatures, those its signature programs verify, and its priority fee
 * (compute unit limit × price, rounded up).
 */
export function messageFee(message: WireMessage): bigint {
  let signatures = message.header.requiredSignatures;
  let limit: number | null = null;
  let price = 0n;
  let defaultUnits = 0;
  for (const { programIdIndex, data } of message.instructions) {
    const program = message.staticKeys[programIdIndex] ?? '';
    if (SIGNATURE_PROGRAMS.has(program)) signatures += data[0] ?? 0;
    defaultUnits += BUILT_IN_PROGRAMS.has(program) ? DEFAULT_BUILT_IN_UNITS : DEFAULT_UNITS;
    if (program !== COMPUTE_BUDGET_PROGRAM) continue;
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    if (data[0] === 2 && data.length >= 5) limit = view.getUint32(1, true);
    if (data[0] === 3 && data.length >= 9) price = view.getBigUint64(1, true);
  }
  const units = BigInt(Math.min(limit ?? defaultUnits, MAX_UNITS));
  const priority = (units * price + MICRO_LAMPORTS - 1n) / MICRO_LAMPORTS;
  return BigInt(signatures) * SIGNATURE_FEE + priority;
}
