/**
 * What a program tells the process that started it, over Node's IPC channel. Run by hand there is no channel, and
 * nothing is sent.
 */
export type ProgramMessage =
  | { readonly type: 'ready'; readonly details: Readonly<Record<string, string | number>> }
  | { readonly type: 'note'; readonly text: string };

/** Sends one message to the parent, if there is one. */
export function tellParent(message: ProgramMessage): void {
  if (process.connected) process.send?.(message);
}
