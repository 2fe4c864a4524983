import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';

/**
 * Reads a password: typed twice at a terminal without echo, or from one line of piped input. It is never a command-line
 * argument, because every user of the machine can read command lines.
 * @throws {StartError} if the two entries differ, or if nothing was entered
 */
export async function readPassword(
  input: NodeJS.ReadableStream & { readonly isTTY?: boolean },
  output: NodeJS.WritableStream,
): Promise<string> {
  const isTerminal = input.isTTY === true;
  const silentOutput = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: silentOutput, terminal: isTerminal, historySize: 0 });
  const lineIterator = lines[Symbol.asyncIterator]();
  const promptForLine = async (prompt: string): Promise<string> => {
    if (isTerminal) output.write(prompt);
    const line = await lineIterator.next();
    if (isTerminal) output.write('\n');
    if (line.done === true) throw new StartError('No password was entered. Nothing was changed.', EXIT.usage);
    return line.value;
  };
  try {
    const first = await promptForLine('New password: ');
    if (isTerminal && (await promptForLine('Repeat the password: ')) !== first) {
      throw new StartError('Passwords do not match. Nothing was changed.', EXIT.usage);
    }
    return first;
  } finally {
    lines.close();
  }
}
