import { Readable } from 'node:stream';
import { createTransport } from 'nodemailer';
import type { DeliveryConfig } from '../../../data/config/delivery-variables.ts';
import { withoutAddresses } from '../masked-recipient.ts';
import { type MailTransport, mailFields } from './outgoing-mail.ts';
import { smtpOutcome } from './smtp-outcome.ts';

export type SmtpServer = Extract<DeliveryConfig['mail']['transport'], { kind: 'smtp' }>;

/** Milliseconds that each step may take. */
export interface SmtpTimes {
  /** Until there is a connection. */
  readonly connect: number;
  /** Until the server greets. */
  readonly greeting: number;
  /** Without a sign from the server. */
  readonly silence: number;
}

const TIMES: SmtpTimes = { connect: 15_000, greeting: 15_000, silence: 45_000 };
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

/** Sends over SMTP, a connection a mail. */
export function smtpTransport(server: SmtpServer, times: SmtpTimes = TIMES): MailTransport {
  const { host, port, isSecure, credentials } = server;
  const options = {
    host,
    port,
    secure: isSecure,
    // Credentials cross no network in the clear.
    requireTLS: credentials !== null && !isSecure && !LOOPBACK.test(host),
    ...(credentials && { auth: { user: credentials.user, pass: credentials.password } }),
    connectionTimeout: times.connect,
    greetingTimeout: times.greeting,
    socketTimeout: times.silence,
  };
  return async (mail, signal) => {
    let wasHandedOver = false;
    // Nothing of the message is read before the server has asked for it.
    async function* handOver(message: AsyncIterable<Buffer>) {
      wasHandedOver = true;
      yield* message;
    }
    const transport = createTransport(options);
    transport.use('stream', ({ message }, done) => {
      message.processFunc((input: Readable) => Readable.from(handOver(input), { objectMode: false }));
      done();
    });
    const fields = { ...mailFields(mail), signal };
    try {
      const { response } = await transport.sendMail(fields);
      return { kind: 'sent', providerId: withoutAddresses(response) };
    } catch (failure) {
      return smtpOutcome(failure, wasHandedOver);
    }
  };
}
