/** Exit codes of every program here, after sysexits.h, so that operators and supervisors know what to do. */
export const EXIT = {
  ok: 0,
  /** A bug in the program. */
  failure: 1,
  /** The command line is wrong. */
  usage: 64,
  /** Something outside is not ready or not free: fix it, then restart with the same settings. */
  tryAgain: 75,
  /** The configuration is wrong: restarting without a change fails again. */
  configuration: 78,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An error with a known remedy. It is printed without a stack, and the process ends with its code. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly exitCode: ExitCode;
  constructor(message: string, exitCode: ExitCode, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
