import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import timers from 'node:timers/promises';
import { speedUpTime } from './fast-time.ts';

/**
 * Loaded before a program (`node --import`). Keeps the program from lowering its priority, because a program with a lower
 * priority hardly runs next to busy tests. Also makes time pass faster by TEST_TIME_FACTOR, in `node:timers/promises` too.
 */
os.setPriority = () => {};
const factor = Number(process.env.TEST_TIME_FACTOR ?? 1);
if (factor !== 1) {
  const sleep = timers.setTimeout;
  timers.setTimeout = (milliseconds = 0, ...args) => sleep(milliseconds / factor, ...args);
  speedUpTime(factor);
}
syncBuiltinESMExports();
