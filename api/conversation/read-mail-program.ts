import { Worker } from 'node:worker_threads';
import { EXIT } from '../../data/runtime/exit-codes.ts';

// The program that `read-in-program.ts` starts for each email. It reads the email in a thread, and exits if the thread takes
// too long. It also exits when the portal does.

/** How much CPU time (ms) reading an email may take. The largest emails take half a second. */
const READ_LIMIT_MS = 4_000;
const CHECK_MS = 200;
/** The bytes of the email do not count towards these limits. */
const MEMORY_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 };

const answer = (message: object) => process.send?.(message, () => process.exit());

// A terminal sends these signals to the portal and to this program. This program ignores them, and exits when the portal does.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
process.once('disconnect', () => process.exit());
process.once('message', (raw: Uint8Array) => {
  const thread = new Worker(new URL('./read-mail-thread.ts', import.meta.url), {
    workerData: raw,
    resourceLimits: MEMORY_LIMITS,
  });
  thread.once('message', answer);
  thread.once('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code !== 'ERR_WORKER_OUT_OF_MEMORY') process.exit(EXIT.failure);
    answer({ problem: message });
  });
  thread.once('exit', () => answer({ problem: 'The thread ended.' }));
  setInterval(async () => {
    // `cpuUsage` fails if the thread has ended.
    const { user, system } = await thread.cpuUsage().catch(() => ({ user: 0, system: 0 }));
    if ((user + system) / 1_000 > READ_LIMIT_MS) answer({ problem: 'Reading takes too long.' });
  }, CHECK_MS);
});
