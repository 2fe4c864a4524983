import { z } from 'astro/zod';
import { oneFile, words } from './fields.ts';

/** What the shell says: search, the offline page, and the notice about a new version. */

/** Text with places that a script fills, such as `{count}`. */
const counted = z.strictObject({ one: words, other: words });

export const shellCollections = {
  // A script carries these words; here they are only checked.
  ducklingDialog: oneFile(
    'duckling/dialog.yaml',
    z.strictObject({
      title: words,
      lead: words,
      conversation: words,
      label: words,
      placeholder: words,
      send: words,
      thinking: words,
      clear: words,
      cleared: words,
      close: words,
      you: words,
      count: words,
      sources: words,
      figure: words,
      model: words,
      warning: words,
      removed: words,
      helped: words,
      up: words,
      down: words,
      thanks: words,
      notCounted: words,
      offline: words,
      empty: words,
      failed: words,
      notSent: words,
      tooMany: words,
    }),
  ),
  searchAndOffline: oneFile(
    'search-and-offline.yaml',
    z.strictObject({
      search: z.strictObject({
        open: words,
        title: words,
        label: words,
        placeholder: words,
        hint: words,
        loading: words,
        searching: words,
        results: z.strictObject({ none: words, one: words, other: words }),
        empty: words,
        emptyLink: words,
        failed: words,
        retry: words,
        clear: words,
        close: words,
      }),
      faq: z.strictObject({
        title: words,
        lead: words,
        label: words,
        placeholder: words,
        count: words,
        categories: words,
        questionCount: counted,
        none: words,
        noneHint: words,
        clear: words,
        duckling: words,
      }),
      offline: z.strictObject({
        title: words,
        lead: words,
        help: words,
        pages: words,
        retry: words,
        figures: words,
        forms: words,
        back: words,
      }),
      update: z.strictObject({ title: words, text: words, now: words, later: words, failed: words }),
    }),
  ),
};
