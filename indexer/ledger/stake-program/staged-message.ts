import { keyBytes } from '../base58-cache.ts';
import type { ResolvedTransaction } from '../resolved-transaction.ts';
import type { StagedInstruction } from './staged-instruction.ts';

/**
 * A legacy transaction that runs the staged instructions, with the writable and signer flags of the original, and the
 * program addresses as further signers. Its signatures are blank: the original's have been verified, and the runtime
 * verifies none.
 */
export function compileStaged(
  transaction: ResolvedTransaction,
  staged: readonly StagedInstruction[],
  signers: ReadonlySet<string>,
): { readonly wire: Uint8Array; readonly keys: readonly string[]; readonly extraSigners: number } {
  const flagged = transaction.keys.map((address, index) => ({
    address,
    isSigner: transaction.isSigner(index) || signers.has(address),
    isWritable: transaction.isWritable(index),
  }));
  // The fee payer is a writable signer and stands first already; the sort is stable.
  const ordered = flagged.toSorted((left, right) => rank(left) - rank(right));
  const keys = ordered.map((key) => key.address);
  const indexOf = new Map(keys.map((key, index) => [key, index]));
  const place = (address: string): number => {
    const index = indexOf.get(address);
    if (index === undefined) throw new Error(`The transaction does not name ${address}`);
    return index;
  };
  const count = (isSigner: boolean, isWritable: boolean): number =>
    flagged.filter((key) => key.isSigner === isSigner && key.isWritable === isWritable).length;
  const readonlySigners = count(true, false);
  const required = readonlySigners + count(true, true);
  const original = transaction.wire.message.header.requiredSignatures;

  const message = [
    Uint8Array.of(required, readonlySigners, count(false, false)),
    compactLength(keys.length),
    ...keys.map(keyBytes),
    new Uint8Array(32),
    compactLength(staged.length),
    ...staged.flatMap((instruction) => [
      Uint8Array.of(place(instruction.program)),
      compactLength(instruction.accounts.length),
      Uint8Array.from(instruction.accounts, place),
      compactLength(instruction.data.length),
      instruction.data,
    ]),
  ];
  const wire = Buffer.concat([compactLength(required), new Uint8Array(required * 64), ...message]);
  return { wire, keys, extraSigners: required - original };
}

function rank(key: { readonly isSigner: boolean; readonly isWritable: boolean }): number {
  return (key.isSigner ? 0 : 2) + (key.isWritable ? 0 : 1);
}

/** Solana's compact-u16. */
function compactLength(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>= 7;
  }
  bytes.push(rest);
  return Uint8Array.from(bytes);
}
