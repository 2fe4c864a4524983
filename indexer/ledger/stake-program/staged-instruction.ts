import { keyBytes } from '../base58-cache.ts';
import { STAKE_PROGRAM, SYSTEM_PROGRAM } from '../programs.ts';
import { STAKE_ENTRY_BYTES } from './layout.ts';

/** An instruction that the runtime can run, in place of one it cannot. */
export interface StagedInstruction {
  /** Index of the instruction in the transaction that this one belongs to. */
  readonly origin: number;
  /** Whether the stake program would have called it, rather than the transaction itself. */
  readonly isInner: boolean;
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
}

type Call = Pick<StagedInstruction, 'program' | 'accounts' | 'data'>;

/**
 * What makes the entry's account: as Anchor's `init` does it, so that lamports sent ahead to the address cannot stop a
 * stake. An address that another program owns already is left to the System program to refuse.
 */
export function createEntryCalls(entry: string, payer: string, rent: bigint, present: bigint): Call[] {
  if (present === 0n) return [systemCall(0, [payer, entry], u64(rent), u64(STAKE_ENTRY_BYTES), owner())];
  const missing = rent > present ? rent - present : 0n;
  return [
    ...(missing > 0n ? [systemCall(2, [payer, entry], u64(missing))] : []),
    systemCall(8, [entry], u64(STAKE_ENTRY_BYTES)),
    systemCall(1, [entry], owner()),
  ];
}

/** Token program's `TransferChecked`; amount in base units. */
export function transferCheckedCall(call: {
  readonly tokenProgram: string;
  readonly source: string;
  readonly mint: string;
  readonly destination: string;
  readonly authority: string;
  readonly amount: bigint;
  readonly decimals: number;
}): Call {
  return {
    program: call.tokenProgram,
    accounts: [call.source, call.mint, call.destination, call.authority],
    data: Buffer.concat([Uint8Array.of(12), u64(call.amount), Uint8Array.of(call.decimals)]),
  };
}

/** Token program's `MintTo`; amount in base units. */
export function mintToCall(
  tokenProgram: string,
  mint: string,
  to: string,
  authority: string,
  amount: bigint,
): Call {
  return {
    program: tokenProgram,
    accounts: [mint, to, authority],
    data: Buffer.concat([Uint8Array.of(7), u64(amount)]),
  };
}

/** Token program's `Burn`; amount in base units. */
export function burnCall(
  tokenProgram: string,
  from: string,
  mint: string,
  authority: string,
  amount: bigint,
): Call {
  return {
    program: tokenProgram,
    accounts: [from, mint, authority],
    data: Buffer.concat([Uint8Array.of(8), u64(amount)]),
  };
}

function systemCall(instruction: number, accounts: readonly string[], ...args: Uint8Array[]): Call {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(instruction);
  return { program: SYSTEM_PROGRAM, accounts, data: Buffer.concat([head, ...args]) };
}

function owner(): Uint8Array {
  return keyBytes(STAKE_PROGRAM);
}

function u64(value: bigint | number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}
