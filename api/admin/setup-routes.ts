import { randomUUID } from 'node:crypto';
import { adminSetup, adminSetupState } from '../../data/contract/admin-session.ts';
import { readBody } from '../body.ts';
import type { ApiRoute } from '../known-calls.ts';
import { isFromOwnMachine } from '../operations/own-machine.ts';
import { limitCalls, limited } from '../security/rate-limit.ts';
import { adminRecord } from './admin-audit.ts';
import type { AdminDesk } from './admin-desk.ts';
import { SetupClosedError, SetupLinkNeededError } from './admin-errors.ts';
import { requireStrength } from './passwords.ts';
import { mayCreateFirst } from './setup-door.ts';

const SETUPS_PER_MINUTE = 10;

export interface SetupOptions {
  /** The token of the one-time link; null where none was printed. */
  readonly setupToken: string | null;
  readonly perMinute?: number | undefined;
}

/** The calls by which the first admin is created. Once there is one they only say so. */
export function setupRoutes(desk: AdminDesk, options: SetupOptions): readonly ApiRoute[] {
  const { store, passwords, now } = desk;
  const limit = limitCalls(options.perMinute ?? SETUPS_PER_MINUTE, 'admin-setups');
  return [
    {
      method: adminSetupState.method,
      path: adminSetupState.path,
      handle: async (request, response) => {
        const isOpen = !(await store.hasAdmins());
        response.json({ isOpen, needsLink: isOpen && !isFromOwnMachine(request) });
      },
    },
    {
      method: adminSetup.method,
      path: adminSetup.path,
      handle: limited(limit, async (request, response) => {
        if (await store.hasAdmins()) throw new SetupClosedError();
        if (!mayCreateFirst(request, options.setupToken)) throw new SetupLinkNeededError();
        const { username, password, email = null } = readBody(adminSetup.body, request.body);
        requireStrength(password, username);
        const [id, at] = [randomUUID(), now()];
        const admin = {
          id,
          username,
          email,
          role: 'owner' as const,
          passwordHash: await passwords.hash(password),
          createdAt: at,
        };
        const record = adminRecord(
          { id, address: request.ip ?? 'left' },
          { action: 'admin.set-up', at, details: { adminId: id, role: 'owner' } },
        );
        if ((await store.createFirst(admin, record)) === 'closed') throw new SetupClosedError();
        response.json({ success: true });
      }),
    },
  ];
}
