import { parentPort, workerData } from 'node:worker_threads';
import { readMail } from './read-mail.ts';

// The program of the thread that `read-mail-program.ts` starts.
parentPort?.postMessage(
  await readMail(workerData).then(
    (mail) => ({ mail }),
    ({ message }) => ({ problem: message }),
  ),
);
