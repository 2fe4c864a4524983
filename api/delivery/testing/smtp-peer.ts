import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A mail as the server took it. */
export interface TakenMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: Buffer;
  readonly parsed: ParsedMail;
}

/** For tests: a real SMTP server on loopback that keeps what it takes. */
export interface SmtpPeer {
  readonly port: number;
  readonly taken: readonly TakenMail[];
  /** Refuses what comes at a step from now on, with a code; null ends that. */
  refuse(fault: { readonly step: 'CONNECT' | 'MAIL' | 'RCPT' | 'DATA'; readonly code: number } | null): void;
  /** Waits until so many mails are taken. */
  takes(count: number): Promise<void>;
  close(): Promise<void>;
}

export async function startSmtpPeer(options: SMTPServerOptions = {}): Promise<SmtpPeer> {
  const taken: TakenMail[] = [];
  const waiting = new Set<() => void>();
  let refused: Parameters<SmtpPeer['refuse']>[0] = null;
  const faultAt = (step: string) =>
    refused?.step === step
      ? Object.assign(new Error(`refused, says ann@example.com at ${step}`), { responseCode: refused.code })
      : null;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: options.onAuth ? ['STARTTLS'] : ['STARTTLS', 'AUTH'],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    onConnect: (_session, done) => done(faultAt('CONNECT')),
    onMailFrom: (_address, _session, done) => done(faultAt('MAIL')),
    onRcptTo: (_address, _session, done) => done(faultAt('RCPT')),
    onData: (stream, session, done) => {
      const take = async () => {
        const raw = await buffer(stream);
        const fault = faultAt('DATA');
        if (fault) return done(fault);
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom === false ? '' : mailFrom.address;
        taken.push({ from, to: rcptTo.map(({ address }) => address), raw, parsed: await simpleParser(raw) });
        for (const tell of waiting) tell();
        done(null, `queued as ${taken.length}`);
      };
      // Cut off before its end: it is not taken.
      take().catch(done);
    },
    ...options,
  });
  // A peer that is cut off is what some tests are about.
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.server.address() as AddressInfo).port,
    taken,
    refuse: (fault) => {
      refused = fault;
    },
    takes: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (taken.length < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
