import { count, isAbsent, type JsonRecord, list, record, ShapeError, text } from '../rpc/json-shape.ts';
import type { AccountKeys } from './account-keys.ts';
import { STAKE_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './addresses.ts';
import { instructionData } from './base58.ts';
import { readStakeCall, type StakeCall } from './stake-instructions.ts';
import { readAccountActs, type TokenAccountAct } from './token-instructions.ts';
import type { WireInstruction } from './wire-transaction.ts';

/** What the programs that matter here were called to do, by the message or by other programs. */
export interface KnownCalls {
  readonly stakeCalls: readonly StakeCall[];
  readonly accountActs: readonly TokenAccountAct[];
}

export const NO_CALLS: KnownCalls = { stakeCalls: [], accountActs: [] };

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
  const stakeCalls: StakeCall[] = [];
  const accountActs: TokenAccountAct[] = [];
  const isKnown = (program: number) =>
    program === stakeProgram || program === tokenProgram || program === token2022Program;
  const take = ({ programIndex, accounts, data }: WireInstruction): void => {
    if (programIndex === stakeProgram) {
      const call = readStakeCall(accounts, data);
      if (call) stakeCalls.push(call);
    } else if (isKnown(programIndex)) {
      readAccountActs(accounts, data, keys, accountActs);
    }
  };
  const takeJson = (value: unknown): void => {
    const { programIdIndex, accounts, data } = record(value, 'an instruction');
    const programIndex = accountIndex(programIdIndex, keys);
    if (!isKnown(programIndex)) return;
    const indexes = list(accounts, "an instruction's accounts").map((index) => accountIndex(index, keys));
    const bytes = instructionData(text(data, "an instruction's data"));
    take({ programIndex, accounts: Uint8Array.from(indexes), data: bytes });
  };
  if ('json' in called) called.json.forEach(takeJson);
  else called.forEach(take);
  // Absent where a node does not record them, as old ones did not.
  if (isAbsent(meta.innerInstructions)) return { stakeCalls, accountActs };
  for (const group of list(meta.innerInstructions, 'innerInstructions')) {
    list(record(group, 'innerInstructions').instructions, 'inner instructions').forEach(takeJson);
  }
  return { stakeCalls, accountActs };
}

function accountIndex(value: unknown, keys: AccountKeys): number {
  const index = count(value, 'an account index of an instruction');
  if (index >= keys.count) throw new ShapeError('an instruction names no account');
  return index;
}
