/** The exit codes of all programs, from sysexits.h. They show operators and supervisors what to do. */
export const EXIT = {
  ok: 0,
  /** A bug in the program. */
  failure: 1,
  /** The command line is wrong. */
  usage: 64,
  /**
   * Something outside the program is not ready: for example, a port is in use. A later restart with the same settings may
   * succeed.
   */
  tryAgain: 75,
  /** The configuration is wrong. A restart without a change fails again. */
  configuration: 78,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An error that an operator can fix. Its message is printed without a stack trace, and the process ends with `exitCode`. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly exitCode: ExitCode;
  constructor(message: string, exitCode: ExitCode, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
