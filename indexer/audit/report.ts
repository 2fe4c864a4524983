import { EXIT, type ExitCode } from '../../data/runtime/exit-codes.ts';
import type { Rows } from './checks.ts';
import type { Finding, Verdict } from './rounds.ts';

const WIDEST_VALUE = 160;

/** What was found as a table, a line a figure, and a sentence on the whole. */
export function auditReport(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ figure }) => figure.length));
  const lines = findings.map(({ figure, verdict }) => {
    return `  ${figure.padEnd(width)}  ${verdict.kind.padEnd('not comparable'.length)}  ${inWords(verdict)}`;
  });
  const count = (kind: Verdict['kind']) => findings.filter(({ verdict }) => verdict.kind === kind).length;
  const sum = `${count('agree')} agree, ${count('differs')} differ, ${count('not comparable')} not comparable`;
  return [...lines, '', sum].join('\n');
}

/** 0 where all agree, 1 where any differs, 75 where some could not be compared: try again. */
export function auditExitCode(findings: readonly Finding[]): ExitCode {
  if (findings.some(({ verdict }) => verdict.kind === 'differs')) return EXIT.failure;
  return findings.every(({ verdict }) => verdict.kind === 'agree') ? EXIT.ok : EXIT.tryAgain;
}

function inWords(verdict: Verdict): string {
  switch (verdict.kind) {
    case 'agree':
      return verdict.rows.length === 1 ? short(verdict.rows[0]) : `${verdict.rows.length} rows`;
    case 'differs': {
      const [told, expected] = firstDifference(verdict.told, verdict.expected);
      return `portal: ${short(told)} | chain: ${short(expected)}`;
    }
    case 'not comparable':
      return verdict.reason;
  }
}

/** Of two lists of rows, those that the other does not have, the first of each. */
function firstDifference(told: Rows, expected: Rows): readonly [string | undefined, string | undefined] {
  return [told.find((row) => !expected.includes(row)), expected.find((row) => !told.includes(row))];
}

function short(row = '(no such row)'): string {
  return row.length <= WIDEST_VALUE ? row : `${row.slice(0, WIDEST_VALUE)}…`;
}
