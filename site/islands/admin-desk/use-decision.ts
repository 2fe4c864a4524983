import type { decideRequest } from '../../../data/contract/admin-decisions.ts';
import type { BodyOf } from '../../../data/contract/call.ts';
import type { CardTier } from '../../../data/model/tiers.ts';
import type { DeskRecord } from './desk-calls.ts';
import { useChange } from './desk-changes.ts';
import { wordsOf } from './desk-words.ts';
import type { RecordAction } from './record-actions.ts';

/** What came of a decision, in words. */
export interface Decided {
  readonly kind: 'done' | 'conflict' | 'failed';
  readonly words: string;
}

export interface Decision {
  readonly action: RecordAction;
  readonly tier: CardTier | null;
  /** Empty where none is given. */
  readonly reason: string;
}

const LOAN_OUTCOMES = {
  waiting: 'Your vote is counted. A second admin has to say the same.',
  contradicted:
    'Another admin had said the opposite. No vote stands any more, and both of you may vote again.',
} as const;

/** A request is granted with the tier that its wallet is admitted to, and refused with the reason why. */
function requestDecision(
  decided: { readonly referenceNumber: string; readonly changedAt: string },
  { action, tier, reason }: Decision,
): BodyOf<typeof decideRequest> {
  if (action.id === 'refused') return { ...decided, decision: 'refused', reason };
  if (tier === null) throw new Error('A request is granted with a tier.');
  return { ...decided, decision: 'approved', tier };
}

/** Decides a record of whichever kind, by what it was when it was shown. */
export function useDecision(about: DeskRecord) {
  const application = useChange('/api/admin/applications/decide');
  const request = useChange('/api/admin/verification-requests/decide');
  const loan = useChange('/api/admin/loan-applications/vote');

  const decide = async ({ action, tier, reason }: Decision): Promise<Decided> => {
    if (about.kind === 'contact-message') throw new Error('A message to support is not decided.');
    const { referenceNumber, changedAt } = about.record;
    const told = {
      referenceNumber,
      changedAt,
      ...(action.needs === 'reason' ? { reason } : {}),
    };
    if (about.kind === 'loan-application') {
      const vote = action.id === 'refused' ? 'refuse' : 'approve';
      const outcome = await loan.send({ ...told, vote });
      if (outcome.kind !== 'done') return outcome;
      const { outcome: came, status } = outcome.body;
      return {
        kind: 'done',
        words: came === 'decided' ? `${referenceNumber}: ${wordsOf(status)}.` : LOAN_OUTCOMES[came],
      };
    }
    const outcome =
      about.kind === 'card-application'
        ? await application.send({ ...told, decision: action.id })
        : await request.send(requestDecision({ referenceNumber, changedAt }, { action, tier, reason }));
    if (outcome.kind !== 'done') return outcome;
    return { kind: 'done', words: `${referenceNumber}: ${wordsOf(outcome.body.status)}.` };
  };
  return { isBusy: application.isBusy || request.isBusy || loan.isBusy, decide };
}
