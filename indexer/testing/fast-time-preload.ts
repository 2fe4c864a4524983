import { speedUpTime } from './fast-time.ts';

/** For tests: run before a program (`node --import`), to make its time pass faster by TEST_TIME_FACTOR. */
speedUpTime(Number(process.env.TEST_TIME_FACTOR ?? 1));
