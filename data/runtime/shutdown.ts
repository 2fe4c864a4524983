import { EXIT, type ExitCode, StartError } from './exit-codes.ts';

export interface Shutdown {
  /** Aborts when the process is told to stop; its reason says by whom. */
  readonly signal: AbortSignal;
  /** Registers what must be closed; the last registered is closed first. */
  onStop(name: string, close: () => void | Promise<void>): void;
  /** Stops the process: closes everything once, then exits. */
  stop(code?: ExitCode, why?: string): Promise<never>;
}

const ORPHANED = 'the process that started it is gone';

/** Milliseconds that closing may take altogether before the process ends anyway. */
const CLOSE_WITHIN = 10_000;

/**
 * Ends the process cleanly on SIGTERM, SIGINT, or when the parent that started it is gone, so that no process is ever
 * left behind.
 */
export function installShutdown(report: (message: string, error?: unknown) => void): Shutdown {
  const controller = new AbortController();
  const closers: { name: string; close: () => void | Promise<void> }[] = [];
  let stopping: Promise<never> | undefined;

  const run = async (code: ExitCode, why: string): Promise<never> => {
    controller.abort(why);
    const deadline = setTimeout(() => {
      report(`not closed within ${CLOSE_WITHIN / 1_000} s; ending anyway`);
      process.exit(code === EXIT.ok ? EXIT.failure : code);
    }, CLOSE_WITHIN);
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
  const stop = (code: ExitCode = EXIT.ok, why = 'its work is over'): Promise<never> => {
    stopping ??= run(code, why);
    return stopping;
  };

  process.once('SIGTERM', () => void stop(EXIT.ok, 'SIGTERM'));
  process.once('SIGINT', () => void stop(EXIT.ok, 'SIGINT'));
  // A parent that died while this program loaded has closed the channel already; then no event will tell of it.
  if (process.send && !process.connected) void stop(EXIT.ok, ORPHANED);
  else if (process.connected) process.once('disconnect', () => void stop(EXIT.ok, ORPHANED));
  return { signal: controller.signal, onStop: (name, close) => void closers.push({ name, close }), stop };
}

/**
 * Runs a program's main function. A `StartError` prints its message and ends with its code; anything else is a fault in
 * the program and prints its stack.
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
