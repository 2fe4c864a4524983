import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { speedUpTime } from './fast-time.ts';

/**
 * Loaded before a program (`node --import`). The program does not lower its priority: it would hardly run
 * beside tests that keep the processor busy. Its time passes faster by TEST_TIME_FACTOR.
 */
os.setPriority = () => {};
syncBuiltinESMExports();
const factor = Number(process.env.TEST_TIME_FACTOR ?? 1);
if (factor !== 1) speedUpTime(factor);
