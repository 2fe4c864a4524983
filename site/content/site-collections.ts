import { z } from 'astro/zod';
import { description, oneFile, outsideLink, pagePath, secureUrl, text } from './fields.ts';

/** Texts that all pages share: titles, links, search, the assistant and the daily disclaimer. */

const outside = z.strictObject({ label: text, href: secureUrl });
const page = z.union([
  z.strictObject({ alias: pagePath }),
  z.strictObject({ title: text, description, index: z.boolean().default(true) }),
]);

/** Singular and plural. A script replaces `{count}`. */
const counted = z.strictObject({ one: text, other: text });

export const siteCollections = {
  site: oneFile(
    'site.yaml',
    z.strictObject({
      name: text,
      description: text,
      explorer: secureUrl,
      supportEmail: z.email(),
      postalAddress: text,
      offices: z.array(text),
    }),
  ),
  outsideLinks: oneFile('outside-links.yaml', z.record(outsideLink, outside)),
  pages: oneFile('pages.yaml', z.record(pagePath, page)),
  changes: oneFile(
    'changes.yaml',
    z.strictObject({
      changes: z.array(
        z.strictObject({ date: z.coerce.date(), title: text, text, pages: z.array(pagePath).min(1) }),
      ),
    }),
  ),
  dailyDisclaimer: oneFile(
    'disclaimer-daily.mdx',
    z.strictObject({ title: text, description: text, accept: text, withoutScript: text }),
  ),
  // The build inserts these texts into a script; the schema only checks them.
  ducklingDialog: oneFile(
    'duckling/dialog.yaml',
    z.strictObject({
      title: text,
      lead: text,
      conversation: text,
      label: text,
      placeholder: text,
      send: text,
      thinking: text,
      clear: text,
      cleared: text,
      close: text,
      you: text,
      count: text,
      sources: text,
      figure: text,
      model: text,
      warning: text,
      removed: text,
      helped: text,
      up: text,
      down: text,
      thanks: text,
      notCounted: text,
      offline: text,
      empty: text,
      failed: text,
      notSent: text,
      tooMany: text,
    }),
  ),
  searchAndOffline: oneFile(
    'search-and-offline.yaml',
    z.strictObject({
      search: z.strictObject({
        open: text,
        title: text,
        label: text,
        placeholder: text,
        hint: text,
        loading: text,
        searching: text,
        results: z.strictObject({ none: text, one: text, other: text }),
        empty: text,
        emptyLink: text,
        failed: text,
        retry: text,
        close: text,
      }),
      faq: z.strictObject({
        title: text,
        lead: text,
        label: text,
        placeholder: text,
        categories: text,
        questionCount: counted,
        none: text,
        noneHint: text,
        clear: text,
        duckling: text,
      }),
      offline: z.strictObject({
        title: text,
        lead: text,
        help: text,
        pages: text,
        retry: text,
        forms: text,
      }),
      update: z.strictObject({ title: text, text, now: text, later: text }),
    }),
  ),
};
