import { queryOptions } from '@tanstack/react-query';
import type * as Mentions from '../../../data/contract/admin-mentions.ts';
import type { assignees } from '../../../data/contract/admin-work.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import { adminQuery, LIST_INTERVAL_MS } from '../admin/admin-calls.ts';

/** The notes that mention the admin. */
export const mentionsQuery = (isActive = false) =>
  queryOptions({
    ...adminQuery<typeof Mentions.adminMentions>(PATHS.adminMentions),
    refetchInterval: isActive ? LIST_INTERVAL_MS : (false as const),
  });

/** The admins whom a note can mention. */
export const mentionableQuery = () => adminQuery<typeof Mentions.mentionable>(PATHS.mentionable);

/** The admins who can be made the assignee of a record. */
export const assigneesQuery = () => adminQuery<typeof assignees>(PATHS.assignees);
