/**
 * The `jsonParsed` form of instructions: system, token programs, associated token account and memo are read; any other is
 * given with its accounts as addresses and its data in base58, as a Solana node does for programs it does not know.
 */
import bs58 from 'bs58';
import { ASSOCIATED_TOKEN_PROGRAM, MEMO_PROGRAMS, SYSTEM_PROGRAM } from '../../programs.ts';
import { decodeUtf8 } from './byte-reader.ts';
import type { ResolvedInstruction } from './instruction-accounts.ts';
import { parseAssociatedToken } from './parse-associated-token.ts';
import { parseSystem } from './parse-system.ts';
import { parseToken } from './parse-token.ts';
import { isTokenProgram } from './token-state.ts';

interface Parser {
  readonly program: string;
  readonly handles: (programId: string) => boolean;
  readonly parse: (instruction: ResolvedInstruction) => unknown;
}

const PARSERS: readonly Parser[] = [
  { program: 'system', handles: (programId) => programId === SYSTEM_PROGRAM, parse: parseSystem },
  { program: 'spl-token', handles: isTokenProgram, parse: parseToken },
  {
    program: 'spl-associated-token-account',
    handles: (programId) => programId === ASSOCIATED_TOKEN_PROGRAM,
    parse: parseAssociatedToken,
  },
  {
    program: 'spl-memo',
    handles: (programId) => MEMO_PROGRAMS.has(programId),
    parse: ({ data }) => decodeUtf8(data),
  },
];

/** Data that ends early, or text that is not UTF-8, leaves an instruction without a parsed form. */
function tryParse(parser: Parser, instruction: ResolvedInstruction): unknown {
  try {
    return parser.parse(instruction);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** @param stackHeight 1 for an instruction of the message, more for one called by a program */
export function parseInstruction(instruction: ResolvedInstruction, stackHeight: number): object {
  const { programId, accounts, data } = instruction;
  const parser = PARSERS.find((candidate) => candidate.handles(programId));
  const parsed = parser === undefined ? null : tryParse(parser, instruction);
  if (parser !== undefined && parsed !== null) {
    return { parsed, program: parser.program, programId, stackHeight };
  }
  return { accounts, data: bs58.encode(data), programId, stackHeight };
}
