import { type ChildProcess, spawn } from 'node:child_process';
import { EXIT, StartError } from '../data/runtime/exit-codes.ts';
import type { ProgramMessage } from '../data/runtime/supervised.ts';

export interface Program {
  readonly name: string;
  readonly entry: string;
  /** What node is started with. */
  readonly flags?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** What a program said when it became ready, and its process id. */
export interface Started {
  readonly processId: number;
  readonly details: Readonly<Record<string, string | number>>;
}

export interface Supervisor {
  /**
   * Starts a program and waits until it says it is ready; afterwards it is started again whenever it ends by itself.
   * @throws {StartError} with the program's own exit code where it ends before it is ready.
   */
  start(program: Program): Promise<Started>;
  /** Stops every program, the last started first, and waits until none is left. */
  stop(): Promise<void>;
}

interface Timing {
  /** Milliseconds before the first restart; doubled at each further one. */
  readonly firstRestart: number;
  readonly longestRestart: number;
  /** Milliseconds a program must have run for its restarts to be forgotten. */
  readonly steadyAfter: number;
  readonly readyWithin: number;
  readonly stopWithin: number;
}

const TIMING: Timing = {
  firstRestart: 250,
  longestRestart: 30_000,
  steadyAfter: 60_000,
  readyWithin: 60_000,
  stopWithin: 12_000,
};

function isProgramMessage(message: unknown): message is ProgramMessage {
  return typeof message === 'object' && message !== null && 'type' in message && message.type === 'ready';
}

function knownExitCode(code: number | null): 1 | 75 | 78 {
  return code === EXIT.configuration || code === EXIT.tryAgain ? code : EXIT.failure;
}

/**
 * Runs programs as child processes. A program that ends with the configuration code is not started again: `onFatal`
 * hears of it, since only a person can mend it.
 */
export function createSupervisor(
  note: (text: string) => void,
  onFatal: (error: StartError) => void,
  timing: Timing = TIMING,
): Supervisor {
  const running = new Map<string, ChildProcess>();
  const restarts = new Map<string, NodeJS.Timeout>();
  let stopping = false;

  function launch(program: Program, attempt: number): Promise<Started> {
    if (stopping)
      return Promise.reject(new StartError(`${program.name} is not started: all stops.`, EXIT.ok));
    const startedAt = Date.now();
    const child = spawn(process.execPath, [...(program.flags ?? []), program.entry], {
      env: { ...process.env, ...program.env },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    running.set(program.name, child);
    return new Promise((resolve, reject) => {
      let ready = false;
      const tooLate = setTimeout(() => {
        note(`${program.name} did not become ready within ${timing.readyWithin / 1_000} s`);
        child.kill('SIGKILL');
      }, timing.readyWithin);
      child.on('message', (message: unknown) => {
        if (!isProgramMessage(message)) return;
        ready = true;
        clearTimeout(tooLate);
        resolve({ processId: child.pid ?? 0, details: message.details });
      });
      child.once('error', reject);
      child.once('exit', (code, signal) => {
        clearTimeout(tooLate);
        running.delete(program.name);
        const how = signal ? `was ended by ${signal}` : `ended with code ${code}`;
        const error = new StartError(`${program.name} ${how}.`, knownExitCode(code));
        reject(error);
        if (stopping) return;
        if (code === EXIT.configuration) return onFatal(error);
        if (!ready && attempt === 0) return;
        again(program, how, Date.now() - startedAt > timing.steadyAfter ? 1 : attempt + 1);
      });
    });
  }

  function again(program: Program, how: string, attempt: number): void {
    const delay = Math.min(timing.longestRestart, timing.firstRestart * 2 ** (attempt - 1));
    note(`${program.name} ${how}; starting it again in ${delay / 1_000} s`);
    const timer = setTimeout(() => {
      restarts.delete(program.name);
      launch(program, attempt).then(
        ({ processId }) => note(`${program.name} runs again, pid ${processId}`),
        () => undefined,
      );
    }, delay);
    restarts.set(program.name, timer);
  }

  function end(child: ChildProcess): Promise<void> {
    return new Promise((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) return resolve();
      const kill = setTimeout(() => child.kill('SIGKILL'), timing.stopWithin);
      child.once('exit', () => {
        clearTimeout(kill);
        resolve();
      });
      child.kill('SIGTERM');
    });
  }

  return {
    start: (program) => launch(program, 0),
    stop: async () => {
      stopping = true;
      for (const timer of restarts.values()) clearTimeout(timer);
      for (const child of [...running.values()].reverse()) await end(child);
    },
  };
}
