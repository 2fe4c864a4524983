import { flushCompileCache } from 'node:module';
import { setImmediate, setTimeout } from 'node:timers/promises';

/**
 * The time from startup until loading begins. The first seconds are busy, above all during a backfill. The delay also
 * keeps a portal in a restart loop from loading anything.
 */
export const LOAD_DELAY_MS = 10_000;

/** Libraries that the portal can start without, but that a visitor's request may need. */
export const REQUEST_LIBRARIES: readonly (() => Promise<unknown>)[] = [
  () => import('./delivery/mail/mail-sender.ts'),
  () => import('./delivery/mail/mail-transport.ts'),
  () => import('@node-rs/argon2'),
  // Node loads its HTTP client on the first `fetch`.
  () => fetch('data:,'),
  () => import('@solana/web3.js'),
  () => import('@noble/curves/ed25519.js'),
  () => import('file-type'),
  () => import('sharp'),
];

/**
 * Loads, in the background, libraries and data that the portal can start without. Each load blocks the event loop for 20 to
 * 150 ms. Loading ahead of requests means that the first visitor does not have to wait.
 * @param loads called one after another
 * @param signal stops the loading
 */
export async function loadAhead(
  loads: readonly (() => Promise<unknown>)[],
  signal: AbortSignal,
  delayMs = LOAD_DELAY_MS,
): Promise<void> {
  await setTimeout(delayMs, undefined, { signal, ref: false });
  for (const load of loads) {
    if (signal.aborted) return;
    await load();
    // Saves the compile cache now, for the next process: a process that is killed does not save it.
    flushCompileCache();
    // Lets the portal answer the requests that have arrived in the meantime.
    await setImmediate();
  }
}
