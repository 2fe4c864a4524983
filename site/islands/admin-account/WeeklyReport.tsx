import { useQuery } from '@tanstack/react-query';
import * as PATHS from '../../../data/contract/paths.ts';
import { Loaded } from '../admin/AdminPage.tsx';
import { useChange, weeklyReportQuery } from '../admin/admin-calls.ts';
import { Notice } from '../admin/form-parts.tsx';
import styles from './admin-account.module.css';

const TEXTS = {
  off: 'Get the week’s figures by email every Monday morning.',
  unconfirmed: 'Open the link in our email to confirm your address. The first report comes next Monday.',
  on: 'You get the week’s figures by email every Monday morning.',
} as const;

export default function WeeklyReport() {
  const reading = useQuery(weeklyReportQuery());
  const { isBusy, notice, sendAndNotify } = useChange();
  const setWanted = (isWanted: boolean) =>
    void sendAndNotify(PATHS.setWeeklyReport, { isWanted }, ({ state }) =>
      state === 'off'
        ? 'The weekly report is off.'
        : 'We sent you an email with a link to confirm your address.',
    );
  const renderButton = (label: string, isWanted: boolean) => (
    <button type="button" className="button" disabled={isBusy} onClick={() => setWanted(isWanted)}>
      {label}
    </button>
  );
  return (
    <section aria-labelledby="weekly-report">
      <div className={styles.head}>
        <h2 id="weekly-report">Weekly report</h2>
        {reading.data === undefined || reading.data.email === null ? null : (
          <span className={styles.buttons}>
            {reading.data.state === 'unconfirmed' ? renderButton('Send the link again', true) : null}
            {reading.data.state === 'off' ? renderButton('Turn on', true) : renderButton('Turn off', false)}
          </span>
        )}
      </div>
      <div className={styles.notice}>
        <Notice notice={notice} />
      </div>
      <Loaded reading={reading} what="the weekly report">
        {({ email, state }) => (
          <p className={styles.part} data-state={state}>
            {email === null
              ? 'Your account has no email address, so we cannot send you the weekly report.'
              : TEXTS[state]}
            {email === null ? null : <span className={styles.email}>{email}</span>}
          </p>
        )}
      </Loaded>
    </section>
  );
}
