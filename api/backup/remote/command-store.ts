import { spawn } from 'node:child_process';
import { VARIABLE_NAMES } from '../../../data/config/environment.ts';
import type { CommandConfig } from '../../../data/config/remote-copy-variables.ts';
import type { Logger } from '../../../data/runtime/log.ts';
import type { RemoteStore } from './remote-store.ts';

const MAX_LOGGED_LINES = 20;
/** Only this many characters at the end of the command's output are kept. */
const SEARCHED_LENGTH = 8_192;
const KILL_AFTER_MS = 5_000;

const SECRET_NAME = /KEY|SECRET|TOKEN|PASS|URL|CREDENTIAL/;
/** Secrets shorter than this are not hidden, because the same text may occur in the output by chance. */
const MIN_SECRET_LENGTH = 6;

/** The program's environment: no portal settings except those for S3, which many programs read. */
function environmentFor(file: string): NodeJS.ProcessEnv {
  const allowedEntries = Object.entries(process.env).filter(
    ([name]) => !VARIABLE_NAMES.includes(name) || name.startsWith('AWS_'),
  );
  return { ...Object.fromEntries(allowedEntries), BACKUP_FILE: file };
}

/** The last lines of the command's output, without the values of variables that hold secrets. */
function lastLines(output: string): readonly string[] {
  const secrets = Object.entries(process.env)
    .filter(([name, value = '']) => SECRET_NAME.test(name) && value.length >= MIN_SECRET_LENGTH)
    .map(([, value = '']) => value);
  // Drops the first line of truncated output: it may contain part of a secret, which would not be recognized.
  const completeLines = output.length < SEARCHED_LENGTH ? output : output.replace(/^.*\n?/, '');
  const redactedText = secrets.reduce((text, secret) => text.replaceAll(secret, '[hidden]'), completeLines);
  return redactedText.trimEnd().split('\n').slice(-MAX_LOGGED_LINES);
}

/** Sends files by running a program. It gets the file's path as its last argument and in the variable `BACKUP_FILE`. */
export function createCommandStore({ program, args, timeoutMs }: CommandConfig, log: Logger): RemoteStore {
  const run = (file: string, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      // The program runs in its own process group, so that killing the group also ends the processes that it starts.
      const child = spawn(program, [...args, file], {
        env: environmentFor(file),
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      });
      const kill = (killSignal: NodeJS.Signals) => {
        try {
          if (child.pid !== undefined) process.kill(-child.pid, killSignal);
        } catch {
          // The process group has already ended.
        }
      };
      let output = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          output = `${output}${text}`.slice(-SEARCHED_LENGTH);
        });
      }
      let endReason: string | null = null;
      const terminate = (reason: string) => {
        endReason ??= reason;
        kill('SIGTERM');
        setTimeout(() => kill('SIGKILL'), KILL_AFTER_MS).unref();
      };
      const timer = setTimeout(() => terminate(`took longer than ${timeoutMs / 60_000} minutes`), timeoutMs);
      const onStop = () => terminate('was stopped because the portal is stopping');
      signal.addEventListener('abort', onStop, { once: true });
      const finish = (problem: string | null, code: number | null) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onStop);
        const lines = output === '' ? [] : lastLines(output);
        log[problem === null ? 'info' : 'warn']({ program, code, lines }, 'BACKUP_COMMAND ended');
        if (problem === null) resolve();
        else reject(new Error(`BACKUP_COMMAND ${problem}`));
      };
      child.on('error', ({ message }) => finish(`cannot be started: ${message}`, null));
      child.on('close', (code, killedBy) =>
        finish(endReason ?? (code === 0 ? null : `ended with ${code ?? killedBy}`), code),
      );
      if (signal.aborted) onStop();
    });
  return {
    keep: null,
    list: null,
    label: program,
    send: ({ path }, signal) => run(path, signal),
    remove: async () => {},
  };
}
