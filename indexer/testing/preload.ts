import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import timers from 'node:timers/promises';
import { speedUpTime } from './fast-time.ts';

/**
 * Each program under test loads this module first (`node --import`). It stops the program from lowering its own priority,
 * because a low-priority program would hardly run while tests keep the machine busy. It also makes the program's clock and
 * timers, including `node:timers/promises`, run TEST_TIME_FACTOR times as fast.
 */
os.setPriority = () => {};
const factor = Number(process.env.TEST_TIME_FACTOR ?? 1);
if (factor !== 1) {
  const sleep = timers.setTimeout;
  timers.setTimeout = (milliseconds = 0, ...args) => sleep(milliseconds / factor, ...args);
  speedUpTime(factor);
}
syncBuiltinESMExports();
