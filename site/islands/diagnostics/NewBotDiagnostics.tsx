import { useQuery } from '@tanstack/react-query';
import { AdminPage } from '../admin/AdminPage.tsx';
import form from '../form/form.module.css';
import { SentNotice, State } from './Checks.tsx';
import styles from './diagnostics.module.css';
import { newDiagnosticsQuery, sendApplication, useSending } from './diagnostics-calls.ts';

/** The state of the messaging bot as it changes, and a test application. */
export default function NewBotDiagnostics() {
  return (
    <AdminPage>
      <FollowedDiagnostics />
    </AdminPage>
  );
}

function FollowedDiagnostics() {
  const reading = useQuery(newDiagnosticsQuery());
  const { isSending, sent, run } = useSending();
  // After a failed read the earlier result may be wrong.
  const isConnected = reading.error === null && reading.data?.connectionTest.success === true;
  return (
    <div className={styles.pair}>
      <State reading={reading} isFollowed />
      <section aria-labelledby="test-application">
        <div className={styles.head}>
          <h2 id="test-application">Test application</h2>
        </div>
        <div className={`${form.form} ${styles.part}`}>
          <p className={styles.quiet} id="test-application-about">
            Sends the notice of a card application to the team’s chat, marked as a test and without personal
            data. Available once the connection test has passed.
          </p>
          <p className={form.actions}>
            <button
              type="button"
              className="button gold"
              disabled={!isConnected || isSending}
              aria-describedby="test-application-about"
              onClick={() => void run(sendApplication)}
            >
              {isSending ? 'Sending...' : 'Send Test Application'}
            </button>
          </p>
          <SentNotice sent={sent} />
        </div>
      </section>
    </div>
  );
}
