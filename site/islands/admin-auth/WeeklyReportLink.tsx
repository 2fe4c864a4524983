import { useLayoutEffect, useState } from 'react';
import { Failure } from '../admin/form-parts.tsx';
import styles from '../form/form.module.css';
import { changeWeeklyReport, takeToken } from './auth-calls.ts';

type LinkUse = 'confirm' | 'stop';

type Stage =
  | { readonly kind: 'loading' }
  | { readonly kind: 'open'; readonly use: LinkUse; readonly token: string; readonly isBusy: boolean }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'done'; readonly use: LinkUse };

const NO_TOKEN = 'This page needs the whole link from your email. Open the link again.';
const TEXTS: Readonly<
  Record<LinkUse, { readonly text: string; readonly button: string; readonly done: string }>
> = {
  confirm: {
    text: 'Confirm that the weekly report may be sent to your address.',
    button: 'Confirm my address',
    done: 'Confirmed. The first report comes on the next Monday.',
  },
  stop: {
    text: 'Stop the weekly report of the BlackDuck team area.',
    button: 'Stop the report',
    done: 'Stopped. You get no more weekly reports.',
  },
};

/** Confirms the address for the weekly report, or stops the report. A button, because mail scanners open links. */
export default function WeeklyReportLink() {
  const [stage, setStage] = useState<Stage>({ kind: 'loading' });
  useLayoutEffect(() => {
    const open = () => {
      const use = (['confirm', 'stop'] as const).find((name) => location.hash.includes(`${name}=`));
      const token = use === undefined ? null : takeToken(use);
      if (use !== undefined && token !== null) setStage({ kind: 'open', use, token, isBusy: false });
      return token !== null;
    };
    if (!open()) setStage({ kind: 'refused', message: NO_TOKEN });
    // Pasting a link into the open page changes only the fragment, so the page is not reloaded.
    addEventListener('hashchange', open);
    return () => removeEventListener('hashchange', open);
  }, []);

  switch (stage.kind) {
    case 'loading':
      return <p className="script-only">Loading...</p>;
    case 'refused':
      return <Failure message={stage.message} />;
    case 'done':
      return (
        <p className={styles.banner} role="status" data-stage="done">
          {TEXTS[stage.use].done}
        </p>
      );
    case 'open': {
      const { use, token, isBusy } = stage;
      const change = async () => {
        setStage({ ...stage, isBusy: true });
        const refused = await changeWeeklyReport(use, token);
        setStage(refused === null ? { kind: 'done', use } : refused);
      };
      return (
        <div className={styles.form}>
          <p>{TEXTS[use].text}</p>
          <p className={styles.actions}>
            <button type="button" className="button gold" disabled={isBusy} onClick={() => void change()}>
              {TEXTS[use].button}
            </button>
          </p>
        </div>
      );
    }
  }
}
