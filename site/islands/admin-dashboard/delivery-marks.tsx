import type { CombinedDeliveryState } from '../../../data/model/delivery-states.ts';
import styles from './dashboard.module.css';
import { Status } from './status-labels.tsx';

interface DoneMarkProps {
  /** True shows a tick, false a cross, and null a dash. */
  readonly isDone: boolean | null;
  readonly doneLabel: string;
  readonly undoneLabel: string;
  readonly method?: 'email' | 'telegram';
}

export function DoneMark({ isDone, doneLabel, undoneLabel, method = 'email' }: DoneMarkProps) {
  const text = isDone ? doneLabel : undoneLabel;
  const [sign, path] =
    isDone === null
      ? ['open', 'M3.5 8h9']
      : isDone
        ? [method, 'M2.5 8.5 6.5 12.5 13.5 4']
        : ['not', 'M3.5 3.5 12.5 12.5 M12.5 3.5 3.5 12.5'];
  return (
    <span className={styles.sign} data-sign={sign} title={text}>
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <path d={path} />
      </svg>
      <span className="visually-hidden">{text}</span>
    </span>
  );
}

export interface CombinedDeliveryStates {
  readonly emailState: CombinedDeliveryState;
  readonly telegramState: CombinedDeliveryState;
  readonly mailBounced: boolean;
}

/** Labels for the delivery state of the messages about a new submission. Each follows the channel's name: `Email sent`. */
export const RECEIPT_LABELS: Readonly<Record<CombinedDeliveryState, string>> = {
  sent: 'sent',
  waiting: 'waiting to be sent',
  failed: 'failed',
  settled: 'failed, applicant informed',
  none: 'not needed',
};

/** Null while the messages are waiting to be sent, or if there are none. */
export const isSent = (state: CombinedDeliveryState): boolean | null =>
  state === 'waiting' || state === 'none' ? null : state === 'sent';

export function BounceMark({ mailBounced }: Pick<CombinedDeliveryStates, 'mailBounced'>) {
  return mailBounced ? <Status status="dead" label="Bounced" /> : null;
}

export function DeliveryMarks({ emailState, telegramState }: Omit<CombinedDeliveryStates, 'mailBounced'>) {
  return (
    <span className={styles.signs}>
      <DoneMark
        isDone={isSent(emailState)}
        doneLabel="Email sent"
        undoneLabel={`Email ${RECEIPT_LABELS[emailState]}`}
      />
      <DoneMark
        isDone={isSent(telegramState)}
        doneLabel="Telegram sent"
        undoneLabel={`Telegram ${RECEIPT_LABELS[telegramState]}`}
        method="telegram"
      />
    </span>
  );
}
