import { useQuery } from '@tanstack/react-query';
import { AdminPage } from '../admin/AdminPage.tsx';
import form from '../form/form.module.css';
import { DiagnosticsState, SendOutcomeNotice } from './DiagnosticsState.tsx';
import styles from './diagnostics.module.css';
import { polledDiagnosticsQuery, sendApplicationNotice, useSending } from './diagnostics-calls.ts';

export default function NewBotDiagnostics() {
  return (
    <AdminPage>
      <PolledDiagnostics />
    </AdminPage>
  );
}

function PolledDiagnostics() {
  const reading = useQuery(polledDiagnosticsQuery());
  const { isSending, lastOutcome, run } = useSending();
  // After a failed read, the previous result may be outdated.
  const isConnected = reading.error === null && reading.data?.connectionTest.success === true;
  return (
    <div className={styles.columns}>
      <DiagnosticsState reading={reading} isPolled />
      <section aria-labelledby="test-application">
        <div className={styles.head}>
          <h2 id="test-application">Test application</h2>
        </div>
        <div className={`${form.form} ${styles.sendForm}`}>
          <p className={styles.quiet} id="test-application-about">
            Sends a card application notification to the team’s chat. It is marked as a test and contains no
            personal data. You can send it once the connection test has passed.
          </p>
          <p className={form.actions}>
            <button
              type="button"
              className="button gold"
              disabled={!isConnected || isSending}
              aria-describedby="test-application-about"
              onClick={() => void run(sendApplicationNotice)}
            >
              {isSending ? 'Sending...' : 'Send Test Application'}
            </button>
          </p>
          <SendOutcomeNotice outcome={lastOutcome} />
        </div>
      </section>
    </div>
  );
}
