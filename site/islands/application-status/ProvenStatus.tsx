import type { ReactNode } from 'react';
import type { ResponseOf } from '../../../data/contract/call.ts';
import type { applicationStatus } from '../../../data/contract/submissions.ts';
import type { BounceReason } from '../../../data/model/bounces.ts';
import localStyles from './application-status.module.css';

export type ApplicationStatusBody = ResponseOf<typeof applicationStatus>;
type ProvenDetails = NonNullable<ApplicationStatusBody['proven']>;

const CARD_PAGE_LINK = <a href="/virtual-card">Get your virtual card</a>;

/** The texts about decisions, as in the emails to applicants, by the application's kind and status. */
const DECISION_TEXTS: Readonly<Record<string, ReactNode>> = {
  'card-application approved': (
    <>
      Your card application is approved. Get the card on the virtual card page, with the wallet that you
      applied with. Only that page shows its number and CVV. {CARD_PAGE_LINK}
    </>
  ),
  'card-application card-issued': <>Your card is ready. {CARD_PAGE_LINK}</>,
  'card-application refused': 'The team has reviewed your card application and could not approve it.',
  'verification-request approved': (
    <>The team has verified your stake and whitelisted your wallet. {CARD_PAGE_LINK}</>
  ),
  'verification-request refused': 'The team has reviewed your stake and could not confirm it.',
  'verification-request withdrawn':
    'The team has withdrawn the whitelisting of your wallet. A card for this wallet now requires a sufficient stake.',
  'loan-application approved':
    'The team has approved your application and will contact you about the contract. Do not send money before you have signed the note. Never rely on payment details from an email alone: contact the team through a channel you already trust.',
  'loan-application refused':
    'The team has reviewed your application for the convertible loan note and could not approve it.',
};

const BOUNCE_REASON_TEXTS: Readonly<Record<Exclude<BounceReason, 'not-sent'>, string>> = {
  'address-unknown': 'There is no mailbox with this address.',
  'domain-unknown': 'The domain of your email address (the part after the @) doesn’t accept email.',
  'mailbox-full': 'Your mailbox is full.',
  'mailbox-disabled': 'Your mailbox does not accept email.',
  'refused-as-spam': 'Your mail provider refused it.',
  'too-large': 'It was too large for your mailbox.',
  unreachable: 'Your mail provider could not be reached.',
  other: 'Your mail provider refused it.',
};

/** Shows the decision, and any problem with our last email, once ownership of the mailbox or the wallet is proven. */
export function ProvenStatus({ body: { kind, status, proven } }: { readonly body: ApplicationStatusBody }) {
  if (proven === null) return null;
  const { by, decision, mail } = proven;
  return (
    <div className={localStyles.proven} data-proven={by}>
      {decision === null ? null : (
        <>
          <p data-decision={status}>{DECISION_TEXTS[`${kind} ${status}`]}</p>
          {decision.tier === null ? null : <p>Tier: {decision.tier}</p>}
          {decision.reason === null ? null : <p>Reason: {decision.reason}</p>}
        </>
      )}
      <MailState mail={mail} />
    </div>
  );
}

function MailState({ mail }: Pick<ProvenDetails, 'mail'>) {
  if (mail?.state === 'unsent') {
    return (
      <p data-mail="unsent">
        <strong>We could not send our last email to you.</strong> Our team can see this and will send it
        again.
      </p>
    );
  }
  if (mail?.state !== 'bounced') return null;
  return (
    <p data-mail="bounced">
      <strong>Our last email to you was not delivered.</strong>{' '}
      {mail.reason === null ? null : BOUNCE_REASON_TEXTS[mail.reason]} <a href="/contact">Contact support</a>{' '}
      with your reference number and an address that can receive mail.
    </p>
  );
}

export function HowToProve({ kind }: Pick<ApplicationStatusBody, 'kind'>) {
  return (
    <p className={localStyles.hint} data-how-to-prove>
      To see the current status and the decision, open this page from the link in one of our emails.
      {kind === 'loan-application' ? null : (
        <>
          {' '}
          Or prove on the <a href="/virtual-card">virtual card page</a> that you own the wallet you applied
          with, then check again.
        </>
      )}{' '}
      No email? <a href="/contact">Contact support</a>.
    </p>
  );
}
