import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import timers from 'node:timers/promises';
import { speedUpTime } from './fast-time.ts';

/**
 * A program under test loads this module first (`node --import`). The program then keeps its priority, because with a lower
 * priority it hardly runs next to busy tests. Its time passes faster by the factor TEST_TIME_FACTOR, in
 * `node:timers/promises` too.
 */
os.setPriority = () => {};
const factor = Number(process.env.TEST_TIME_FACTOR ?? 1);
if (factor !== 1) {
  const sleep = timers.setTimeout;
  timers.setTimeout = (milliseconds = 0, ...args) => sleep(milliseconds / factor, ...args);
  speedUpTime(factor);
}
syncBuiltinESMExports();
