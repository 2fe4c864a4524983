import { Worker } from 'node:worker_threads';

// The program that `read-in-program.ts` starts for each email. It reads the email in a thread, so that it can watch the thread,
// and ends with the portal.

/** Milliseconds of processor time in which an email has to be read. The largest take half a second. */
const READ_LIMIT_MS = 4_000;
/** Milliseconds after which the processor time is looked at again. */
const CHECK_MS = 200;
/** The bytes of an email do not count. */
const MAX_HEAP_MIB = 64;

const answer = (message: object) => process.send?.(message, () => process.exit());

process.once('disconnect', () => process.exit());
process.once('message', (raw: Uint8Array) => {
  const thread = new Worker(new URL('./read-mail-thread.ts', import.meta.url), {
    workerData: raw,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB },
  });
  thread.once('message', (mail) => answer({ mail }));
  thread.once('error', ({ message }) => answer({ problem: message }));
  setInterval(async () => {
    // Fails once the thread has ended.
    const { user, system } = await thread.cpuUsage().catch(() => ({ user: 0, system: 0 }));
    if ((user + system) / 1_000 > READ_LIMIT_MS) answer({ problem: 'Reading takes too long.' });
  }, CHECK_MS);
});
