import { queryOptions } from '@tanstack/react-query';
import type * as Mentions from '../../../data/contract/admin-mentions.ts';
import type { assignees } from '../../../data/contract/admin-work.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import { adminQuery, LIST_INTERVAL_MS } from '../admin/admin-calls.ts';

export const mentionsQuery = (shouldPoll = false) =>
  queryOptions({
    ...adminQuery<typeof Mentions.adminMentions>(PATHS.adminMentions),
    refetchInterval: shouldPoll ? LIST_INTERVAL_MS : (false as const),
  });

export const mentionableAdminsQuery = () =>
  adminQuery<typeof Mentions.mentionableAdmins>(PATHS.mentionableAdmins);

export const assigneesQuery = () => adminQuery<typeof assignees>(PATHS.assignees);
