import { count, isAbsent, type JsonRecord, list, record, ShapeError, text } from '../rpc/json-shape.ts';
import type { AccountKeys } from './account-keys.ts';
import { STAKE_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './addresses.ts';
import { instructionData } from './base58.ts';
import { readStakeCall, type StakeCall, type StakeTransfer } from './stake-instructions.ts';
import { readAccountActs, readTransfer, type TokenAccountAct } from './token-instructions.ts';
import type { WireInstruction } from './wire-transaction.ts';

/** What the programs that matter here were called to do, by the message or by other programs, in the order it was done. */
export interface KnownCalls {
  readonly stakeCalls: readonly StakeCall[];
  readonly accountActs: readonly TokenAccountAct[];
}

export const NO_CALLS: KnownCalls = { stakeCalls: [], accountActs: [] };

/** How deep the instructions of the message stand; what they call stands deeper. */
const MESSAGE_DEPTH = 1;

/**
 * @param called the instructions of the message: read off the wire, or as JSON tells them
 * @param meta tells the instructions that programs called in turn, always as JSON
 * @throws {ShapeError} where an instruction of a known program is not what that program accepts
 */
export function readKnownCalls(
  called: readonly WireInstruction[] | { readonly json: readonly unknown[] },
  meta: JsonRecord,
  keys: AccountKeys,
): KnownCalls {
  const stakeProgram = keys.indexOf(STAKE_PROGRAM);
  const tokenProgram = keys.indexOf(TOKEN_PROGRAM);
  const token2022Program = keys.indexOf(TOKEN_2022_PROGRAM);
  if (stakeProgram === -1 && tokenProgram === -1 && token2022Program === -1) return NO_CALLS;
  const stakeCalls: Mutable<StakeCall>[] = [];
  const accountActs: TokenAccountAct[] = [];
  const isKnown = (program: number) =>
    program === stakeProgram || program === tokenProgram || program === token2022Program;
  // The call of the staking program that is under way and has not moved anything yet, and how deep it stands.
  const under: { call: Mutable<StakeCall> | null; depth: number } = { call: null, depth: MESSAGE_DEPTH };
  const take = ({ programIndex, accounts, data }: WireInstruction, depth: number): void => {
    if (programIndex === stakeProgram) {
      const call = readStakeCall(accounts, data);
      if (!call) return;
      under.call = { ...call, moved: null };
      under.depth = depth;
      stakeCalls.push(under.call);
    } else if (isKnown(programIndex)) {
      readAccountActs(accounts, data, keys, accountActs);
      if (!under.call) return;
      under.call.moved = movedBy(under.call, accounts, data, programIndex === token2022Program);
      if (under.call.moved) under.call = null;
    }
  };
  const takeJson = (value: unknown, depth: number): void => {
    const { programIdIndex, accounts, data } = record(value, 'an instruction');
    const programIndex = accountIndex(programIdIndex, keys);
    if (!isKnown(programIndex)) return;
    const indexes = list(accounts, "an instruction's accounts").map((index) => accountIndex(index, keys));
    const bytes = instructionData(text(data, "an instruction's data"));
    take({ programIndex, accounts: Uint8Array.from(indexes), data: bytes }, depth);
  };
  const calls = 'json' in called ? called.json.length : called.length;
  const inTurn = calledInTurn(meta, calls);
  for (let place = 0; place < calls; place += 1) {
    under.call = null;
    if ('json' in called) takeJson(called.json[place], MESSAGE_DEPTH);
    else take(called[place] as WireInstruction, MESSAGE_DEPTH);
    for (const inner of inTurn?.get(place) ?? []) {
      const depth = depthOf(inner, under.call ? under.depth : MESSAGE_DEPTH);
      if (depth <= under.depth) under.call = null;
      takeJson(inner, depth);
    }
  }
  return { stakeCalls, accountActs };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** What a call of the staking program moved, where an instruction that it called in turn is the transfer. */
function movedBy(
  { word, vault }: StakeCall,
  accounts: Uint8Array,
  data: Uint8Array,
  mayHaveFee: boolean,
): StakeTransfer | null {
  const transfer = readTransfer(accounts, data);
  const isOfVault = (word === 'stake' ? transfer?.destination : transfer?.source) === vault;
  return transfer && isOfVault ? { amount: transfer.amount, mayHaveFee } : null;
}

/**
 * The instructions that programs called, by the message's instruction that began it; null where none are recorded.
 * @throws {ShapeError} where they began with none of the message, or are told twice
 */
function calledInTurn(
  { innerInstructions }: JsonRecord,
  calls: number,
): ReadonlyMap<number, readonly unknown[]> | null {
  // Absent where a node does not record them, as old ones did not.
  if (isAbsent(innerInstructions)) return null;
  const groups = list(innerInstructions, 'innerInstructions');
  if (groups.length === 0) return null;
  const found = new Map<number, readonly unknown[]>();
  for (const group of groups) {
    const { index, instructions } = record(group, 'innerInstructions');
    const place = count(index, 'the index of inner instructions');
    if (place >= calls || found.has(place))
      throw new ShapeError('inner instructions belong to no instruction');
    found.set(place, list(instructions, 'inner instructions'));
  }
  return found;
}

/** How deep an instruction stands; where the node does not record it, just below the call that is under way. */
function depthOf(inner: unknown, under: number): number {
  const { stackHeight } = record(inner, 'an instruction');
  return isAbsent(stackHeight) ? under + 1 : count(stackHeight, 'the depth of an instruction');
}

function accountIndex(value: unknown, keys: AccountKeys): number {
  const index = count(value, 'an account index of an instruction');
  if (index >= keys.count) throw new ShapeError('an instruction names no account');
  return index;
}
