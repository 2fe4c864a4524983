import type { TransactionErrorJson } from '../chain.ts';
import { STAKE_PROGRAM } from '../programs.ts';
import type { ResolvedTransaction } from '../resolved-transaction.ts';
import type { RunResult } from '../svm.ts';
import { STAKE_ERRORS, type StakeErrorName } from './errors.ts';
import { decodeStakeInstruction } from './instructions.ts';
import type { StakePlan } from './plan.ts';

const INVOKE = /^Program (\w+) invoke \[(\d+)\]$/;
const TITLES = { stake: 'Stake', unstake: 'Unstake', closeEntry: 'CloseEntry' } as const;

/** The log lines as they would read had the stake program run: what it called stands one level deeper, between its own. */
export function stakeLogs(
  transaction: ResolvedTransaction,
  plan: StakePlan,
  result: RunResult,
  err: TransactionErrorJson | null,
): string[] {
  const segments = splitByInstruction(plan, result.logs);
  const { instructions, staticKeys } = transaction.wire.message;
  const failedAt = failedInstruction(err);
  const ran = err === null ? instructions.length : failedAt === null ? 0 : failedAt + 1;
  return instructions.slice(0, ran).flatMap((instruction, origin) => {
    const lines = plan.staged.flatMap((staged, position) =>
      staged.origin === origin ? (segments[position] ?? []) : [],
    );
    if (staticKeys[instruction.programIdIndex] !== STAKE_PROGRAM) return lines;
    const decoded = decodeStakeInstruction(instruction.data);
    return [
      `Program ${STAKE_PROGRAM} invoke [1]`,
      ...(typeof decoded === 'string' ? [] : [`Program log: Instruction: ${TITLES[decoded.name]}`]),
      ...lines.map(deepen),
      ...(failedAt === origin
        ? failureLines(result.err === null ? (plan.failure?.errorName ?? null) : null, err)
        : [`Program ${STAKE_PROGRAM} success`]),
    ];
  });
}

function splitByInstruction(plan: StakePlan, logs: readonly string[]): string[][] {
  const segments: string[][] = plan.staged.map(() => []);
  let position = -1;
  for (const line of logs) {
    const [, program, depth] = INVOKE.exec(line) ?? [];
    if (depth === '1') {
      // Some built-in programs log nothing, so the next that does is found by its name.
      const next = plan.staged.findIndex((staged, index) => index > position && staged.program === program);
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

function failureLines(name: StakeErrorName | null, err: TransactionErrorJson | null): string[] {
  const detail = errorDetail(err);
  const isCustom = typeof detail === 'object' && detail !== null && 'Custom' in detail;
  const cause = isCustom ? `custom program error: 0x${Number(detail.Custom).toString(16)}` : String(detail);
  const explanation =
    name === null
      ? []
      : [
          `Program log: AnchorError occurred. Error Code: ${name}. Error Number: ${STAKE_ERRORS[name].code}. Error Message: ${STAKE_ERRORS[name].message}.`,
        ];
  return [...explanation, `Program ${STAKE_PROGRAM} failed: ${cause}`];
}

function failedInstruction(err: TransactionErrorJson | null): number | null {
  const index = instructionError(err)?.[0];
  return typeof index === 'number' ? index : null;
}

function errorDetail(err: TransactionErrorJson | null): unknown {
  return instructionError(err)?.[1];
}

function instructionError(err: TransactionErrorJson | null): readonly unknown[] | null {
  if (err === null || typeof err === 'string') return null;
  return Array.isArray(err.InstructionError) ? err.InstructionError : null;
}
