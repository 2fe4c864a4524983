import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { StoreUnavailableError } from '../../data/store/store-errors.ts';
import type { InboundMail } from './read-mail.ts';

type Answer = { readonly mail: InboundMail } | { readonly problem: string };

const PROGRAM = fileURLToPath(new URL('./read-mail-program.ts', import.meta.url));

/** The error for a program that did not start. @param cause thrown by `fork`, or emitted by the child process */
const notStarted = (cause: unknown) =>
  new StoreUnavailableError('The program that reads emails did not start.', { cause });

function start(): ChildProcess {
  const { NODE_COMPILE_CACHE } = process.env;
  try {
    return fork(PROGRAM, {
      serialization: 'advanced',
      execArgv: [],
      // The program reads what strangers write, so it gets no secrets.
      env: NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
  } catch (error) {
    throw notStarted(error);
  }
}

async function readNow(raw: Uint8Array): Promise<Answer> {
  const program = start();
  const exited = new Promise<readonly [code: number | null, signal: NodeJS.Signals | null]>((resolve) =>
    program.once('exit', (code, signal) => resolve([code, signal])),
  );
  const answered = new Promise<Answer | null>((resolve, reject) => {
    program.once('message', resolve);
    program.once('disconnect', () => resolve(null));
    program.once('error', reject);
  });
  // Errors of `send` are ignored: if the program has already ended, `exited` reports it. A program that did not start
  // is not connected.
  if (program.connected) program.send(raw, () => {});
  const answer = await answered.catch((cause: unknown) => {
    throw notStarted(cause);
  });
  const [code, signal] = await exited;
  if (answer !== null) return answer;
  // V8 aborts the program if a single allocation exceeds the limit. The system kills it if memory runs out.
  if (signal === 'SIGABRT' || signal === 'SIGKILL') return { problem: `The program was ended by ${signal}.` };
  throw new StoreUnavailableError(`The program that reads emails ended with ${code ?? signal}.`);
}

let lastRead: Promise<unknown> = Promise.resolve();

/**
 * Reads an email in a separate process, because some emails would take hours or gigabytes of memory to read. One email is
 * read at a time.
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
