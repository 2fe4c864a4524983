import {
  addPasskey,
  beginPasskey,
  passkeyChallenge,
  passkeys,
  removePasskey,
  signInWithPasskey,
} from '../../data/contract/admin-passkeys.ts';
import { PORTAL_LIMITS } from '../../data/model/portal-terms.ts';
import { type ApiRoute, callRoute } from '../call-router.ts';
import { ApiError } from '../errors.ts';
import { readBody } from '../request-input.ts';
import { adminAuditRecord } from './admin-audit.ts';
import type { AdminContext } from './admin-context.ts';
import { type AuthorizeAdmin, adminJsonRoute } from './authorize-admin.ts';
import type { PasskeyFactors } from './passkey-factor.ts';
import { reauthenticateWithPassword } from './reauthenticate.ts';
import { passkeyUserId, type RelyingParty } from './relying-party.ts';
import { handlePasskeySignIn } from './sign-in.ts';

const iso = (at: number) => new Date(at).toISOString();
const MAX_PASSKEYS = PORTAL_LIMITS.maxPasskeys;
const tooManyPasskeysError = () => new ApiError('too-many-passkeys', { limit: MAX_PASSKEYS });

export function passkeyRoutes(
  context: AdminContext,
  authorize: AuthorizeAdmin,
  passkeyFactors: PasskeyFactors,
  party: RelyingParty,
): readonly ApiRoute[] {
  const { store, now } = context;
  const changeOptions = { authorize, limit: 'admin-changes' } as const;

  return [
    callRoute(passkeyChallenge, { limit: 'passkey-challenges' }, async (_request, response) => {
      const challenge = await passkeyFactors.issueChallenge({ purpose: 'sign-in', adminId: null });
      response.json({ challenge, rpId: party.id });
    }),
    callRoute(signInWithPasskey, { limit: 'admin-logins' }, async (request, response) => {
      const { passkey } = readBody(signInWithPasskey.body, request.body);
      response.json(await handlePasskeySignIn(passkey, request, response, { ...context, passkeyFactors }));
    }),
    adminJsonRoute(passkeys, { authorize }, async (admin) => ({
      passkeys: (await store.passkeysOf(admin.id)).map(({ id, name, createdAt, lastUsedAt }) => ({
        ...{ id, name, createdAt: iso(createdAt) },
        lastUsedAt: lastUsedAt === null ? null : iso(lastUsedAt),
      })),
    })),
    adminJsonRoute(beginPasskey, changeOptions, async (admin, { password }) => {
      await reauthenticateWithPassword(admin, password, context, async () => true);
      const passkeys = await store.passkeysOf(admin.id);
      if (passkeys.length >= MAX_PASSKEYS) throw tooManyPasskeysError();
      const challenge = await passkeyFactors.issueChallenge({ purpose: 'register', adminId: admin.id });
      const { id: rpId } = party;
      const userId = passkeyUserId(admin.id);
      return { challenge, rpId, userId, username: admin.username, known: passkeys.map(({ id }) => id) };
    }),
    adminJsonRoute(addPasskey, changeOptions, async (admin, { name, passkey }) => {
      const newPasskey = await passkeyFactors.checkNew(passkey, admin.id);
      if ('refused' in newPasskey) throw new ApiError('passkey-invalid');
      const at = now();
      const passkeyToAdd = { ...newPasskey, adminId: admin.id, name, createdAt: at };
      const record = adminAuditRecord(admin, {
        action: 'admin.passkey-added',
        at,
        details: { passkey: newPasskey.id },
      });
      const outcome = await store.addPasskey(passkeyToAdd, MAX_PASSKEYS, admin.sessionId, record);
      if (outcome === 'taken') throw new ApiError('passkey-known');
      if (outcome === 'full') throw tooManyPasskeysError();
      return { success: true };
    }),
    adminJsonRoute(removePasskey, changeOptions, async (admin, { id, password }) => {
      await reauthenticateWithPassword(admin, password, context, async () => true);
      const record = adminAuditRecord(admin, {
        action: 'admin.passkey-removed',
        at: now(),
        details: { passkey: id },
      });
      if (!(await store.removePasskey(admin.id, id, admin.sessionId, record)))
        throw new ApiError('no-such-passkey');
      return { success: true };
    }),
  ];
}
