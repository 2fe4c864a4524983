import type { Submissions, SubmissionTimeline } from '../../../data/store/submission-port.ts';
import type { MailSubmissions } from '../mail/mail-sender.ts';

export type SubmissionChanges = { readonly [Kind in keyof Submissions]?: Partial<Submissions[Kind]> };

/** A store with at most one submission of each kind, and the same timeline for every reference number. */
export function storedSubmissions(
  stored: Partial<Submissions>,
  events: SubmissionTimeline['events'] = [],
  changes: SubmissionChanges = {},
): MailSubmissions {
  return {
    find: async (kind) => (stored[kind] ? { ...stored[kind], ...changes[kind] } : null),
    timelineOf: async (referenceNumber) => ({
      referenceNumber,
      kind: 'card-application',
      mergedInto: null,
      events,
    }),
  };
}
