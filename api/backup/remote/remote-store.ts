import type { SealedFile } from './sealed-file.ts';

export interface RemoteStore {
  /**
   * Sends a file. If sending is interrupted, the destination has either the whole file or nothing.
   * @throws {Error} if the file cannot be sent, or if the received file differs. The message has no secrets.
   */
  send(file: SealedFile, signal: AbortSignal): Promise<void>;
  /** The names of all files; null if the destination cannot list them. */
  readonly list: ((signal?: AbortSignal) => Promise<readonly string[]>) | null;
  remove(name: string, signal?: AbortSignal): Promise<void>;
  /** How many copies are kept. Null if the portal removes none. */
  readonly keep: number | null;
  /** Describes where copies are sent, without secrets. */
  readonly label: string;
}

/** An error's message in one line, with the code of its cause. The rest of the error may contain credentials. */
export function failureReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
  return `${error.message.split('\n')[0]?.slice(0, 200)}${code}`;
}
