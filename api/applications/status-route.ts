import type { ResponseOf } from '../../data/contract/call.ts';
import { applicationStatus } from '../../data/contract/submissions.ts';
import { type BounceReason, bounceReason } from '../../data/model/bounces.ts';
import { mailboxOf } from '../../data/model/mail-address.ts';
import type { AppStore } from '../../data/store/ports.ts';
import type { FullRecord } from '../../data/store/record-port.ts';
import type { SubmissionTimeline } from '../../data/store/submission-port.ts';
import { type ApiRoute, callRoute } from '../call-router.ts';
import type { MasterKey } from '../documents/master-key.ts';
import { ApiError } from '../errors.ts';
import { readBody } from '../request-input.ts';
import type { Limits } from '../security/rate-limit.ts';
import type { ReadProvenWallet } from '../wallet/proven-wallets.ts';
import { proofReader } from './status-proof.ts';

type ProvenStatus = NonNullable<ResponseOf<typeof applicationStatus>['proven']>;

const DECIDED_STATUSES: ReadonlySet<string> = new Set(['approved', 'refused', 'withdrawn', 'card-issued']);

/** `unsent`: the portal could not create or send the email. `bounced`: the applicant's mail server refused it. */
const failedMail = (reason: BounceReason): ProvenStatus['mail'] =>
  reason === 'not-sent' ? { state: 'unsent', reason: null } : { state: 'bounced', reason };

/**
 * The state of the newest email to the applicant; null if there is none. Ignores an email about a decision that was
 * reopened or replaced while the email was still waiting.
 */
function mailStateOf({ deliveries }: FullRecord): ProvenStatus['mail'] {
  const newest = deliveries
    .filter(({ channel, audience }) => channel === 'mail' && audience === 'applicant')
    .filter(({ state, finishedAt }) => state !== 'settled' || finishedAt !== null)
    .toSorted((one, other) => one.createdAt - other.createdAt)
    .at(-1);
  if (!newest) return null;
  const lastAttempt = newest.attempts.at(-1);
  switch (newest.state) {
    case 'sent':
      return { state: 'sent', reason: null };
    case 'dead':
    case 'settled':
      return failedMail(bounceReason(lastAttempt?.code ?? null, lastAttempt?.error ?? null));
    default:
      return { state: 'waiting', reason: null };
  }
}

/** The decision, as in the email to the applicant; null if the newest status is not a decision. */
function decisionOf(record: FullRecord, { events }: SubmissionTimeline): ProvenStatus['decision'] {
  const last = events.at(-1);
  if (!last || !DECIDED_STATUSES.has(last.status)) return null;
  const whitelisting =
    record.kind === 'verification-request' && last.status === 'approved' ? record.whitelisting : null;
  return {
    at: new Date(last.at).toISOString(),
    reason: last.note,
    tier: whitelisting?.tier ?? null,
  };
}

/**
 * `POST /api/card/application-status`. An unknown reference number and a wrong email address get the same response, so that
 * nobody can find out which numbers exist. Only visitors who prove the mailbox or the wallet see the decision, its reason and
 * what happened after a merge with another record.
 */
export function applicationStatusRoute({
  store,
  limits,
  masterKey,
  readProvenWallet,
}: {
  readonly store: Pick<AppStore, 'submissions' | 'records'>;
  readonly limits: Limits;
  readonly masterKey: MasterKey;
  readonly readProvenWallet: ReadProvenWallet;
}): ApiRoute {
  const readProofKind = proofReader({ masterKey, readProvenWallet });

  return callRoute(applicationStatus, { limit: 'status-checks' }, async (request, response) => {
    const body = readBody(applicationStatus.body, request.body);
    const { referenceNumber, email } = body;
    await limits.count('status-checks-of-email', request, response, mailboxOf(email));
    const submission = await store.submissions.timelineOf(referenceNumber, email);
    if (!submission) throw new ApiError('unknown-submission');
    const record = await store.records.record(submission.mergedInto ?? referenceNumber);
    // `record` may be the record that this submission was merged into. If so, a proof of the mailbox counts only if
    // `record` has the same mailbox.
    const isSameMailbox = record !== null && mailboxOf(record.record.email) === mailboxOf(email);
    const proofKind =
      record && (await readProofKind(request, isSameMailbox ? body : { ...body, proof: undefined }, record));
    // Anyone can enter someone else's address in a form, and the team may then merge the record with that person's record. So
    // without a proof for either record, only what happened before the merge is shown.
    const isMerged = submission.mergedInto !== null;
    const ownRecord = isMerged ? await store.records.record(referenceNumber) : record;
    const mergedAt = record?.merged[0]?.at;
    const seesAll =
      proofKind !== null ||
      mergedAt === undefined ||
      (isMerged && ownRecord !== null && (await readProofKind(request, body, ownRecord)) !== null);
    const events = seesAll
      ? submission.events
      : (ownRecord?.timeline ?? []).filter(({ at }, index) => isMerged || index === 0 || at < mergedAt);
    const lastEvent = events.at(-1);
    if (!lastEvent) throw new ApiError('unknown-submission');
    response.json({
      success: true,
      referenceNumber,
      kind: submission.kind,
      status: lastEvent.status,
      timeline: events.map(({ at, status, note }) => ({
        at: new Date(at).toISOString(),
        status,
        note: proofKind === null ? null : note,
      })),
      proven: proofKind && {
        by: proofKind,
        decision: decisionOf(record, submission),
        mail: mailStateOf(record),
      },
    });
  });
}
