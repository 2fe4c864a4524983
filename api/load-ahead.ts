import { flushCompileCache } from 'node:module';
import { setImmediate, setTimeout } from 'node:timers/promises';

/** Milliseconds from startup until loading begins, so that a portal in a restart loop loads nothing. */
const AFTER_MS = 3_000;

/** Libraries that a start does not need, but a visitor's request may need. */
export const REQUEST_LIBRARIES: readonly (() => Promise<unknown>)[] = [
  () => import('./delivery/mail/mail-sender.ts'),
  () => import('./delivery/mail/mail-transport.ts'),
  () => import('@node-rs/argon2'),
  // Node loads its HTTP client with the first `fetch`.
  () => fetch('data:,'),
  () => import('@solana/web3.js'),
  () => import('@noble/curves/ed25519.js'),
  () => import('file-type'),
  () => import('sharp'),
];

/**
 * Loads, in the background, libraries and data that the portal can start without. Each load blocks the event loop for 20 to
 * 120 ms. Loading ahead means that the first visitor does not have to wait.
 * @param loads called one after another
 * @param signal stops the loading
 */
export async function loadAhead(
  loads: readonly (() => Promise<unknown>)[],
  signal: AbortSignal,
  afterMs = AFTER_MS,
): Promise<void> {
  await setTimeout(afterMs, undefined, { signal, ref: false });
  for (const load of loads) {
    if (signal.aborted) return;
    await load();
    // Written now for the next process, because a process that is killed does not write its compile cache.
    flushCompileCache();
    // Lets the portal answer the requests that have arrived in the meantime.
    await setImmediate();
  }
}
