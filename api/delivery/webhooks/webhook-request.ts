import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { useAgent } from 'request-filtering-agent';
import { WEBHOOK_LIMITS } from '../../../data/model/webhooks.ts';
import { sanitizePeerMessage } from '../recipients.ts';
import type { SendOutcome } from '../send-outcome.ts';

const READ_BYTES = 1_000;
const KEPT_CHARACTERS = 200;
const LOOPBACK = ['127.0.0.1', '::1'];

/** Reads the start of a response, and closes the connection. */
async function readStart(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= READ_BYTES) break;
    }
  } catch {
    // The status has arrived, and only the status decides the outcome.
  }
  const text = Buffer.concat(chunks).subarray(0, READ_BYTES).toString();
  return sanitizePeerMessage(text).slice(0, KEPT_CHARACTERS);
}

const codeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown';
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'ETIMEDOUT';
  return 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
};

/**
 * The texts that the team sees for an error. The error's own text is not stored, because it could reveal details of the
 * portal's network.
 */
const ERROR_TEXTS: Readonly<Record<string, string>> = {
  ETIMEDOUT: 'The receiver did not respond in time.',
  ECONNREFUSED: 'The receiver refused the connection.',
  ENOTFOUND: 'The host name was not found.',
  'private-address': 'The host is on a private network. The portal sends nothing there.',
};

/** Matches the message of the agent's error for a private address. That error has no code. */
const PRIVATE_ADDRESS_MESSAGE = /private IP address|meta IP address/;

function failureOutcome(error: unknown): SendOutcome {
  const isPrivate = error instanceof Error && PRIVATE_ADDRESS_MESSAGE.test(error.message);
  const code = isPrivate ? 'private-address' : codeOf(error);
  return { kind: 'retry', code, error: ERROR_TEXTS[code] ?? 'The connection to the receiver failed.' };
}

/**
 * Posts a body without following redirects. Every address that the host resolves to must be public. The agent checks the
 * addresses as it opens the connection, so a host name cannot point elsewhere after the check.
 * @param options.allowsLoopback whether the receiver may be on the portal's own machine
 */
export async function postWebhook(
  url: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>>,
  options: {
    readonly allowsLoopback: boolean;
    readonly signal: AbortSignal;
    readonly timeoutMs?: number | undefined;
  },
): Promise<SendOutcome> {
  const { allowsLoopback, timeoutMs = WEBHOOK_LIMITS.timeoutSeconds * 1_000 } = options;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(timeoutMs)]);
  const request = url.startsWith('https:') ? httpsRequest : httpRequest;
  const lengthHeader = { 'Content-Length': String(Buffer.byteLength(body)) };
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const agent = useAgent(url, { allowIPAddressList: allowsLoopback ? LOOPBACK : [] });
      request(url, { method: 'POST', agent, headers: { ...headers, ...lengthHeader }, signal })
        .on('response', resolve)
        .on('error', reject)
        .end(body);
    });
    const { statusCode = 0 } = response;
    const text = await readStart(response);
    const code = String(statusCode);
    if (statusCode >= 200 && statusCode < 300) return { kind: 'sent', providerId: code };
    return { kind: statusCode === 410 ? 'dead' : 'retry', code, error: text };
  } catch (error) {
    return failureOutcome(error);
  }
}
