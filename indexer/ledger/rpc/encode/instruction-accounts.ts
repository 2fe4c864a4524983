/** An instruction with its accounts resolved to addresses. */
export interface ResolvedInstruction {
  readonly programId: string;
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
}

/** What a parser makes of an instruction: its type and the members of `info`. */
export interface ParsedInstruction {
  readonly type: string;
  readonly info: Readonly<Record<string, unknown>>;
}

/** @throws RangeError where an index points past the keys */
export function resolveInstruction(
  instruction: {
    readonly programIdIndex: number;
    readonly accounts: Iterable<number>;
    readonly data: Uint8Array;
  },
  keys: readonly string[],
): ResolvedInstruction {
  const at = (index: number): string => {
    const key = keys[index];
    if (key === undefined) throw new RangeError(`account index ${index} is past the ${keys.length} keys`);
    return key;
  };
  return {
    programId: at(instruction.programIdIndex),
    accounts: Array.from(instruction.accounts, at),
    data: instruction.data,
  };
}

/** Names the first accounts of an instruction, or answers null where it has fewer. */
export function nameAccounts(
  accounts: readonly string[],
  names: readonly string[],
): Record<string, string> | null {
  const named: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const account = accounts[index];
    if (account === undefined) return null;
    named[name] = account;
  }
  return named;
}
