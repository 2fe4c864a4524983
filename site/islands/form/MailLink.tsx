import { useLayoutEffect, useState } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import { callError, errorText } from '../../data/call-error.ts';
import { takeToken } from '../../data/link-token.ts';
import { post } from '../../data/request.ts';
import { Failure } from '../admin/form-parts.tsx';
import styles from './form.module.css';

type LinkAction = 'confirm' | 'stop';

type Stage =
  | { readonly kind: 'loading' }
  | {
      readonly kind: 'open';
      readonly action: LinkAction;
      readonly token: string;
      readonly isBusy: boolean;
      readonly failure: string | null;
    }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'done'; readonly action: LinkAction };

const NO_TOKEN_MESSAGE = 'This page needs the whole link from your email. Open the link again.';

interface ActionTexts {
  readonly path: string;
  readonly text: string;
  readonly button: string;
  readonly done: string;
}

const WEEKLY_REPORT_ACTIONS: Readonly<Record<LinkAction, ActionTexts>> = {
  confirm: {
    path: PATHS.confirmWeeklyReport,
    text: 'Confirm that we may send the weekly report to your address.',
    button: 'Confirm my address',
    done: 'Confirmed. The first report comes next Monday.',
  },
  stop: {
    path: PATHS.stopWeeklyReport,
    text: 'Stop sending the BlackDuck team’s weekly report to your address.',
    button: 'Stop the report',
    done: 'Stopped. You won’t get any more weekly reports.',
  },
};

const REMINDER_ACTIONS: Readonly<Record<LinkAction, ActionTexts>> = {
  confirm: {
    path: PATHS.confirmReminder,
    text: 'Confirm that we may send reminders about your stake to your address.',
    button: 'Confirm my address',
    done: 'Confirmed. We’ll email you before a lock ends, and when a stake changes.',
  },
  stop: {
    path: PATHS.stopReminder,
    text: 'Stop sending reminders about your stake to your address.',
    button: 'Stop the reminders',
    done: 'Stopped. You won’t get any more reminders at this address.',
  },
};

/**
 * Opened from a link in an email. Waits for a click before it confirms the address or stops the emails, because mail scanners
 * open links.
 */
export default function MailLink({ subscription }: { readonly subscription: 'weekly-report' | 'reminders' }) {
  const actions = subscription === 'reminders' ? REMINDER_ACTIONS : WEEKLY_REPORT_ACTIONS;
  const [stage, setStage] = useState<Stage>({ kind: 'loading' });
  useLayoutEffect(() => {
    const readFragment = () => {
      const action = (['confirm', 'stop'] as const).find((name) => location.hash.includes(`${name}=`));
      const token = action === undefined ? null : takeToken(action);
      if (action !== undefined && token !== null) {
        setStage({ kind: 'open', action, token, isBusy: false, failure: null });
      }
      return token !== null;
    };
    if (!readFragment()) setStage({ kind: 'refused', message: NO_TOKEN_MESSAGE });
    // If the visitor pastes another link into the address bar, only the fragment changes, so the page is not reloaded.
    addEventListener('hashchange', readFragment);
    return () => removeEventListener('hashchange', readFragment);
  }, []);

  switch (stage.kind) {
    case 'loading':
      return <p className="script-only">Loading...</p>;
    case 'refused':
      return <Failure message={stage.message} />;
    case 'done':
      return (
        <p className={styles.banner} role="status" data-stage="done">
          {actions[stage.action].done}
        </p>
      );
    case 'open': {
      const { action, token, isBusy, failure } = stage;
      const submit = async () => {
        setStage({ ...stage, isBusy: true, failure: null });
        const query = action === 'stop' ? `?${new URLSearchParams({ subscription: token })}` : '';
        try {
          const payload = action === 'stop' ? {} : { token };
          await post(actions[action].path + query, payload);
          setStage({ kind: 'done', action });
        } catch (error) {
          const message = errorText(error, 'Something went wrong on our side. Please try again.');
          const isFinal = callError(error) === 'refused';
          setStage(isFinal ? { kind: 'refused', message } : { ...stage, failure: message });
        }
      };
      return (
        <div className={styles.form}>
          <p>{actions[action].text}</p>
          {failure === null ? null : <Failure message={failure} />}
          <p className={styles.actions}>
            <button type="button" className="button gold" disabled={isBusy} onClick={() => void submit()}>
              {actions[action].button}
            </button>
          </p>
        </div>
      );
    }
  }
}
