import { parseArgs } from 'node:util';
import type { PortalConfig } from '../../data/config/environment.ts';
import { EXIT, type ExitCode, StartError } from '../../data/runtime/exit-codes.ts';
import type { Rows } from './checks.ts';
import type { CheckResult, Verdict } from './rounds.ts';

const MAX_VALUE_LENGTH = 160;

export function formatVerifyReport(results: readonly CheckResult[]): string {
  const width = Math.max(...results.map(({ figure }) => figure.length));
  const lines = results.map(({ figure, verdict }) => {
    return `  ${figure.padEnd(width)}  ${verdict.kind.padEnd('not comparable'.length)}  ${verdictText(verdict)}`;
  });
  const count = (kind: Verdict['kind']) => results.filter(({ verdict }) => verdict.kind === kind).length;
  const sum = `${count('agree')} agree, ${count('differs')} differ, ${count('not comparable')} not comparable`;
  return [...lines, '', sum].join('\n');
}

/** 0 if all figures agree, 1 if any figure differs, otherwise 75 (try again). */
export function exitCodeForResults(results: readonly CheckResult[]): ExitCode {
  if (results.some(({ verdict }) => verdict.kind === 'differs')) return EXIT.failure;
  return results.every(({ verdict }) => verdict.kind === 'agree') ? EXIT.ok : EXIT.tryAgain;
}

function verdictText(verdict: Verdict): string {
  switch (verdict.kind) {
    case 'agree':
      return verdict.rows.length === 1 ? shorten(verdict.rows[0]) : `${verdict.rows.length} rows`;
    case 'differs': {
      const [reported, expected] = firstDifference(verdict.reported, verdict.expected);
      return `portal: ${shorten(reported)} | chain: ${shorten(expected)}`;
    }
    case 'not comparable':
      return verdict.reason;
  }
}

/** For each list, its first row that is missing from the other list. */
function firstDifference(reported: Rows, expected: Rows): readonly [string | undefined, string | undefined] {
  return [reported.find((row) => !expected.includes(row)), expected.find((row) => !reported.includes(row))];
}

function shorten(row = '(no such row)'): string {
  return row.length <= MAX_VALUE_LENGTH ? row : `${row.slice(0, MAX_VALUE_LENGTH)}…`;
}

interface VerifyOptions {
  /** Origin of the portal to verify. */
  readonly api: string;
  /** Any Solana JSON-RPC endpoint of the portal's chain. */
  readonly rpc: string;
}

const USAGE = 'Usage: npm run verify [-- --api http://localhost:4000] [--rpc URL]';

/**
 * Parses the arguments. By default, verifies the portal on this machine against its configured chain.
 * @throws {StartError} with exit code 64 if an argument is invalid
 */
export function readVerifyOptions(
  args: readonly string[],
  { port, solana }: Pick<PortalConfig, 'port' | 'solana'>,
): VerifyOptions {
  const values = parse(args);
  const configured = solana.kind === 'embedded' ? `http://127.0.0.1:${solana.ledgerPort}` : solana.rpcUrls[0];
  return {
    api: httpUrl('--api', values.api ?? `http://localhost:${port}`).replace(/\/+$/, ''),
    rpc: httpUrl('--rpc', values.rpc ?? configured ?? ''),
  };
}

function parse(args: readonly string[]): { readonly api?: string; readonly rpc?: string } {
  try {
    return parseArgs({
      args: [...args],
      options: { api: { type: 'string' }, rpc: { type: 'string' } },
    }).values;
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('. ')[0] : String(error);
    throw new StartError(`${reason}. ${USAGE}`, EXIT.usage, { cause: error });
  }
}

/** Checks that an option is a URL. The error does not show the value, because an endpoint's URL may contain a key. */
function httpUrl(option: string, text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return text;
  throw new StartError(`${option} is not an http(s) URL. ${USAGE}`, EXIT.usage);
}
