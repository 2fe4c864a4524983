import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { durationWithUnit } from '../../../data/model/facts/amount-text.ts';
import { PORTAL_LIMITS } from '../../../data/model/portal-terms.ts';
import type { MyCard } from '../../data/card-calls.ts';
import { focusOnMount } from '../form/focus-on-mount.ts';
import { CardLimitsForm, type CardLimitsFormProps } from './CardLimitsForm.tsx';
import styles from './card.module.css';

export interface CardSettingsProps extends CardLimitsFormProps {
  readonly noticesTo: MyCard['noticesTo'];
  readonly switchSpendNotices: (isOn: boolean) => void;
  readonly closeCard: () => void;
}

export function CardSettings(props: CardSettingsProps) {
  return (
    <div className={styles.settings}>
      <PaymentMessages {...props} />
      <CardLimitsForm {...props} />
      <CloseCard {...props} />
    </div>
  );
}

const CHANNEL_TEXTS = {
  email: 'By email to the address in your application, with the amount and merchant.',
  'email-and-telegram':
    'By email to the address in your application, with the amount and merchant. On Telegram, without these details.',
} as const;

function PaymentMessages({ card, task, noticesTo, switchSpendNotices }: CardSettingsProps) {
  return (
    <div>
      <label className={styles.switch}>
        <input
          type="checkbox"
          data-switch="payments"
          checked={card.hasSpendNotices}
          disabled={noticesTo === null && !card.hasSpendNotices}
          aria-describedby="payment-messages"
          aria-busy={task === 'saving-notices'}
          onChange={({ target }) => switchSpendNotices(target.checked)}
        />
        Notify me about each payment
      </label>
      <p className={styles.quiet} id="payment-messages">
        {noticesTo === null
          ? 'To get these messages, prove that you own this wallet, then apply for a card with it.'
          : CHANNEL_TEXTS[noticesTo]}
      </p>
    </div>
  );
}

function CloseCard({ card, task, closeCard }: CardSettingsProps) {
  const [isConfirming, setConfirming] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const endConfirming = () => {
    flushSync(() => setConfirming(false));
    // The focused button is gone, so the focus returns to the button that opened the confirmation.
    opener.current?.focus();
  };
  return (
    <details>
      <summary>Close this card</summary>
      <p className={styles.quiet}>
        Closing a card is permanent. You cannot reopen it.{' '}
        {card.isTestCard
          ? 'This is a test card, so it has no balance.'
          : 'The card issuer’s terms decide what happens to any remaining balance. Spend it first, or ask our team before you close the card. Once the card is closed, we cannot credit USDT to it, even if you sent it before.'}{' '}
        Your stake is not affected.{' '}
        {card.frozenFor === 'team'
          ? 'Our team froze this card, so this wallet can get another one only if our team approves it.'
          : `This wallet can get another card after ${durationWithUnit(PORTAL_LIMITS.newCardHours, 'hour')}, if cards are still available.`}
        {card.state === 'frozen' && card.frozenFor !== 'team'
          ? ' If the card issuer froze this card, this wallet can get another one only if our team approves it.'
          : null}
      </p>
      {isConfirming ? (
        <fieldset className={styles.confirm}>
          <legend>Permanently close the card ending in {card.lastFour}?</legend>
          <div className={styles.actions}>
            <button
              type="button"
              className="button"
              ref={focusOnMount}
              data-close-card="confirm"
              onClick={() => {
                endConfirming();
                closeCard();
              }}
            >
              Sign and Close
            </button>
            <button type="button" className="button" onClick={endConfirming}>
              Keep the Card
            </button>
          </div>
        </fieldset>
      ) : (
        <button
          ref={opener}
          type="button"
          className="button"
          onClick={() => setConfirming(true)}
          aria-disabled={task !== 'none'}
        >
          {task === 'closing' ? 'Closing…' : 'Close Card'}
        </button>
      )}
    </details>
  );
}
