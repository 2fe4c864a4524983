import type { ConfigProblem } from '../../data/config/variable-types.ts';

/**
 * The reason why the embedded ledger cannot run here, or null. Only the ledger needs litesvm, so it is an optional dependency.
 * `npm ci --omit=optional` skips it, and it has no build for Windows.
 */
export async function litesvmProblem(): Promise<ConfigProblem | null> {
  try {
    await import('litesvm/dist/internal.js');
    return null;
  } catch {
    return {
      variable: 'SOLANA_RPC_URLS',
      message:
        'is not set, and the embedded ledger cannot run: its optional package litesvm is not installed or has no build for ' +
        'this platform. Set SOLANA_RPC_URLS to a Solana RPC endpoint, or run npm ci on Linux or macOS.',
    };
  }
}
