import type { Submissions, SubmissionTimeline } from '../../../data/store/submission-port.ts';
import type { MailSubmissions } from '../mail/mail-sender.ts';

/** For tests: a store of one submission of each kind given, with one timeline for every reference number. */
export function storedSubmissions(
  stored: Partial<Submissions>,
  events: SubmissionTimeline['events'] = [],
): MailSubmissions {
  return {
    find: async (kind) => stored[kind] ?? null,
    statusOf: async (referenceNumber) => ({ referenceNumber, kind: 'card-application', events }),
  };
}
