import {
  adminMentions,
  MAX_MENTIONS_SHOWN,
  markMentionsRead,
  mentionableAdmins,
} from '../../../data/contract/admin-mentions.ts';
import {
  adminWork,
  assignees,
  assignRecord,
  endWaiting,
  moveContact,
  WORK_PER_PAGE,
} from '../../../data/contract/admin-work.ts';
import { LIST_OF_KIND } from '../../../data/model/admin-lists.ts';
import { type AdminRole, mayActAs } from '../../../data/model/admin-rules.ts';
import type { WorkFilter } from '../../../data/store/record-port.ts';
import type { ApiRoute } from '../../call-router.ts';
import { ApiError } from '../../errors.ts';
import type { PortalContext } from '../../portal-context.ts';
import { adminJsonRoute, type SignedInAdmin } from '../authorize-admin.ts';
import { decisionError } from './decision-routes.ts';
import { iso, isoOrNull, toSeenRecord, toWireDecision } from './wire-rows.ts';

interface WorkParameters {
  readonly assignee?: string | undefined;
  readonly due?: string | undefined;
}

function toAssigneeId(assignee: string, adminId: string): string | null {
  if (assignee === 'nobody') return null;
  return assignee === 'me' ? adminId : assignee;
}

export function workFilter({ assignee, due }: WorkParameters, adminId: string, now: number): WorkFilter {
  return {
    assigneeId: assignee === undefined ? undefined : toAssigneeId(assignee, adminId),
    dueBefore: due === undefined ? undefined : due === 'overdue' ? now : Number.POSITIVE_INFINITY,
  };
}

export function workRoutes({ store, authorize, now }: PortalContext): readonly ApiRoute[] {
  const { records, admins } = store;
  const options = { authorize, limit: 'admin-decisions' } as const;
  const actorOf = ({ id, address }: SignedInAdmin) => ({ adminId: id, address, at: now() });

  const listActiveAdmins = async (requiredRole: AdminRole) =>
    (await admins.all())
      .filter(({ disabledAt, role }) => disabledAt === null && mayActAs(role, requiredRole))
      .map(({ id, username }) => ({ id, username }))
      .toSorted((a, b) => a.username.localeCompare(b.username));

  return [
    adminJsonRoute(adminWork, { authorize }, async (admin, { after = null, ...parameters }) => {
      const filter = workFilter(parameters, admin.id, now());
      const { rows, next } = await records.workQueue(filter, { limit: WORK_PER_PAGE, after });
      const counts = await records.workCounts(filter);
      return {
        work: rows.map((item) => ({
          ...item,
          list: LIST_OF_KIND[item.kind],
          dueAt: iso(item.dueAt),
          createdAt: iso(item.createdAt),
          changedAt: iso(item.changedAt),
        })),
        next,
        total: Object.values(counts).reduce((sum, one) => sum + one, 0),
      };
    }),
    adminJsonRoute(assignees, { authorize }, async () => ({ assignees: await listActiveAdmins('reviewer') })),
    adminJsonRoute(mentionableAdmins, { authorize }, async () => ({
      admins: await listActiveAdmins('viewer'),
    })),
    adminJsonRoute(adminMentions, { authorize }, async ({ id }) => {
      const mentions = await records.mentions(id, MAX_MENTIONS_SHOWN);
      return {
        mentions: mentions.map(({ readAt, ...mention }) => ({
          ...mention,
          list: LIST_OF_KIND[mention.kind],
          at: iso(mention.at),
          isRead: readAt !== null,
        })),
        unread: await records.countUnreadMentions(id),
      };
    }),
    adminJsonRoute(markMentionsRead, options, async ({ id }, { referenceNumber }) => ({
      success: true,
      read: await records.markMentionsRead(id, referenceNumber, now()),
    })),
    adminJsonRoute(assignRecord, options, async (admin, body) => {
      const outcome = await records.assign(body, actorOf(admin));
      switch (outcome.kind) {
        case 'assigned': {
          const { referenceNumber, assigneeId } = body;
          return { success: true, referenceNumber, assigneeId };
        }
        case 'changed': {
          const { assignee } = outcome;
          const text = assignee === null ? 'It is now unassigned.' : `It is now assigned to ${assignee}.`;
          throw new ApiError('assigned-meanwhile', { text: `${text} Nothing was changed.` });
        }
        case 'no-reviewer':
          throw new ApiError('no-such-reviewer');
        case 'unknown':
          throw new ApiError('unknown-record');
      }
    }),
    adminJsonRoute(endWaiting, options, async (admin, { referenceNumber }) => {
      const outcome = await records.endWaiting(referenceNumber, actorOf(admin));
      if (outcome.kind !== 'ended')
        throw new ApiError(outcome.kind === 'unknown' ? 'unknown-record' : 'not-waiting');
      return { success: true, referenceNumber, dueAt: isoOrNull(outcome.dueAt) };
    }),
    adminJsonRoute(moveContact, options, async (admin, { reason, ...body }) => {
      const { status } = body;
      const decisionInput = { ...toSeenRecord(body), status, reason: reason || null };
      const outcome = await records.decideContact(decisionInput, actorOf(admin));
      if (outcome.kind === 'reason-needed') throw new ApiError('reason-needed');
      if (outcome.kind !== 'decided') throw decisionError(outcome);
      return toWireDecision(body.referenceNumber, { status, changedAt: outcome.changedAt });
    }),
  ];
}
