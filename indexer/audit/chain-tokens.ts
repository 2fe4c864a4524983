import type { RunInstruction } from './chain-instructions.ts';

/** The token programs' own words, read anew: `TokenInstruction` of `spl-token` and `spl-token-2022` share their numbers. */

export const SPL_TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';

const TRANSFER = 3;
const TRANSFER_CHECKED = 12;
const TRANSFER_FEE_EXTENSION = 26;
const TRANSFER_CHECKED_WITH_FEE = 1;
const U64_BYTES = 8;

/** Tokens that one instruction moved. */
export interface TokenTransfer {
  readonly program: string;
  readonly source: string | undefined;
  readonly destination: string | undefined;
  /** Base units that left the source: a fee is withheld of them. */
  readonly amount: bigint;
}

export function isTokenProgram(program: string | undefined): program is string {
  return program === SPL_TOKEN || program === TOKEN_2022;
}

/** The transfer that an instruction is, or null where it is another. */
export function transferOf({ program, accounts, data }: RunInstruction): TokenTransfer | null {
  if (!isTokenProgram(program)) return null;
  const [source, second, third] = accounts;
  const at = (offset: number, destination: string | undefined): TokenTransfer | null => {
    if (data.length < offset + U64_BYTES) return null;
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    return { program, source, destination, amount: view.getBigUint64(offset, true) };
  };
  if (data[0] === TRANSFER) return at(1, second);
  // The checked ones name the mint between the two accounts.
  if (data[0] === TRANSFER_CHECKED) return at(1, third);
  const isWithFee = data[0] === TRANSFER_FEE_EXTENSION && data[1] === TRANSFER_CHECKED_WITH_FEE;
  return isWithFee ? at(2, third) : null;
}
