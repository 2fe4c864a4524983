import { randomUUID } from 'node:crypto';
import {
  changeRole,
  disableAdmin,
  enableAdmin,
  inviteToTeam,
  resetPassword,
  team,
  withdrawLink,
} from '../../data/contract/admin-team.ts';
import type { ResponseOf } from '../../data/contract/call.ts';
import type { AdminLink } from '../../data/store/admin-link-port.ts';
import type { AdminAccount, TeamChangeOutcome } from '../../data/store/admin-port.ts';
import type { AuditRecord } from '../../data/store/audit-port.ts';
import type { ApiRoute } from '../call-router.ts';
import { adminLinkUrl } from '../delivery/admin-link-url.ts';
import { ApiError } from '../errors.ts';
import { adminAuditRecord } from './admin-audit.ts';
import { type AdminContext, SESSION_IDLE_MS } from './admin-context.ts';
import { type DeriveAdminLinkToken, LINK_LIFE_MS } from './admin-links.ts';
import { type AuthorizeAdmin, adminJsonRoute, type SignedInAdmin } from './authorize-admin.ts';
import { requireUnreservedName } from './passwords.ts';

const iso = (at: number | null | undefined) =>
  at === null || at === undefined ? null : new Date(at).toISOString();

interface LinkDeliveryOptions {
  /** Whether a mail server is configured. Without one, the owner has to pass the links on. */
  readonly sendsMail: boolean;
  readonly tokenOf: DeriveAdminLinkToken;
  /** The URL of the team's pages without a trailing slash. */
  readonly teamOrigin: () => string;
}

type Team = ResponseOf<typeof team>;

function toWireLink(link: AdminLink, accounts: readonly AdminAccount[], at: number): Team['links'][number] {
  const accountById = (adminId: string) => accounts.find(({ id }) => id === adminId);
  const { id, kind, email, createdBy, createdAt, expiresAt } = link;
  const account = link.kind === 'invitation' ? link : accountById(link.adminId);
  return {
    id,
    kind,
    email,
    username: account?.username ?? null,
    role: account?.role ?? 'viewer',
    createdBy: accountById(createdBy)?.username ?? '',
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
    hasExpired: expiresAt <= at,
  };
}

async function listTeam(
  admin: SignedInAdmin,
  { store, now }: AdminContext,
  { sendsMail }: LinkDeliveryOptions,
): Promise<Team> {
  const at = now();
  const [accounts, sessions, links] = await Promise.all([
    store.all(),
    store.sessions(null, at, at - SESSION_IDLE_MS),
    store.links(),
  ]);
  return {
    links: links.map((link) => toWireLink(link, accounts, at)),
    sendsMail,
    team: accounts.map(({ id, username, email, role, hasTotp, passkeys, createdAt, disabledAt }) => ({
      id,
      username,
      email,
      role,
      isSelf: id === admin.id,
      hasTotp,
      passkeys,
      createdAt: new Date(createdAt).toISOString(),
      disabledAt: iso(disabledAt),
      // The session that was used last comes first.
      lastSeenAt: iso(sessions.find(({ adminId }) => adminId === id)?.lastSeenAt),
    })),
  };
}

/** @throws {ApiError} `no-such-admin`, `last-owner` */
function requireChanged(outcome: TeamChangeOutcome): { success: true } {
  if (outcome === 'unknown') throw new ApiError('no-such-admin');
  if (outcome === 'last-owner') throw new ApiError('last-owner');
  return { success: true };
}

/** @param confirmOwnPassword checks the password: an unattended session must not be enough to change permissions */
export function teamRoutes(
  context: AdminContext,
  authorize: AuthorizeAdmin,
  linkDelivery: LinkDeliveryOptions,
  confirmOwnPassword: (admin: SignedInAdmin, password: string) => Promise<unknown>,
): readonly ApiRoute[] {
  const { store, now } = context;
  const auditRecord = (admin: SignedInAdmin, action: string, details: AuditRecord['details']) =>
    adminAuditRecord(admin, { action, at: now(), details });
  const changeOptions = { authorize, limit: 'admin-changes' } as const;

  /**
   * Stores a link, and emails it if possible.
   * @returns the link if it cannot be emailed, so that the owner can pass it on; otherwise null
   * @throws {ApiError} `username-taken`, `no-such-admin`
   */
  const offerLink = async (link: AdminLink, record: AuditRecord): Promise<string | null> => {
    const token = linkDelivery.tokenOf(link.id);
    const isMailed = linkDelivery.sendsMail && link.email !== null;
    const outcome = await store.offerLink(link, token, isMailed, record);
    if (outcome === 'name-taken') throw new ApiError('username-taken');
    if (outcome === 'unknown') throw new ApiError('no-such-admin');
    return isMailed ? null : adminLinkUrl(linkDelivery.teamOrigin(), token);
  };
  const newLinkFields = (admin: SignedInAdmin) => {
    const at = now();
    const id: string = randomUUID();
    return { id, createdBy: admin.id, createdAt: at, expiresAt: at + LINK_LIFE_MS };
  };

  return [
    adminJsonRoute(team, { authorize }, (admin) => listTeam(admin, context, linkDelivery)),
    adminJsonRoute(
      inviteToTeam,
      changeOptions,
      async (admin, { email, username = null, role, ownPassword }) => {
        await confirmOwnPassword(admin, ownPassword);
        if (username !== null) await requireUnreservedName(username);
        const invitation = { ...newLinkFields(admin), kind: 'invitation', email, username, role } as const;
        const record = auditRecord(admin, 'admin.invited', { link: invitation.id, role });
        const link = await offerLink(invitation, record);
        return { success: true, id: invitation.id, link };
      },
    ),
    adminJsonRoute(changeRole, changeOptions, async (admin, { id, role, ownPassword }) => {
      await confirmOwnPassword(admin, ownPassword);
      const record = auditRecord(admin, 'admin.role-changed', { adminId: id, role });
      return requireChanged(await store.changeRole(id, role, record));
    }),
    adminJsonRoute(disableAdmin, changeOptions, async (admin, { id }) =>
      requireChanged(await store.disable(id, auditRecord(admin, 'admin.disabled', { adminId: id }))),
    ),
    adminJsonRoute(enableAdmin, changeOptions, async (admin, { id }) =>
      requireChanged(await store.enable(id, auditRecord(admin, 'admin.enabled', { adminId: id }))),
    ),
    adminJsonRoute(
      resetPassword,
      changeOptions,
      async (admin, { id, removeSecondFactors = false, ownPassword }) => {
        if (id === admin.id) throw new ApiError('own-password');
        await confirmOwnPassword(admin, ownPassword);
        const account = await store.byId(id);
        if (!account) throw new ApiError('no-such-admin');
        const { email } = account;
        const resetLink = {
          ...newLinkFields(admin),
          kind: 'password-reset',
          email,
          adminId: id,
          removeSecondFactors,
        } as const;
        const details = { link: resetLink.id, adminId: id, removeSecondFactors };
        const record = auditRecord(admin, 'admin.reset-offered', details);
        return { success: true, link: await offerLink(resetLink, record) };
      },
    ),
    adminJsonRoute(withdrawLink, changeOptions, async (admin, { id }) => {
      const record = auditRecord(admin, 'admin.link-withdrawn', { link: id });
      if (!(await store.withdrawLink(id, record))) throw new ApiError('no-such-link');
      return { success: true };
    }),
  ];
}
