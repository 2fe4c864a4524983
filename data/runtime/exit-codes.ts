/** Exit codes of every program here, after sysexits.h, so that an operator or a supervisor knows what to do. */
export const EXIT = {
  ok: 0,
  /** A fault in the program itself. */
  failure: 1,
  /** The command line was wrong. */
  usage: 64,
  /** Something outside is not ready or not free: mend it, then start again with the same settings. */
  tryAgain: 75,
  /** The configuration is wrong: starting again without changing it is of no use. */
  configuration: 78,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A fault whose mend is known: printed without a stack, and the process ends with its code. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly exitCode: ExitCode;
  constructor(message: string, exitCode: ExitCode, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
