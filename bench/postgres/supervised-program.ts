import type { ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { EXIT } from '../../data/runtime/exit-codes.ts';

interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

export interface SupervisedProcess {
  readonly child: ChildProcess;
  readonly ready: Promise<{ readonly details: Readonly<Record<string, string | number>> }>;
  readonly ended: Promise<ProcessExit>;
  stderr(): string;
}

export const RESTART_DELAY_MS = 500;

/** A program that is restarted whenever it exits, as under a service manager. */
export interface SupervisedProgram {
  readonly name: string;
  current(): SupervisedProcess;
  /** The port of the running process, or null until it listens. */
  port(): number | null;
  isReady(): boolean;
  /** Unexpected exits (not 0, 75 or SIGKILL), each with its error output. */
  readonly failures: readonly string[];
  /** How many times the program exited with code 75 (EX_TEMPFAIL), which means that a restart may succeed. */
  tryAgainExits(): number;
  kill(): Promise<void>;
  /** Ends the program without a restart. @returns its exit code; null if a signal ended it */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
}

export function supervise(name: string, start: () => SupervisedProcess): SupervisedProgram {
  const failures: string[] = [];
  let [isOver, isReady, tryAgainExits] = [false, false, 0];
  let port: number | null = null;

  const run = (): SupervisedProcess => {
    const started = start();
    port = null;
    started.ready.then(
      ({ details }) => {
        if (started !== running) return;
        isReady = true;
        if (typeof details.port === 'number') port = details.port;
      },
      () => {},
    );
    started.ended.then(async ({ code, signal, stderr }) => {
      [port, isReady] = [null, false];
      if (code === EXIT.tryAgain) tryAgainExits += 1;
      else if (signal !== 'SIGKILL' && code !== EXIT.ok)
        failures.push(`${name} ended with ${code}: ${stderr}`);
      if (isOver) return;
      await pause(RESTART_DELAY_MS);
      if (!isOver) running = run();
    });
    return started;
  };
  let running = run();

  return {
    name,
    current: () => running,
    port: () => port,
    isReady: () => isReady,
    failures,
    tryAgainExits: () => tryAgainExits,
    async kill() {
      const { child, ended } = running;
      child.kill('SIGKILL');
      await ended;
    },
    async end(endSignal) {
      isOver = true;
      const { child, ended } = running;
      child.kill(endSignal);
      return (await ended).code;
    },
  };
}
