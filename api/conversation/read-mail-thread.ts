import { parentPort, workerData } from 'node:worker_threads';
import { readMail } from './read-mail.ts';

// The program of the thread that `take-mail.ts` starts for each email.
parentPort?.postMessage(await readMail(workerData));
