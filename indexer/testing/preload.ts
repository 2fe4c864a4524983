import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import timers from 'node:timers/promises';
import { speedUpTime } from './fast-time.ts';

/**
 * A program under test loads this module first (`node --import`). The program keeps its normal priority. With a lower
 * priority, it would hardly run while tests keep the machine busy. Its clock and timers, including `node:timers/promises`,
 * run TEST_TIME_FACTOR times as fast.
 */
os.setPriority = () => {};
const factor = Number(process.env.TEST_TIME_FACTOR ?? 1);
if (factor !== 1) {
  const sleep = timers.setTimeout;
  timers.setTimeout = (milliseconds = 0, ...args) => sleep(milliseconds / factor, ...args);
  speedUpTime(factor);
}
syncBuiltinESMExports();
