import { STAKE_ENTRY } from '../../../data/model/stake-layout.ts';
import { STAKING_PROGRAM } from '../../../data/model/staking-terms.ts';
import { keyBytes } from '../base58-cache.ts';
import { SYSTEM_PROGRAM } from '../programs.ts';
import type { ResolvedTransaction } from '../resolved-transaction.ts';

/** An instruction for the runtime: one from the signed transaction, or a call that the stake program would make. */
export interface StagedInstruction {
  /** The index of the instruction in the signed transaction. */
  readonly originIndex: number;
  /** Whether the stake program would make this call. */
  readonly isInner: boolean;
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
}

export type StagedCall = Pick<StagedInstruction, 'program' | 'accounts' | 'data'>;

/**
 * Creates the entry's account as Anchor's `init` does, so that lamports sent to its address beforehand cannot prevent a
 * stake. The System program refuses an address that another program owns.
 */
export function createEntryCalls(
  entry: string,
  payer: string,
  rent: bigint,
  prepaidLamports: bigint,
): StagedCall[] {
  const owner = keyBytes(STAKING_PROGRAM);
  if (prepaidLamports === 0n)
    return [systemProgramCall(0, [payer, entry], u64(rent), u64(STAKE_ENTRY.size), owner)];
  const missing = rent > prepaidLamports ? rent - prepaidLamports : 0n;
  return [
    ...(missing > 0n ? [systemProgramCall(2, [payer, entry], u64(missing))] : []),
    systemProgramCall(8, [entry], u64(STAKE_ENTRY.size)),
    systemProgramCall(1, [entry], owner),
  ];
}

/** The first byte of each token program instruction. */
const TOKEN_INSTRUCTION = { mintTo: 7, burn: 8, transferChecked: 12 } as const;

/** A call to a token program. `transferChecked` also takes the mint's decimals. @param amount base units */
export function tokenCall(
  program: string,
  name: keyof typeof TOKEN_INSTRUCTION,
  accounts: readonly string[],
  amount: bigint,
  decimals?: number,
): StagedCall {
  const decimalsByte = decimals === undefined ? [] : [decimals];
  const data = Buffer.from([TOKEN_INSTRUCTION[name], ...u64(amount), ...decimalsByte]);
  return { program, accounts, data };
}

function systemProgramCall(
  instruction: number,
  accounts: readonly string[],
  ...args: Uint8Array[]
): StagedCall {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(instruction);
  return { program: SYSTEM_PROGRAM, accounts, data: Buffer.concat([head, ...args]) };
}

function u64(value: bigint | number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

/**
 * Builds a legacy transaction from the staged instructions. Its keys keep their flags from the signed transaction, and the
 * program addresses in `signers` sign as well. Its signatures are blank, because the ledger has already verified those of the
 * signed transaction, and the runtime verifies none.
 */
export function compileStagedTransaction(
  transaction: ResolvedTransaction,
  stagedInstructions: readonly StagedInstruction[],
  signers: ReadonlySet<string>,
): { readonly wire: Uint8Array; readonly keys: readonly string[]; readonly extraSignerCount: number } {
  const flagged = transaction.keys.map((address, index) => ({
    address,
    isSigner: transaction.isSigner(index) || signers.has(address),
    isWritable: transaction.isWritable(index),
  }));
  // The fee payer stays first: it is a writable signer, and the sort is stable.
  const ordered = flagged.toSorted((left, right) => keyOrder(left) - keyOrder(right));
  const keys = ordered.map((key) => key.address);
  const indexByKey = new Map(keys.map((key, index) => [key, index]));
  const keyIndex = (address: string): number => {
    const index = indexByKey.get(address);
    if (index === undefined)
      throw new Error(`A staged instruction uses ${address}, which the signed transaction does not list`);
    return index;
  };
  const countKeys = (isSigner: boolean, isWritable: boolean): number =>
    flagged.filter((key) => key.isSigner === isSigner && key.isWritable === isWritable).length;
  const readonlySigners = countKeys(true, false);
  const requiredSignatureCount = readonlySigners + countKeys(true, true);
  const originalSignatureCount = transaction.wire.message.header.requiredSignatures;

  const message = [
    Uint8Array.of(requiredSignatureCount, readonlySigners, countKeys(false, false)),
    encodeCompactLength(keys.length),
    ...keys.map(keyBytes),
    new Uint8Array(32),
    encodeCompactLength(stagedInstructions.length),
    ...stagedInstructions.flatMap((instruction) => [
      Uint8Array.of(keyIndex(instruction.program)),
      encodeCompactLength(instruction.accounts.length),
      Uint8Array.from(instruction.accounts, keyIndex),
      encodeCompactLength(instruction.data.length),
      instruction.data,
    ]),
  ];
  const wire = Buffer.concat([
    encodeCompactLength(requiredSignatureCount),
    new Uint8Array(requiredSignatureCount * 64),
    ...message,
  ]);
  return { wire, keys, extraSignerCount: requiredSignatureCount - originalSignatureCount };
}

function keyOrder(key: { readonly isSigner: boolean; readonly isWritable: boolean }): number {
  return (key.isSigner ? 0 : 2) + (key.isWritable ? 0 : 1);
}

/** Solana's compact-u16. */
function encodeCompactLength(value: number): Uint8Array {
  const bytes: number[] = [];
  let remainder = value;
  while (remainder > 0x7f) {
    bytes.push((remainder & 0x7f) | 0x80);
    remainder >>= 7;
  }
  bytes.push(remainder);
  return Uint8Array.from(bytes);
}
