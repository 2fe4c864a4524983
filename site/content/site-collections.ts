import { z } from 'astro/zod';
import { MESSAGE_LIMITS, REPLY_VARIABLES, unknownVariables } from '../../data/model/conversation.ts';
import { SUBMISSION_KINDS } from '../../data/model/submission-status.ts';
import { LANGUAGES } from '../locale/languages.ts';
import {
  description,
  fileCollection,
  folderCollection,
  order,
  outsideLinkId,
  pagePath,
  secureUrl,
  text,
  texts,
  yamlFolderCollection,
} from './fields.ts';

const outside = z.strictObject({ label: text, href: secureUrl });
const page = z.union([
  z.strictObject({ alias: pagePath }),
  z.strictObject({
    title: text,
    description,
    index: z.boolean().default(true),
    /** Whether the service worker stores the page for offline reading. Ignored for pages that search engines may not list. */
    offline: z.boolean().default(true),
  }),
]);

/** Text that can contain variables in braces, which are replaced with a record's values. */
const variableText = (maxLength: number) =>
  text
    .refine((value) => unknownVariables(value).length === 0, {
      error: `has a name between braces that is not one of ${Object.keys(REPLY_VARIABLES).join(', ')}`,
    })
    .refine((value) => value.length <= maxLength, `is longer than ${maxLength} characters`);

const replyTemplate = z.strictObject({
  title: text,
  order,
  /** Whether the record waits for an answer after the template is sent. */
  asks: z.boolean().default(false),
  /** The kinds of records that the template is offered for; all if absent. */
  kinds: z.array(z.enum(SUBMISSION_KINDS)).min(1).optional(),
  subject: variableText(MESSAGE_LIMITS.subject),
  text: variableText(MESSAGE_LIMITS.reply),
});

/** Texts in other languages: `content/ar/faq/staking/lock.mdx` is the translation of `content/faq/staking/lock.mdx`. */
const translation = z.strictObject({
  /** The fingerprint of the English file that was translated (`npm run translations`). */
  source: z.string().regex(/^[0-9a-f]{8}$/),
  /** May contain `{facts.…}`, which is filled in later, in the language of the translation. */
  question: z.string().min(1).optional(),
});

const languagePatterns = (pattern: string) =>
  Object.keys(LANGUAGES).map((language) => `${language}/${pattern}`);

export const siteCollections = {
  translations: folderCollection('', translation, [...languagePatterns('**/*.mdx'), '!*/draft.mdx']),
  /** For each language: the notice on its draft pages, and whether the team has approved its texts. */
  drafts: folderCollection('', z.strictObject({ approved: z.boolean() }), languagePatterns('draft.mdx')),
  replies: yamlFolderCollection('replies', replyTemplate),
  site: fileCollection(
    'site.yaml',
    z.strictObject({
      ...texts('name', 'description', 'postalAddress'),
      explorer: secureUrl,
      supportEmail: z.email(),
      offices: z.array(text),
    }),
  ),
  outsideLinks: fileCollection('outside-links.yaml', z.record(outsideLinkId, outside)),
  pages: fileCollection('pages.yaml', z.record(pagePath, page)),
  changes: fileCollection(
    'changes.yaml',
    z.strictObject({
      changes: z.array(
        z.strictObject({ date: z.coerce.date(), title: text, text, pages: z.array(pagePath).min(1) }),
      ),
    }),
  ),
  dailyDisclaimer: fileCollection(
    'disclaimer-daily.mdx',
    z.strictObject(texts('title', 'description', 'accept', 'withoutScript')),
  ),
  // The build inserts these texts into a script; the schema only validates them.
  ducklingDialog: fileCollection(
    'duckling/dialog.yaml',
    z.strictObject({
      ...texts('title', 'lead', 'conversation', 'label', 'placeholder', 'send', 'thinking', 'clear'),
      ...texts('cleared', 'close', 'you', 'count', 'sources', 'figure', 'model', 'warning', 'removed'),
      ...texts('helped', 'up', 'down', 'thanks', 'notCounted', 'notKept', 'offline', 'empty', 'failed'),
      ...texts('notSent', 'tooMany', 'team', 'table'),
    }),
  ),
  searchAndOffline: fileCollection(
    'search-and-offline.yaml',
    z.strictObject({
      search: z.strictObject({
        ...texts('open', 'title', 'label', 'placeholder', 'hint', 'loading', 'pages', 'corrected'),
        ...texts('empty', 'emptyLink', 'failed', 'retry', 'close'),
        results: z.strictObject(texts('none', 'one', 'other')),
      }),
      /** The labels of the help offered when the assistant or the FAQ search has no answer. */
      unanswered: z.strictObject({
        ...texts('closest', 'search', 'support', 'duckling'),
        failed: z.strictObject(texts('title', 'text')),
      }),
      faq: z.strictObject({
        ...texts('title', 'lead', 'label', 'placeholder', 'categories', 'closeMatches'),
        ...texts('none', 'noneHint', 'clear', 'clearField', 'duckling'),
        /** Singular and plural. A script replaces `{count}`. */
        questionCount: z.strictObject(texts('one', 'other')),
      }),
      offline: z.strictObject(texts('title', 'lead', 'help', 'pages', 'retry', 'figures', 'forms')),
      update: z.strictObject(texts('title', 'text', 'now', 'later')),
    }),
  ),
};
