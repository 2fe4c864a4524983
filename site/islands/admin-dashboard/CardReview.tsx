import {
  type KeyboardEvent,
  type ReactNode,
  type SubmitEvent,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import type { TeamCard as Card, decideCard } from '../../../data/contract/admin-cards.ts';
import type { BodyOf } from '../../../data/contract/call.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import { dollarText } from '../../../data/model/facts/amount-text.ts';
import { PORTAL_LIMITS } from '../../../data/model/portal-terms.ts';
import { type CardDecision, MAX_REVIEW_TEXT_LENGTH } from '../../../data/model/submission-status.ts';
import { useChange, useHasRole } from '../admin/admin-calls.ts';
import { FormActions, Notice, OWN_PASSWORD_NEEDED, OwnPasswordField } from '../admin/form-parts.tsx';
import { Field } from '../form/Field.tsx';
import form from '../form/form.module.css';
import { DecisionList } from './RecordSections.tsx';
import styles from './record.module.css';
import { Moment, Status } from './status-labels.tsx';

export function CardReview({ card }: { readonly card: Card }) {
  const mayDecide = useHasRole('reviewer');
  const isOpen =
    (card.closedByTeamAt ?? card.closedByHolderAt) === null &&
    (card.state === 'active' || card.state === 'frozen');
  return (
    <section aria-labelledby="record-card" data-team-card={card.state}>
      <h3 id="record-card">This wallet’s virtual card</h3>
      <dl className={`definitions ${styles.facts}`}>
        {factsOf(card).map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <DecisionList decisions={card.decisions} />
      {mayDecide ? <CardActions card={card} actions={isOpen ? actionsOn(card) : []} /> : null}
    </section>
  );
}

function factsOf(card: Card): readonly (readonly [label: string, value: ReactNode])[] {
  const { state, tier, lastFour, isTestCard, closing, limits, cardholder } = card;
  const moments = [
    ['Created', card.createdAt],
    ['Stake too low since', card.stakeGoneAt],
    ['Closes on', card.closesAt],
    [`Closing requested by ${closing?.isYours ? 'you' : closing?.by}; confirm by`, closing?.expiresAt],
    ['Closed by its holder', card.closedByHolderAt],
    ['Waiting for the issuer to close it since', state === 'closed' ? null : card.closedByTeamAt],
  ] as const;
  return [
    ['State', <Status key="state" status={state} />],
    ['Tier', isTestCard ? `${tier}, test card` : tier],
    ['Limits', `${dollarText(limits.daily)} a day, ${dollarText(limits.monthly)} a month`],
    ...(lastFour === null ? [] : ([['Number', `Ends in ${lastFour}`]] as const)),
    ...cardholderFacts(cardholder),
    ...moments.flatMap(([label, at]) => (at ? [[label, <Moment key={label} at={at} />] as const] : [])),
  ];
}

function cardholderFacts(cardholder: Card['cardholder']): ReturnType<typeof factsOf> {
  if (cardholder === null) return [];
  if (cardholder === 'unreadable')
    return [['Cardholder', 'Cannot be read: it was encrypted with another key.']];
  return [
    ['Cardholder', `${cardholder.firstName} ${cardholder.lastName}`],
    ['Born', cardholder.dateOfBirth],
    ['Email given to the issuer', cardholder.email],
    ['Phone given to the issuer', cardholder.phone],
    ['Terms accepted', <Moment key="terms" at={cardholder.acceptedAt} />],
  ];
}

interface CardAction {
  readonly id: CardDecision;
  readonly label: string;
  readonly needs: readonly ('reason' | 'password')[];
  readonly effect: string;
  readonly doneText: string;
}

const CLOSING_IS_FINAL =
  'Closing cannot be undone, and the wallet gets another card only after a manual verification.';

const ACTIONS: Readonly<Record<CardDecision, CardAction>> = {
  frozen: {
    id: 'frozen',
    label: 'Freeze card',
    needs: ['reason'],
    effect:
      'Payments are declined at once. The holder is notified that the team froze the card, and cannot unfreeze it.',
    doneText: 'The card is frozen.',
  },
  'freeze-lifted': {
    id: 'freeze-lifted',
    label: 'Lift freeze',
    needs: ['reason'],
    effect: `The card stays frozen until its holder unfreezes it. If the stake is gone, the card is closed after ${PORTAL_LIMITS.lostStakeDays} days.`,
    doneText: 'The freeze is lifted.',
  },
  'closing-requested': {
    id: 'closing-requested',
    label: 'Request closure',
    needs: ['reason', 'password'],
    effect: `Another admin has to confirm within ${PORTAL_LIMITS.cardClosingHours} hours. ${CLOSING_IS_FINAL}`,
    doneText: 'Requested. Another admin has to confirm.',
  },
  'closing-withdrawn': {
    id: 'closing-withdrawn',
    label: 'Withdraw request',
    needs: [],
    effect: 'The card will not be closed.',
    doneText: 'The request to close the card was withdrawn.',
  },
  closed: {
    id: 'closed',
    label: 'Close card',
    needs: ['password'],
    effect: `This closes the card at the issuer. ${CLOSING_IS_FINAL}`,
    doneText: 'The card is closed.',
  },
};

function actionsOn({ frozenByTeamAt, closing }: Card): readonly CardAction[] {
  const closingActions: readonly CardDecision[] =
    closing === null
      ? ['closing-requested']
      : closing.isYours
        ? ['closing-withdrawn']
        : ['closed', 'closing-withdrawn'];
  const freezeDecision: CardDecision = frozenByTeamAt === null ? 'frozen' : 'freeze-lifted';
  return [freezeDecision, ...closingActions].map((id) => ACTIONS[id]);
}

const CLOSING_UNCONFIRMED =
  'You confirmed the closing, but the card issuer did not respond. Until it does, the card may still be open. The portal retries every few minutes.';

function bodyOf(
  { cardId, changedAt }: Card,
  { id: decision }: CardAction,
  { reason, ownPassword }: { readonly reason: string; readonly ownPassword: string },
): BodyOf<typeof decideCard> {
  const cardVersion = { cardId, changedAt };
  switch (decision) {
    case 'frozen':
    case 'freeze-lifted':
      return { ...cardVersion, decision, reason };
    case 'closing-requested':
      return { ...cardVersion, decision, reason, ownPassword };
    case 'closed':
      return { ...cardVersion, decision, ownPassword };
    case 'closing-withdrawn':
      return { ...cardVersion, decision };
  }
}

function CardActions({ card, actions }: { readonly card: Card; readonly actions: readonly CardAction[] }) {
  const { isBusy, notice, sendAndNotify, showError, clearNotice } = useChange();
  const [chosenDecision, setChosenDecision] = useState<CardDecision | null>(null);
  const element = useRef<HTMLDivElement>(null);
  const wasOpen = useRef(false);
  const action = actions.find(({ id }) => id === chosenDecision);
  const isOpen = action !== undefined;
  // Moves the focus into the form when it opens, and back to the buttons or the outcome when it closes.
  useLayoutEffect(() => {
    if (isOpen) element.current?.querySelector<HTMLElement>('textarea, input, button')?.focus();
    else if (wasOpen.current) element.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);

  const choose = (id: CardDecision | null) => {
    clearNotice();
    setChosenDecision(id);
  };
  return (
    <div ref={element} tabIndex={-1} className={styles.cardActions}>
      <Notice notice={notice} />
      {action === undefined ? (
        <p className={styles.actions} hidden={actions.length === 0}>
          {actions.map(({ id, label }) => (
            <button key={id} type="button" className="button" onClick={() => choose(id)}>
              {label}
            </button>
          ))}
        </p>
      ) : (
        <CardDecisionForm
          key={action.id}
          action={action}
          isBusy={isBusy}
          onError={showError}
          onCancel={() => choose(null)}
          onDecide={(formValues) =>
            sendAndNotify(PATHS.decideCard, bodyOf(card, action, formValues), ({ card: { state } }) => {
              setChosenDecision(null);
              return action.id === 'closed' && state !== 'closed' ? CLOSING_UNCONFIRMED : action.doneText;
            })
          }
        />
      )}
    </div>
  );
}

interface CardDecisionFormProps {
  readonly action: CardAction;
  readonly isBusy: boolean;
  readonly onError: (message: string) => void;
  readonly onCancel: () => void;
  readonly onDecide: (formValues: { readonly reason: string; readonly ownPassword: string }) => Promise<void>;
}

function CardDecisionForm({ action, isBusy, onError, onCancel, onDecide }: CardDecisionFormProps) {
  const { label, needs, effect } = action;
  const [reason, setReason] = useState('');
  const [ownPassword, setOwnPassword] = useState('');
  const [isSubmitted, setSubmitted] = useState(false);
  const isReasonMissing = needs.includes('reason') && reason.trim() === '';

  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setSubmitted(true);
    if (isReasonMissing) return event.currentTarget.querySelector('textarea')?.focus();
    if (needs.includes('password') && ownPassword === '') return onError(OWN_PASSWORD_NEEDED);
    await onDecide({ reason: reason.trim(), ownPassword });
    setOwnPassword('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    // Escape closes the form, not the dialog.
    event.preventDefault();
    event.stopPropagation();
    if (!isBusy) onCancel();
  };
  return (
    <form
      className={`${form.form} ${styles.decision}`}
      aria-label={label}
      onSubmit={(event) => void submit(event)}
      onKeyDown={onKeyDown}
      noValidate
    >
      <p className={form.quiet}>{effect}</p>
      {needs.includes('reason') ? (
        <Field
          id="card-reason"
          name="reason"
          value={reason}
          error={isSubmitted && isReasonMissing ? 'Enter the reason.' : null}
          onValue={setReason}
          label="Reason"
          hint="Only the team can see it."
          rows={2}
          maxLength={MAX_REVIEW_TEXT_LENGTH.reason}
        />
      ) : null}
      {needs.includes('password') ? (
        <OwnPasswordField id="card-own" value={ownPassword} onValue={setOwnPassword} />
      ) : null}
      <FormActions
        submitLabel={`Confirm: ${label}`}
        busyLabel="Sending..."
        isBusy={isBusy}
        onCancel={onCancel}
      />
    </form>
  );
}
