import { z } from 'zod';
import { LIST_IDS } from '../model/admin-lists.ts';
import { PAGE_SIZES } from '../model/page-sizes.ts';
import { MAX_FILTER_NAME_LENGTH, MAX_FILTERS } from '../model/saved-filters.ts';
import { MAX_REVIEW_TEXT_LENGTH } from '../model/submission-status.ts';
import { adminId } from './admin-session.ts';
import type { Call } from './call.ts';
import { textSchema } from './form-schema.ts';
import * as PATHS from './paths.ts';

const VIEW_ERROR = 'Set view to an object with q, filters, sort, order and rows.';
const viewText = z.string({ error: VIEW_ERROR }).max(60, VIEW_ERROR);

/** A view is not validated against its list, because the list's columns and filters may change after the view is saved. */
const view = z.strictObject(
  {
    q: z.string({ error: VIEW_ERROR }).max(MAX_REVIEW_TEXT_LENGTH.search, VIEW_ERROR),
    filters: z
      .record(viewText, viewText, { error: VIEW_ERROR })
      .refine((filters) => Object.keys(filters).length <= 20, { error: VIEW_ERROR }),
    sort: viewText,
    order: z.enum(['asc', 'desc'], { error: VIEW_ERROR }),
    rows: z.literal([...PAGE_SIZES], { error: VIEW_ERROR }),
  },
  { error: VIEW_ERROR },
);

const filterId = z.uuid({ error: 'Set id to the id of a saved filter.' });
const fields = {
  list: z.enum(LIST_IDS, { error: `Set list to one of ${LIST_IDS.join(', ')}.` }),
  name: textSchema({ kind: 'line', label: 'Name', maxLength: MAX_FILTER_NAME_LENGTH }),
  view,
  isShared: z
    .boolean({ error: 'Set isShared to true or false.' })
    .describe('Whether the whole team can see the filter.'),
};

export const savedFilters = {
  method: 'GET',
  path: PATHS.savedFilters,
  summary: 'The list views that the admin saved, and those that other admins share, sorted by name',
  access: 'viewer',
  response: z.object({
    filters: z.array(
      z.object({
        ...fields,
        name: z.string(),
        id: filterId,
        adminId,
        owner: z.string().describe('The username of the admin who saved it.'),
      }),
    ),
  }),
} as const satisfies Call;

export const saveFilter = {
  method: 'POST',
  path: PATHS.saveFilter,
  summary: `Saves a view of a list under a name, or changes a saved view. Each admin can save ${MAX_FILTERS}. Reviewers can share their views, and owners can change the views that others share`,
  access: 'viewer',
  body: z.strictObject({
    id: filterId.nullable().describe('The saved filter to change; null for a new one.'),
    ...fields,
  }),
  response: z.object({ success: z.literal(true), id: filterId }),
  errors: ['unknown-filter', 'filters-full'],
} as const satisfies Call;

export const removeFilter = {
  method: 'POST',
  path: PATHS.removeFilter,
  summary: 'Removes a saved filter. Owners can also remove the filters that others share',
  access: 'viewer',
  body: z.strictObject({ id: filterId }),
  response: z.object({ success: z.literal(true) }),
  errors: ['unknown-filter'],
} as const satisfies Call;
