import { Readable } from 'node:stream';
import { createTransport } from 'nodemailer';
import type { DeliveryConfig } from '../../../data/config/delivery-variables.ts';
import { sanitizePeerMessage } from '../recipients.ts';
import { type SendOutcome, UNREACHABLE_CODES } from '../send-outcome.ts';
import { type MailTransport, mailFields } from './mail-transport.ts';

type SmtpServer = Extract<DeliveryConfig['mail']['transport'], { kind: 'smtp' }>;

interface SmtpTimeouts {
  readonly connectMs: number;
  readonly greetingMs: number;
  readonly silenceMs: number;
}

const TIMEOUTS: SmtpTimeouts = { connectMs: 15_000, greetingMs: 15_000, silenceMs: 45_000 };
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

/** A transport that opens a new connection for each email. */
export function createSmtpTransport(server: SmtpServer, timeouts: SmtpTimeouts = TIMEOUTS): MailTransport {
  const { host, port, isSecure, credentials } = server;
  const options = {
    host,
    port,
    secure: isSecure,
    // Credentials are never sent unencrypted over a network.
    requireTLS: credentials !== null && !isSecure && !LOOPBACK.test(host),
    ...(credentials && { auth: { user: credentials.user, pass: credentials.password } }),
    connectionTimeout: timeouts.connectMs,
    greetingTimeout: timeouts.greetingMs,
    socketTimeout: timeouts.silenceMs,
  };
  return async (mail, signal) => {
    let wasHandedOver = false;
    // Nodemailer reads the message only when the server is ready for it, so after a read the server may have the message.
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
      return { kind: 'sent', providerId: sanitizePeerMessage(response) };
    } catch (error) {
      return failedOutcome(error, wasHandedOver);
    }
  };
}

interface NodemailerError {
  readonly code?: unknown;
  /** The code of a network error. */
  readonly originalCode?: unknown;
  /** The server's reply code and text. */
  readonly responseCode?: unknown;
  readonly response?: unknown;
  readonly timeoutType?: unknown;
  /** The SMTP command that failed. */
  readonly command?: unknown;
}

/**
 * If the server rejects one of these commands, the email is the cause. Earlier commands fail because of the portal's sender
 * address, credentials or network. An operator has to fix those, so the channel is paused and the email waits.
 */
const PER_EMAIL_COMMANDS = new Set(['RCPT TO', 'DATA']);

const OPERATOR_ERRORS = new Set(['EAUTH', 'ENOAUTH', 'ETLS']);

const toText = (value: unknown): string => (typeof value === 'string' ? value : '');

function refusedOutcome(responseCode: number, { response, command }: NodemailerError): SendOutcome {
  const code = String(responseCode);
  const error = sanitizePeerMessage(toText(response));
  if (typeof command !== 'string' || !PER_EMAIL_COMMANDS.has(command) || responseCode === 421) {
    return { kind: 'pause', reason: responseCode < 500 ? 'busy' : 'refused', code, error };
  }
  return { kind: responseCode < 500 ? 'retry' : 'dead', code, error };
}

/** @param wasHandedOver whether the server may have received the message */
function failedOutcome(failure: unknown, wasHandedOver: boolean): SendOutcome {
  const nodemailerError: NodemailerError = typeof failure === 'object' && failure !== null ? failure : {};
  if (typeof nodemailerError.responseCode === 'number')
    return refusedOutcome(nodemailerError.responseCode, nodemailerError);
  const code = toText(nodemailerError.originalCode) || toText(nodemailerError.code) || 'unknown';
  if (wasHandedOver) {
    return { kind: 'unknown', code, error: 'The connection ended before the server confirmed the email.' };
  }
  const isUnreachable = [code, toText(nodemailerError.code)].some((one) => UNREACHABLE_CODES.has(one));
  if (isUnreachable || nodemailerError.timeoutType === 'CONNECT_TIMEOUT') {
    return { kind: 'pause', reason: 'unreachable', code, error: 'The mail server cannot be reached.' };
  }
  if (OPERATOR_ERRORS.has(toText(nodemailerError.code))) {
    const error = 'The portal could not sign in to the mail server, or could not encrypt the connection.';
    return { kind: 'pause', reason: 'refused', code, error };
  }
  return { kind: 'retry', code, error: 'The connection closed before the email was sent.' };
}
