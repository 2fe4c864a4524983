import { Router } from 'express';
import type { SecurityContact } from '../../data/config/security-contact.ts';
import * as PATHS from '../../data/contract/paths.ts';

const DAY_MS = 86_400_000;
/** RFC 9116 recommends less than a year. */
const VALID_DAYS = 180;

/** The file's text (RFC 9116). `Expires` moves forward at midnight UTC, so the file never expires while the portal runs. */
function securityTxt({ contacts, policy }: SecurityContact, publicOrigin: string | null, now: number) {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const fields: (readonly [name: string, value: string])[] = [
    ...contacts.map((contact) => ['Contact', contact] as const),
    ['Expires', new Date(today + VALID_DAYS * DAY_MS).toISOString()],
    ['Preferred-Languages', 'en'],
  ];
  // The RFC requires https for each web URI.
  if (publicOrigin?.startsWith('https:')) fields.push(['Canonical', `${publicOrigin}${PATHS.securityTxt}`]);
  if (policy !== null) fields.push(['Policy', policy]);
  return fields.map(([name, value]) => `${name}: ${value}\n`).join('');
}

/** Serves `/.well-known/security.txt` if a contact is configured. */
export function securityTxtRoute(options: {
  readonly securityContact: SecurityContact | null;
  readonly publicOrigin: string | null;
  readonly now: () => number;
}): Router {
  const { securityContact, publicOrigin, now } = options;
  const router = Router();
  if (securityContact === null) return router;
  router.get(PATHS.securityTxt, (_request, response) => {
    response.type('text/plain').set('Cache-Control', 'public, max-age=3600');
    response.send(securityTxt(securityContact, publicOrigin, now()));
  });
  return router;
}
