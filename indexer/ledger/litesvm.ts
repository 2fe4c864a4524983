import { createRequire } from 'node:module';
import type { ConfigProblem } from '../../data/config/variable-types.ts';

const load = createRequire(import.meta.url);

/** Suffixes of LiteSVM's package names, one for each C library that LiteSVM is built for. */
const LIBRARY_SUFFIXES = process.platform === 'linux' ? ['-gnu', '-musl'] : [''];

/**
 * Loads LiteSVM's native code for this platform. Only the embedded ledger needs it, so its packages are optional. The package
 * `litesvm` itself is only a development dependency, because it adds 60 MB that the ledger does not use.
 * @throws if the package is not installed, or does not exist for this platform
 */
export function loadLitesvm(): typeof import('litesvm/dist/internal.js') {
  const errors: unknown[] = [];
  for (const suffix of LIBRARY_SUFFIXES) {
    try {
      return load(`litesvm-${process.platform}-${process.arch}${suffix}`);
    } catch (error) {
      errors.push(error);
    }
  }
  throw new AggregateError(errors, 'LiteSVM cannot be loaded.');
}

/** The reason why the embedded ledger cannot run here, or null. */
export function litesvmProblem(): ConfigProblem | null {
  try {
    loadLitesvm();
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
