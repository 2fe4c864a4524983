import { withoutAddresses } from '../masked-recipient.ts';
import type { SendOutcome } from '../send-outcome.ts';

/** What Nodemailer tells of a failed try, as far as it is used. */
interface SmtpFault {
  /** Nodemailer's name for the fault. */
  readonly code?: unknown;
  /** The network's, where the fault is the network's. */
  readonly originalCode?: unknown;
  /** The server's, where it answered. */
  readonly responseCode?: unknown;
  readonly response?: unknown;
  readonly timeoutType?: unknown;
  /** What the server was asked. */
  readonly command?: unknown;
}

/** Nobody was there: no message had a part in that. */
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'EHOSTDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EDNS',
]);

/**
 * Commands whose refusal is about one mail. All before them is about the portal: its sender's address, its credentials,
 * its network. That is for the operator to mend, and no mail is given up for it.
 */
const ABOUT_MAIL = new Set(['RCPT TO', 'DATA']);

const FOR_THE_OPERATOR = new Set(['EAUTH', 'ENOAUTH', 'ETLS']);

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function answered(responseCode: number, fault: SmtpFault): SendOutcome {
  const code = String(responseCode);
  const error = withoutAddresses(text(fault.response));
  if (typeof fault.command !== 'string' || !ABOUT_MAIL.has(fault.command) || responseCode === 421) {
    return { kind: 'pause', reason: responseCode < 500 ? 'busy' : 'refused', code, error };
  }
  return { kind: responseCode < 500 ? 'retry' : 'dead', code, error };
}

/**
 * How a failed try is to be taken.
 *
 * @param wasHandedOver whether the server had asked for the message itself, so that it may have it
 */
export function smtpOutcome(failure: unknown, wasHandedOver: boolean): SendOutcome {
  const fault: SmtpFault = typeof failure === 'object' && failure !== null ? failure : {};
  if (typeof fault.responseCode === 'number') return answered(fault.responseCode, fault);
  const code = text(fault.originalCode) || text(fault.code) || 'fault';
  if (wasHandedOver) {
    const error = 'The connection ended before the server said whether it took the mail.';
    return { kind: 'unknown', code, error };
  }
  if (UNREACHABLE.has(code) || UNREACHABLE.has(text(fault.code)) || fault.timeoutType === 'CONNECT_TIMEOUT') {
    return { kind: 'pause', reason: 'unreachable', code, error: 'The mail server cannot be reached.' };
  }
  if (FOR_THE_OPERATOR.has(text(fault.code))) {
    const error = 'The mail server and the portal agree on no way to sign in, or on no encryption.';
    return { kind: 'pause', reason: 'refused', code, error };
  }
  return { kind: 'retry', code, error: 'The connection ended before the mail was handed over.' };
}
