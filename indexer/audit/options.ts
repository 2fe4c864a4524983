import { parseArgs } from 'node:util';
import type { PortalConfig } from '../../data/config/environment.ts';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';

export interface AuditOptions {
  /** Origin of the portal that is audited. */
  readonly api: string;
  /** Solana JSON-RPC to recompute from: any endpoint will do, not only one that the portal reads. */
  readonly rpc: string;
}

const USAGE = 'Usage: npm run audit [-- --api http://localhost:4000] [--rpc URL]';

/**
 * What to audit against what: by default this machine's portal against the chain it is configured for.
 * @throws {StartError} code 64 where the command line is wrong
 */
export function readAuditOptions(
  args: readonly string[],
  { port, solana }: Pick<PortalConfig, 'port' | 'solana'>,
): AuditOptions {
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
      strict: true,
      allowPositionals: false,
    }).values;
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('. ')[0] : String(error);
    throw new StartError(`${reason}. ${USAGE}`, EXIT.usage, { cause: error });
  }
}

/** The value is not told again: an endpoint's URL may hold a key. */
function httpUrl(option: string, text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return text;
  throw new StartError(`${option} is not an http(s) URL. ${USAGE}`, EXIT.usage);
}
