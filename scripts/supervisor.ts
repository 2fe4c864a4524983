import { type ChildProcess, spawn } from 'node:child_process';
import { EXIT, StartError } from '../data/runtime/exit-codes.ts';
import { notifyLongStart } from '../data/runtime/service-manager.ts';
import {
  MIGRATION_TIMEOUT_MS,
  type MigrationMessage,
  type ProgramMessage,
} from '../data/runtime/shutdown.ts';

interface Program {
  readonly name: string;
  readonly entry: string;
  readonly flags?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface StartedProgram {
  readonly processId: number;
  readonly details: Readonly<Record<string, string | number>>;
}

export interface Supervisor {
  /**
   * Starts a program and waits until it is ready. From then on, restarts the program whenever it exits.
   * @throws {StartError} with the program's exit code if it exits before it is ready
   */
  start(program: Program): Promise<StartedProgram>;
  /** Stops all programs, starting with the last one that was started, and waits until they have exited. */
  stop(): Promise<void>;
}

interface Timing {
  /** The delay before the first restart, in milliseconds. It doubles with each further restart. */
  readonly firstRestartDelayMs: number;
  readonly maxRestartDelayMs: number;
  /** After this many milliseconds without an exit, the next restart counts as the first. */
  readonly steadyAfterMs: number;
  readonly readyTimeoutMs: number;
  /** Replaces `readyTimeoutMs` for a program that migrates a store. */
  readonly migrationTimeoutMs: number;
  readonly stopTimeoutMs: number;
}

/** A program that is asked to stop is killed after this many milliseconds if it is still running. */
export const STOP_TIMEOUT_MS = 12_000;
export const READY_TIMEOUT_MS = 60_000;

const TIMING: Timing = {
  firstRestartDelayMs: 250,
  maxRestartDelayMs: 30_000,
  steadyAfterMs: 60_000,
  readyTimeoutMs: READY_TIMEOUT_MS,
  migrationTimeoutMs: MIGRATION_TIMEOUT_MS,
  stopTimeoutMs: STOP_TIMEOUT_MS,
};

function isMessageOf<Message extends ProgramMessage | MigrationMessage>(
  type: Message['type'],
  message: unknown,
): message is Message {
  return typeof message === 'object' && message !== null && 'type' in message && message.type === type;
}

function knownExitCode(code: number | null): 1 | 75 | 78 {
  return code === EXIT.configuration || code === EXIT.tryAgain ? code : EXIT.failure;
}

/** Stops a child process and waits until it has exited. Kills it if it is still running after `timeoutMs`. */
export function stopChild(child: ChildProcess, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    const killTimer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    child.once('exit', () => {
      clearTimeout(killTimer);
      resolve();
    });
    child.kill('SIGTERM');
  });
}

/**
 * Runs programs as child processes that report over Node's IPC channel. The package pm2 would do the same, but it is a daemon
 * with 22 direct dependencies.
 * @param onFatal called with the error when a program exits with the configuration exit code. That program is not restarted
 */
export function createSupervisor(
  note: (text: string) => void,
  onFatal: (error: StartError) => void,
  timing: Timing = TIMING,
): Supervisor {
  const running = new Map<string, ChildProcess>();
  const restartTimers = new Map<string, NodeJS.Timeout>();
  let isStopping = false;

  function launch(program: Program, attempt: number): Promise<StartedProgram> {
    if (isStopping) {
      const message = `${program.name} was not started: the portal is stopping.`;
      return Promise.reject(new StartError(message, EXIT.ok));
    }
    const startedAt = Date.now();
    const child = spawn(process.execPath, [...(program.flags ?? []), program.entry], {
      // The supervisor reports to systemd on behalf of all its programs.
      env: { ...process.env, NOTIFY_SOCKET: undefined, ...program.env },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    running.set(program.name, child);
    return new Promise((resolve, reject) => {
      let isReady = false;
      const killUnlessReadyWithin = (milliseconds: number) =>
        setTimeout(() => {
          note(`${program.name} did not become ready within ${milliseconds / 1_000} s`);
          child.kill('SIGKILL');
        }, milliseconds);
      let readyTimer = killUnlessReadyWithin(timing.readyTimeoutMs);
      child.on('message', (message: unknown) => {
        // If the chain is slow, an indexer may become ready before it migrates its store. In that case, no timer is running.
        if (!isReady && isMessageOf<MigrationMessage>('migrating', message)) {
          clearTimeout(readyTimer);
          readyTimer = killUnlessReadyWithin(timing.migrationTimeoutMs);
          notifyLongStart(timing.migrationTimeoutMs);
          note(`${program.name} is migrating its store, which can take minutes.`);
        }
        if (!isMessageOf<ProgramMessage>('ready', message)) return;
        isReady = true;
        clearTimeout(readyTimer);
        resolve({ processId: child.pid ?? 0, details: message.details });
      });
      const onEnd = (code: number | null, exitText: string) => {
        clearTimeout(readyTimer);
        running.delete(program.name);
        const error = new StartError(`${program.name} ${exitText}.`, knownExitCode(code));
        reject(error);
        if (isStopping) return;
        if (code === EXIT.configuration) return onFatal(error);
        if (!isReady && attempt === 0) return;
        restart(program, exitText, Date.now() - startedAt > timing.steadyAfterMs ? 1 : attempt + 1);
      };
      child.on('error', (error) => {
        if (child.pid === undefined) onEnd(null, `could not be started: ${error.message}`);
      });
      child.once('exit', (code, signal) =>
        onEnd(code, signal ? `was killed by ${signal}` : `exited with code ${code}`),
      );
    });
  }

  function restart(program: Program, exitText: string, attempt: number): void {
    const delayMs = Math.min(timing.maxRestartDelayMs, timing.firstRestartDelayMs * 2 ** (attempt - 1));
    note(`${program.name} ${exitText}; restarting it in ${delayMs / 1_000} s`);
    const timer = setTimeout(() => {
      restartTimers.delete(program.name);
      launch(program, attempt).then(
        ({ processId }) => note(`${program.name} is running again, pid ${processId}`),
        () => undefined,
      );
    }, delayMs);
    restartTimers.set(program.name, timer);
  }

  return {
    start: (program) => launch(program, 0),
    stop: async () => {
      isStopping = true;
      for (const timer of restartTimers.values()) clearTimeout(timer);
      for (const child of [...running.values()].reverse()) await stopChild(child, timing.stopTimeoutMs);
    },
  };
}
