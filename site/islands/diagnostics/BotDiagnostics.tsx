import { useQuery } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { AdminOnly } from '../admin/AdminOnly.tsx';
import { LiveRoot } from '../figure/LiveRoot.tsx';
import { Field } from '../form/Field.tsx';
import form from '../form/form.module.css';
import styles from './diagnostics.module.css';
import { diagnosticsQuery, type Sent, sendMessage } from './diagnostics-calls.ts';
import { SentNotice } from './SentNotice.tsx';
import { StatePart } from './StatePart.tsx';

/** State and tests of the messaging bot, and a form to send a test message. */
export default function BotDiagnostics() {
  return (
    <LiveRoot>
      <AdminOnly>
        <Diagnosed />
      </AdminOnly>
    </LiveRoot>
  );
}

function Diagnosed() {
  return (
    <div className={styles.pair}>
      <StatePart reading={useQuery(diagnosticsQuery())} />
      <section aria-labelledby="send-test">
        <div className={styles.head}>
          <h2 id="send-test">Send a test message</h2>
        </div>
        <TestMessageForm />
      </section>
    </div>
  );
}

function TestMessageForm() {
  const [username, setUsername] = useState('');
  const [message, setMessage] = useState('');
  const [isSending, setSending] = useState(false);
  const [sent, setSent] = useState<Sent | null>(null);
  const isBlank = message.trim() === '';
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isBlank || isSending) return;
    setSending(true);
    setSent(null);
    const outcome = await sendMessage(username.trim(), message);
    setSending(false);
    setSent(outcome);
    if (outcome.kind === 'sent') setMessage('');
  };
  return (
    <form className={`${form.form} ${styles.part}`} onSubmit={submit} aria-labelledby="send-test" noValidate>
      <Field
        id="test-username"
        name="username"
        value={username}
        fault={null}
        onValue={setUsername}
        label="Username"
        hint="A person who has written to the bot. Empty: the team’s chat."
        prefix="@"
        maxLength={33}
        autoComplete="off"
        optional
      />
      <Field
        id="test-message"
        name="message"
        value={message}
        fault={null}
        onValue={setMessage}
        label="Message"
        rows={4}
        maxLength={3_000}
      />
      <p className={form.ways}>
        <button type="submit" className="button gold" disabled={isBlank || isSending}>
          {isSending ? 'Sending...' : 'Send Test Message'}
        </button>
      </p>
      <SentNotice sent={sent} />
    </form>
  );
}
