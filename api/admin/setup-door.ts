import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { SETUP_PAGE, SETUP_TOKEN_HEADER } from '../../data/contract/admin-session.ts';
import { isFromOwnMachine } from '../operations/own-machine.ts';

const TOKEN_BYTES = 32;

const digest = (text: string) => createHash('sha256').update(text).digest();

/** A token for the one-time link: 256 random bits. */
export function newSetupToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** The link that creates the first admin from any machine. Its token follows the #, which browsers send to no server. */
export function setupLink(origin: string, token: string): string {
  return `${origin}${SETUP_PAGE}#token=${token}`;
}

/**
 * Whether a request may create the first admin: it comes from this machine itself, or holds the token of the link.
 * @param token null where no link was printed
 */
export function mayCreateFirst(request: IncomingMessage, token: string | null): boolean {
  if (isFromOwnMachine(request)) return true;
  const sent = request.headers[SETUP_TOKEN_HEADER.toLowerCase()];
  return token !== null && typeof sent === 'string' && timingSafeEqual(digest(sent), digest(token));
}
