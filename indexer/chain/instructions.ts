import { STAKING_PROGRAM } from '../../data/model/staking-terms.ts';
import {
  isAbsent,
  type JsonRecord,
  readJsonInteger,
  readJsonList,
  readJsonRecord,
  readJsonText,
  ShapeError,
} from '../rpc/json-shape.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './accounts.ts';
import { decodeInstructionData } from './base58.ts';
import { appendAccountActions, readTransfer, type TokenAccountAction } from './token-instructions.ts';
import type { AccountKeys, WireInstruction } from './wire-transaction.ts';

export type StakeCallKind = 'stake' | 'unstake';

/** A call to the staking program. Each index refers to the transaction's list of accounts. */
export interface StakeCall {
  readonly kind: StakeCallKind;
  readonly entryIndex: number;
  /** The pool's token account. It identifies the pool, because the program accepts no other account. */
  readonly vaultIndex: number;
  /** The stake entry's wallet. */
  readonly authorityIndex: number;
  /** The wallet that pays for a stake (not always the entry's wallet), or that receives the tokens of an unstake. */
  readonly holderIndex: number;
  /** Null if no transfer was found, for example because the node does not record inner instructions. */
  readonly transfer: StakeTransfer | null;
}

interface StakeTransfer {
  /** Base units, before any transfer fee is deducted. */
  readonly amount: bigint;
  /** Whether the token program supports transfer fees. */
  readonly mayHaveFee: boolean;
}

/** Anchor discriminators of the instructions that move a pool's vault. Source: the IDL of @streamflow/staking. */
const STAKE_INSTRUCTIONS: readonly (readonly [StakeCallKind, Uint8Array])[] = [
  ['stake', Uint8Array.of(206, 176, 202, 18, 200, 209, 179, 108)],
  ['unstake', Uint8Array.of(90, 95, 107, 42, 205, 124, 50, 225)],
  // `unstake_as_worker`: anyone may end a stake in a pool that unstakes automatically.
  ['unstake', Uint8Array.of(18, 36, 224, 241, 46, 185, 228, 142)],
];

/** Positions in an instruction's list of accounts. They are the same in all three instructions. */
const ENTRY_AT = 1;
const VAULT_AT = 3;
/** The payer in `stake`, and the entry's wallet in the other two instructions. */
const HOLDER_AT = 5;
const AUTHORITY_AT: Readonly<Record<StakeCallKind, number>> = { stake: 6, unstake: 5 };

/**
 * Null if the instruction does not move a pool's vault.
 *
 * @throws {ShapeError} if the instruction lacks accounts that the program requires
 */
function readStakeCall(accounts: Uint8Array, data: Uint8Array): Omit<StakeCall, 'transfer'> | null {
  const kind = STAKE_INSTRUCTIONS.find(([, discriminator]) =>
    discriminator.every((byte, at) => data[at] === byte),
  )?.[0];
  if (!kind) return null;
  const positions = [ENTRY_AT, VAULT_AT, AUTHORITY_AT[kind], HOLDER_AT];
  const [entryIndex, vaultIndex, authorityIndex, holderIndex] = positions.map((at) => accounts[at]);
  if (
    entryIndex === undefined ||
    vaultIndex === undefined ||
    authorityIndex === undefined ||
    holderIndex === undefined
  ) {
    throw new ShapeError('a stake instruction lacks accounts');
  }
  return { kind, entryIndex, vaultIndex, authorityIndex, holderIndex };
}

/** The calls to the staking and token programs, made by the message or by other programs, in order of execution. */
export interface KnownCalls {
  readonly stakeCalls: readonly StakeCall[];
  readonly accountActions: readonly TokenAccountAction[];
}

export const NO_CALLS: KnownCalls = { stakeCalls: [], accountActions: [] };

/** The stack height of the message's instructions; inner instructions are higher. */
const MESSAGE_DEPTH = 1;

/**
 * Finds the calls to the staking and token programs.
 *
 * @param messageInstructions the instructions of the message, from the wire or as JSON
 * @param meta holds the inner instructions, always as JSON
 * @throws {ShapeError} if an instruction for these programs is malformed
 */
