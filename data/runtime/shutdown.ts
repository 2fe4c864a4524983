import { flushCompileCache } from 'node:module';
import { EXIT, type ExitCode, StartError } from './exit-codes.ts';
import { notifyLongStart, notifyReady, notifyStopping } from './service-manager.ts';

export interface Shutdown {
  /** Aborts when the process stops, with the reason for the stop. */
  readonly signal: AbortSignal;
  /** Registers a function that closes a part of the program. Parts are closed in reverse order. */
  onStop(name: string, close: () => void | Promise<void>): void;
  /** Closes everything once, then exits. */
  stop(code?: ExitCode, reason?: string): Promise<never>;
}

const ORPHANED_REASON = 'the parent process has ended';

/** After this many milliseconds the process ends, even if not everything is closed. */
const CLOSE_TIMEOUT_MS = 10_000;
/**
 * How long (ms) a program may take to become ready if it migrates a store. If it were stopped during a
 * migration, every restart would begin the migration from the start.
 */
export const MIGRATION_TIMEOUT_MS = 3_600_000;

/** Whether this process is a program of the portal. Tests and commands also migrate stores, but notify nobody. */
let isProgram = false;

/** Ends the process cleanly on SIGTERM, on SIGINT, or when its parent ends, so that no process is left behind. */
export function installShutdown(report: (message: string, error?: unknown) => void): Shutdown {
  isProgram = true;
  const controller = new AbortController();
  const closers: { name: string; close: () => void | Promise<void> }[] = [];
  let stopPromise: Promise<never> | undefined;

  const closeAndExit = async (code: ExitCode, reason: string): Promise<never> => {
    controller.abort(reason);
    notifyStopping();
    const deadline = setTimeout(() => {
      report(`not closed within ${CLOSE_TIMEOUT_MS / 1_000} s, exiting anyway`);
      process.exit(code === EXIT.ok ? EXIT.failure : code);
    }, CLOSE_TIMEOUT_MS);
    deadline.unref();
    for (const { name, close } of closers.reverse()) {
      try {
        await close();
      } catch (error) {
        report(`closing ${name} failed`, error);
      }
    }
    process.exit(code);
  };
  const stop = (code: ExitCode = EXIT.ok, reason = 'it has finished'): Promise<never> => {
    stopPromise ??= closeAndExit(code, reason);
    return stopPromise;
  };

  process.once('SIGTERM', () => void stop(EXIT.ok, 'SIGTERM'));
  process.once('SIGINT', () => void stop(EXIT.ok, 'SIGINT'));
  // If the parent ended while this program was loading, the channel is already closed and no event follows.
  if (process.send && !process.connected) void stop(EXIT.ok, ORPHANED_REASON);
  else if (process.connected) process.once('disconnect', () => void stop(EXIT.ok, ORPHANED_REASON));
  return { signal: controller.signal, onStop: (name, close) => void closers.push({ name, close }), stop };
}

/**
 * Runs a program's main function. After a `StartError`, prints the message and exits with its code. Any other error is a bug:
 * prints the stack.
 */
export async function runMain(program: string, main: () => Promise<void>): Promise<void> {
  try {
    await main();
  } catch (error) {
    if (error instanceof StartError) {
      process.stderr.write(`${program}: ${error.message}\n`);
      process.exit(error.exitCode);
    }
    process.stderr.write(
      `${program}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    process.exit(EXIT.failure);
  }
}

/** A message from a program to its parent, over Node's IPC channel. */
export interface ProgramMessage {
  readonly type: 'ready';
  /** Details that the parent needs, such as a port. `note` is shown to the operator. */
  readonly details: Readonly<Record<string, string | number>>;
}

/**
 * Notifies the parent, or systemd, that the program is ready. A program that was started by hand notifies nobody. First
 * writes Node's compile cache, if it is enabled: Node itself writes it only on exit, which a killed process never reaches.
 */
export function notifyParent(message: ProgramMessage): void {
  flushCompileCache();
  if (process.connected) process.send?.(message);
  notifyReady();
}

/** A message from a program that is about to migrate a store, and therefore needs longer to become ready. */
export interface MigrationMessage {
  readonly type: 'migrating';
}

/** Notifies the parent, or systemd, of a migration. Call it before the migration, which may block the event loop. */
export function notifyMigrating(): void {
  if (!isProgram) return;
  if (process.connected) process.send?.({ type: 'migrating' } satisfies MigrationMessage);
  notifyLongStart(MIGRATION_TIMEOUT_MS);
}
