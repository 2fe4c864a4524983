import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';

/** An output that discards the terminal's echo. */
function mute(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}

/**
 * Reads a password that is typed twice at a terminal without echo, or one line of piped input. It is never an argument,
 * because every user of the machine can read arguments.
 * @throws {StartError} if the two differ, or none was entered
 */
export async function readPassword(
  input: NodeJS.ReadableStream & { readonly isTTY?: boolean },
  output: NodeJS.WritableStream,
): Promise<string> {
  const isTerminal = input.isTTY === true;
  const lines = createInterface({ input, output: mute(), terminal: isTerminal, historySize: 0 });
  const typed = lines[Symbol.asyncIterator]();
  const next = async (prompt: string): Promise<string> => {
    if (isTerminal) output.write(prompt);
    const line = await typed.next();
    if (isTerminal) output.write('\n');
    if (line.done === true) throw new StartError('No password was given. Nothing was changed.', EXIT.usage);
    return line.value;
  };
  try {
    const first = await next('New password: ');
    if (isTerminal && (await next('Repeat the password: ')) !== first) {
      throw new StartError('Passwords do not match. Nothing was changed.', EXIT.usage);
    }
    return first;
  } finally {
    lines.close();
  }
}
