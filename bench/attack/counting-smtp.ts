import { buffer } from 'node:stream/consumers';
import { startSmtpPeer } from '../../api/delivery/testing/smtp-peer.ts';

/** An SMTP server that keeps no mail: it counts how often each arrived. */
export interface CountingSmtp {
  readonly port: number;
  /** By Message-ID, without its angle brackets. */
  readonly arrivals: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

const MESSAGE_ID = /^Message-ID:\s*<([^>]+)>/im;

export async function startCountingSmtp(onMail = () => {}): Promise<CountingSmtp> {
  const arrivals = new Map<string, number>();
  const { port, close } = await startSmtpPeer({
    onData: (stream, _session, done) => {
      buffer(stream).then(
        (raw) => {
          const id = MESSAGE_ID.exec(raw.toString('latin1'))?.[1] ?? '';
          arrivals.set(id, (arrivals.get(id) ?? 0) + 1);
          onMail();
          done(null);
        },
        // A message that is cut off is not accepted.
        (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
      );
    },
  });
  return { port, arrivals, close };
}
