import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { AdminOnly } from '../admin/AdminOnly.tsx';
import { LiveRoot } from '../figure/LiveRoot.tsx';
import form from '../form/form.module.css';
import styles from './diagnostics.module.css';
import { newDiagnosticsQuery, type Sent, sendApplication } from './diagnostics-calls.ts';
import { SentNotice } from './SentNotice.tsx';
import { StatePart } from './StatePart.tsx';

/** The state of the messaging bot, followed every five seconds, and a test application. */
export default function NewBotDiagnostics() {
  return (
    <LiveRoot>
      <AdminOnly>
        <Followed />
      </AdminOnly>
    </LiveRoot>
  );
}

function Followed() {
  const reading = useQuery(newDiagnosticsQuery());
  const [isSending, setSending] = useState(false);
  const [sent, setSent] = useState<Sent | null>(null);
  // What was found before the portal stopped answering says nothing of now.
  const isConnected = reading.error === null && reading.data?.connectionTest.success === true;
  const send = async () => {
    setSending(true);
    setSent(null);
    const outcome = await sendApplication();
    setSending(false);
    setSent(outcome);
  };
  return (
    <div className={styles.pair}>
      <StatePart reading={reading} isFollowed />
      <section aria-labelledby="test-application">
        <div className={styles.head}>
          <h2 id="test-application">Test application</h2>
        </div>
        <div className={`${form.form} ${styles.part}`}>
          <p className={styles.quiet} id="test-application-about">
            The notice of a card application goes to the team’s chat, marked as a test and without anyone’s
            data. It can be sent once the connection test has passed.
          </p>
          <p className={form.ways}>
            <button
              type="button"
              className="button gold"
              disabled={!isConnected || isSending}
              aria-describedby="test-application-about"
              onClick={() => void send()}
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
