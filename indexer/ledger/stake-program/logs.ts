import { STAKING_PROGRAM } from '../../../data/model/staking-terms.ts';
import type { TransactionErrorJson } from '../chain.ts';
import type { ResolvedTransaction } from '../resolved-transaction.ts';
import type { RunResult } from '../svm.ts';
import { decodeStakeInstruction, STAKE_ERRORS, type StakeErrorName } from './idl.ts';
import type { StakeSimulation } from './simulation.ts';

const INVOKE = /^Program (\w+) invoke \[(\d+)\]$/;
const TITLES = { stake: 'Stake', unstake: 'Unstake' } as const;

/**
 * A transaction's log lines, including those that the stake program would write. The stake program's lines enclose those of
 * its calls, which are one level deeper.
 */
export function stakeLogs(
  transaction: ResolvedTransaction,
  simulation: StakeSimulation,
  result: RunResult,
  err: TransactionErrorJson | null,
): string[] {
  const segments = splitByInstruction(simulation, result.logs);
  const { instructions, staticKeys } = transaction.wire.message;
  const failedIndex = instructionError(err)?.[0] ?? null;
  const ranCount = err === null ? instructions.length : failedIndex === null ? 0 : failedIndex + 1;
  return instructions.slice(0, ranCount).flatMap((instruction, originIndex) => {
    const lines = simulation.stagedInstructions.flatMap((staged, position) =>
      staged.originIndex === originIndex ? (segments[position] ?? []) : [],
    );
    if (staticKeys[instruction.programIdIndex] !== STAKING_PROGRAM) return lines;
    const decoded = decodeStakeInstruction(instruction.data);
    return [
      `Program ${STAKING_PROGRAM} invoke [1]`,
      ...(typeof decoded === 'string' ? [] : [`Program log: Instruction: ${TITLES[decoded.name]}`]),
      ...lines.map(deepen),
      ...(failedIndex === originIndex
        ? failureLines(result.err === null ? (simulation.failure?.errorName ?? null) : null, err)
        : [`Program ${STAKING_PROGRAM} success`]),
    ];
  });
}

function splitByInstruction(simulation: StakeSimulation, logs: readonly string[]): string[][] {
  const segments: string[][] = simulation.stagedInstructions.map(() => []);
  let position = -1;
  for (const line of logs) {
    const [, program, depth] = INVOKE.exec(line) ?? [];
    if (depth === '1') {
      // Some instructions have no log lines, because some built-in programs write none. So the line belongs to the next
      // instruction that calls the line's program.
      const next = simulation.stagedInstructions.findIndex(
        (staged, index) => index > position && staged.program === program,
      );
      if (next >= 0) position = next;
    }
    segments[position]?.push(line);
  }
  return segments;
}

function deepen(line: string): string {
  return line.replace(
    INVOKE,
    (_, program: string, depth: string) => `Program ${program} invoke [${Number(depth) + 1}]`,
  );
}

/** @param name the stake program's error; null if another program failed */
function failureLines(name: StakeErrorName | null, err: TransactionErrorJson | null): string[] {
  const detail = instructionError(err)?.[1];
  const isCustom = typeof detail === 'object' && detail !== null && 'Custom' in detail;
  const cause = isCustom ? `custom program error: 0x${Number(detail.Custom).toString(16)}` : String(detail);
  const failureLine = `Program ${STAKING_PROGRAM} failed: ${cause}`;
  if (name === null) return [failureLine];
  const { code, message } = STAKE_ERRORS[name];
  return [
    `Program log: AnchorError occurred. Error Code: ${name}. Error Number: ${code}. Error Message: ${message}.`,
    failureLine,
  ];
}

/** Null if the error is not about an instruction. */
function instructionError(err: TransactionErrorJson | null): readonly [number, unknown] | null {
  if (err === null || typeof err === 'string') return null;
  return (err.InstructionError as readonly [number, unknown] | undefined) ?? null;
}
