import { z } from 'zod';
import { type ListId, listDefinition, type PageOf } from '../model/admin-lists.ts';
import {
  type Field,
  type FieldKind,
  type Fields,
  type ListDefinition,
  sortsOf,
  type ValueOf,
} from '../model/define-list.ts';
import { cleanLine } from '../model/form-text.ts';
import { PAGE_SIZES } from '../model/page-sizes.ts';
import { MAX_REVIEW_TEXT_LENGTH } from '../model/submission-status.ts';
import type { Call } from './call.ts';
import * as PATHS from './paths.ts';
import { count, moment, referenceNumber } from './provenance.ts';

/*
 * The calls of the admin lists, built from the definitions of the lists. GET returns a page of a list. A search is a POST on
 * the same path, since a search term may be a name or an email address, which must not be in a URL.
 */

export const RECORDS_PER_PAGE = PAGE_SIZES[0];
const MAX_RECORDS_PER_PAGE = Math.max(...PAGE_SIZES);

const LIMIT_ERROR = `Set limit to a whole number from 1 to ${MAX_RECORDS_PER_PAGE}, or leave it out.`;
const AFTER_ERROR =
  'Set `after` to the value of next in the previous page, or leave it out for the first page.';
const ORDER_ERROR = 'Set order to asc or desc, or leave it out.';
const DAY_ERROR = 'The parameters "from" and "to" must be dates such as 2026-01-31. They are optional.';
const SEARCH_ERROR = `Set q to a search term of 1 to ${MAX_REVIEW_TEXT_LENGTH.search} characters.`;

export const choice = <const Values extends readonly [string, ...string[]]>(name: string, values: Values) =>
  z.enum(values, { error: `Set ${name} to one of ${values.join(', ')}, or leave it out.` }).optional();

export function choiceOrAdmin(name: string, values: readonly [string, ...string[]]) {
  const error = `Set ${name} to one of ${values.join(', ')}, to the id of an admin, or leave it out.`;
  return z.union([z.enum(values), z.uuid()], { error }).optional();
}

const SCHEMAS: Readonly<Record<FieldKind, (field: Field) => z.ZodType>> = {
  text: () => z.string(),
  lines: () => z.string(),
  code: () => z.string(),
  telegram: () => z.string().describe('Without the @.'),
  bd: () => z.string(),
  reference: () => referenceNumber,
  usd: () => count,
  milliseconds: () => count,
  moment: () => moment,
  flag: () => z.boolean(),
  choice: ({ values = [''] }) => z.enum(values),
};

function fieldSchema(field: Field): z.ZodType {
  const schema = SCHEMAS[field.kind](field);
  const nullable = field.isNullable ? schema.nullable() : schema;
  return field.about === undefined ? nullable : nullable.describe(field.about);
}

type FieldSchemas<F extends Fields> = { [Id in keyof F]: z.ZodType<ValueOf<F[Id]>> };

export function fieldSchemas<F extends Fields>(fields: F): FieldSchemas<F> {
  const schemas = Object.entries(fields).map(([id, field]) => [id, fieldSchema(field)]);
  return Object.fromEntries(schemas) as FieldSchemas<F>;
}

const day = z.iso.date({ error: DAY_ERROR }).optional();

export function querySchema(list: ListDefinition) {
  const filters = Object.entries(list.filters).map(([name, { values, takesAdmin, about }]) => {
    const schema = takesAdmin ? choiceOrAdmin(name, values) : choice(name, values);
    return [name, about === undefined ? schema : schema.describe(about)] as const;
  });
  const parameters = z.strictObject({
    limit: z
      .string({ error: LIMIT_ERROR })
      .regex(/^[1-9]\d{0,2}$/, LIMIT_ERROR)
      .refine((text) => Number(text) <= MAX_RECORDS_PER_PAGE, LIMIT_ERROR)
      .optional()
      .describe(`Rows per page: ${RECORDS_PER_PAGE} by default, ${MAX_RECORDS_PER_PAGE} at most.`),
    after: z
      .string({ error: AFTER_ERROR })
      .regex(/^[\w.~-]{1,120}$/, AFTER_ERROR)
      .optional()
      .describe('The `next` of the previous page, with the same sort and order.'),
    sort: choice('sort', sortsOf(list)).describe(`The sort: ${list.initialSort} by default.`),
    order: z.enum(['asc', 'desc'], { error: ORDER_ERROR }).optional().describe('desc by default.'),
    from: day.describe('Leaves out records before this day (UTC).'),
    to: day.describe('Leaves out records after this day (UTC).'),
  });
  return parameters.extend(Object.fromEntries(filters));
}

/**
 * A row matches if it contains every word of the search term in its name, email address, reference number, wallet, Telegram
 * account or conversation. A search word of three or more characters matches anywhere in a word, a shorter one only at the start.
 */
export const searchText = z
  .string({ error: SEARCH_ERROR })
  .max(MAX_REVIEW_TEXT_LENGTH.search * 4, SEARCH_ERROR)
  .overwrite(cleanLine)
  .refine((text) => text.length >= 1 && text.length <= MAX_REVIEW_TEXT_LENGTH.search, {
    error: SEARCH_ERROR,
  });

const pageFields = {
  total: count.describe('The number of rows on all pages.'),
  isTotalExact: z.boolean().describe('False when counting stopped at `total`, because very many rows match.'),
  next: z.string().nullable().describe('Pass it as `after` to get the next page; null on the last one.'),
};

function listCalls<Id extends ListId>(id: Id) {
  const list = listDefinition(id);
  const query = querySchema(list);
  const rows = z.array(z.object(fieldSchemas(list.fields)));
  const response = z.object({ [list.rowsField]: rows, ...pageFields }) as unknown as z.ZodType<PageOf<Id>>;
  const searchNote =
    list.extraSearchedText === undefined ? '' : `; it also searches ${list.extraSearchedText}`;
  const sharedFields = { path: PATHS.adminList(id), access: 'viewer', response } as const;
  return {
    page: { ...sharedFields, method: 'GET', summary: `${list.rowsLabel}, page by page`, query },
    search: {
      ...sharedFields,
      method: 'POST',
      summary: `${list.rowsLabel} that match a search, page by page${searchNote}`,
      body: query.extend({ q: searchText }),
    },
  } as const satisfies Record<string, Call>;
}

export const LIST_CALLS = {
  applications: listCalls('applications'),
  contacts: listCalls('contacts'),
  'delivery-logs': listCalls('delivery-logs'),
  'verification-requests': listCalls('verification-requests'),
  'loan-applications': listCalls('loan-applications'),
} as const satisfies Record<ListId, object>;
