import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { StoreUnavailableError } from '../../data/store/store-errors.ts';
import type { InboundMail } from './read-mail.ts';

type Answer = { readonly mail: InboundMail } | { readonly problem: string };

const PROGRAM = fileURLToPath(new URL('./read-mail-program.ts', import.meta.url));

async function readNow(raw: Uint8Array): Promise<Answer> {
  const { NODE_COMPILE_CACHE } = process.env;
  const program = fork(PROGRAM, {
    serialization: 'advanced',
    execArgv: [],
    // The program reads what strangers write, so it knows no secret.
    env: NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const exited = once(program, 'exit');
  const answered = new Promise<Answer | null>((resolve, reject) => {
    program.once('message', resolve);
    program.once('disconnect', () => resolve(null));
    program.once('error', reject);
  });
  // Fails if the program ended before, which `exited` reports.
  program.send(raw, () => {});
  const answer = await answered.catch((cause: unknown) => {
    throw new StoreUnavailableError('The program that reads emails did not start.', { cause });
  });
  const [code, signal] = await exited;
  if (answer !== null) return answer;
  // V8 ends the program if a single allocation exceeds the limit, and the system does if it has no memory left.
  if (signal !== null) return { problem: `The program was ended by ${signal}.` };
  throw new StoreUnavailableError(`The program that reads emails ended with ${code}.`);
}

let lastRead: Promise<unknown> = Promise.resolve();

/**
 * Reads an email in a program of its own, because some contents would take hours or gigabytes. One email is read at a time.
 * @throws {StoreUnavailableError} if the program cannot run now
 * @throws if the email cannot be read
 */
export async function readInProgram(raw: Uint8Array): Promise<InboundMail> {
  const read = lastRead.then(() => readNow(raw));
  lastRead = read.catch(() => {});
  const answer = await read;
  if ('problem' in answer) throw new Error(answer.problem);
  return answer.mail;
}
