import type { IncomingMessage } from 'node:http';

/** A wallet whose owner the caller has proved to be. */
export interface ProvenWallet {
  readonly walletAddress: string;
  /** When it last signed, in Unix milliseconds. */
  readonly provedAt: number;
}

/** Which wallet the caller of a request has proved, by the session's cookie; null where none. */
export type ReadProvenWallet = (request: IncomingMessage) => Promise<ProvenWallet | null>;
