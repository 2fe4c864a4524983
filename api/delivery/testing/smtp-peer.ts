import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: Buffer;
  readonly parsed: ParsedMail;
}

/** A real SMTP server on the loopback interface that keeps its emails in memory. */
export interface SmtpPeer {
  readonly port: number;
  readonly received: readonly ReceivedMail[];
  /** From now on, rejects sessions at this step with this code. */
  refuse(fault: { readonly step: 'CONNECT' | 'MAIL' | 'RCPT' | 'DATA'; readonly code: number }): void;
  /** Resolves once `count` emails have arrived in total. */
  waitForMails(count: number): Promise<void>;
  close(): Promise<void>;
}

export async function startSmtpPeer(options: SMTPServerOptions = {}): Promise<SmtpPeer> {
  const received: ReceivedMail[] = [];
  const mailChecks = new Set<() => void>();
  let currentFault: Parameters<SmtpPeer['refuse']>[0] | null = null;
  const faultAt = (step: string) =>
    currentFault?.step === step
      ? // Contains an email address, because tests check that error texts are stored without addresses.
        Object.assign(new Error(`ann@example.com was refused at ${step}`), {
          responseCode: currentFault.code,
        })
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
      const receive = async () => {
        const raw = await buffer(stream);
        const fault = faultAt('DATA');
        if (fault) return done(fault);
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom === false ? '' : mailFrom.address;
        const to = rcptTo.map(({ address }) => address);
        received.push({ from, to, raw, parsed: await simpleParser(raw) });
        for (const check of mailChecks) check();
        done(null, `queued as ${received.length}`);
      };
      // A message that is cut off is not accepted.
      receive().catch(done);
    },
    ...options,
  });
  // Tests that cut connections cause errors here.
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    refuse: (fault) => {
      currentFault = fault;
    },
    waitForMails: (count) =>
      new Promise((resolve) => {
        const check = () => {
          if (received.length < count) return;
          mailChecks.delete(check);
          resolve();
        };
        mailChecks.add(check);
        check();
      }),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
