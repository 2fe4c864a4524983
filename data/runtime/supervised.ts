/**
 * What a program tells the process that started it, over Node's IPC channel. Run by hand there is no channel, and
 * nothing is sent.
 */
export interface ProgramMessage {
  readonly type: 'ready';
  /** What the starter needs to know, such as a port; `note` is for the operator to read. */
  readonly details: Readonly<Record<string, string | number>>;
}

/** Sends one message to the parent, if there is one. */
export function tellParent(message: ProgramMessage): void {
  if (process.connected) process.send?.(message);
}