export function readKnownCalls(
  messageInstructions: readonly WireInstruction[] | { readonly json: readonly unknown[] },
  meta: JsonRecord,
  keys: AccountKeys,
): KnownCalls {
  const stakeProgram = keys.indexOf(STAKING_PROGRAM);
  const tokenProgram = keys.indexOf(TOKEN_PROGRAM);
  const token2022Program = keys.indexOf(TOKEN_2022_PROGRAM);
  if (stakeProgram === -1 && tokenProgram === -1 && token2022Program === -1) return NO_CALLS;
  const stakeCalls: Mutable<StakeCall>[] = [];
  const accountActions: TokenAccountAction[] = [];
  const isKnown = (program: number) =>
    program === stakeProgram || program === tokenProgram || program === token2022Program;
  // The current call to the staking program and its stack height. `call` becomes null once the call has moved tokens or
  // returned.
  const callState: { call: Mutable<StakeCall> | null; depth: number } = { call: null, depth: MESSAGE_DEPTH };
  const readInstruction = ({ programIndex, accounts, data }: WireInstruction, depth: number): void => {
    if (programIndex === stakeProgram) {
      const call = readStakeCall(accounts, data);
      if (!call) return;
      callState.call = { ...call, transfer: null };
      callState.depth = depth;
      stakeCalls.push(callState.call);
    } else if (isKnown(programIndex)) {
      appendAccountActions(accounts, data, keys, accountActions);
      if (!callState.call) return;
      callState.call.transfer = transferOfCall(
        callState.call,
        accounts,
        data,
        programIndex === token2022Program,
      );
      if (callState.call.transfer) callState.call = null;
    }
  };
  const readJsonInstruction = (value: unknown, depth: number): void => {
    const { programIdIndex, accounts, data } = readJsonRecord(value, 'an instruction');
    const programIndex = accountIndex(programIdIndex, keys);
    if (!isKnown(programIndex)) return;
    const indexes = readJsonList(accounts, "an instruction's accounts").map((index) =>
      accountIndex(index, keys),
    );
    const bytes = decodeInstructionData(readJsonText(data, "an instruction's data"));
    readInstruction({ programIndex, accounts: Uint8Array.from(indexes), data: bytes }, depth);
  };
  const callCount =
    'json' in messageInstructions ? messageInstructions.json.length : messageInstructions.length;
  const innerByCall = innerInstructionsByIndex(meta, callCount);
  for (let callIndex = 0; callIndex < callCount; callIndex += 1) {
    callState.call = null;
    if ('json' in messageInstructions)
      readJsonInstruction(messageInstructions.json[callIndex], MESSAGE_DEPTH);
    else readInstruction(messageInstructions[callIndex] as WireInstruction, MESSAGE_DEPTH);
    for (const instruction of innerByCall?.get(callIndex) ?? []) {
      const depth = depthOf(instruction, callState.call ? callState.depth : MESSAGE_DEPTH);
      if (depth <= callState.depth) callState.call = null;
      readJsonInstruction(instruction, depth);
    }
  }
  return { stakeCalls, accountActions };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Reads a staking call's transfer from an inner instruction; null if that instruction does not move the pool's vault. */
function transferOfCall(
  { kind, vaultIndex }: StakeCall,
  accounts: Uint8Array,
  data: Uint8Array,
  mayHaveFee: boolean,
): StakeTransfer | null {
  const transfer = readTransfer(accounts, data);
  const isOfVault = (kind === 'stake' ? transfer?.destinationIndex : transfer?.sourceIndex) === vaultIndex;
  return transfer && isOfVault ? { amount: transfer.amount, mayHaveFee } : null;
}

/**
 * The inner instructions, by the index of the message's instruction that caused them; null if none are recorded.
 * @throws {ShapeError} if an index is not that of a message instruction, or is listed twice
 */
function innerInstructionsByIndex(
  { innerInstructions }: JsonRecord,
  callCount: number,
): ReadonlyMap<number, readonly unknown[]> | null {
  // Old nodes do not record inner instructions.
  if (isAbsent(innerInstructions)) return null;
  const groups = readJsonList(innerInstructions, 'innerInstructions');
  if (groups.length === 0) return null;
  const byCall = new Map<number, readonly unknown[]>();
  for (const group of groups) {
    const { index, instructions } = readJsonRecord(group, 'innerInstructions');
    const callIndex = readJsonInteger(index, 'the index of inner instructions');
    if (callIndex >= callCount || byCall.has(callIndex))
      throw new ShapeError('inner instructions belong to no instruction');
    byCall.set(callIndex, readJsonList(instructions, 'inner instructions'));
  }
  return byCall;
}

/** The stack height of an inner instruction. If the node did not record it, assumes `parentDepth` + 1. */
function depthOf(inner: unknown, parentDepth: number): number {
  const { stackHeight } = readJsonRecord(inner, 'an instruction');
  return isAbsent(stackHeight)
    ? parentDepth + 1
    : readJsonInteger(stackHeight, 'the depth of an instruction');
}

function accountIndex(value: unknown, keys: AccountKeys): number {
  const index = readJsonInteger(value, 'an account index of an instruction');
  if (index >= keys.count) throw new ShapeError('an instruction has an unknown account index');
  return index;
}
