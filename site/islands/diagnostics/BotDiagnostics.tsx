import { useQuery } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { AdminPage } from '../admin/AdminPage.tsx';
import { Field } from '../form/Field.tsx';
import form from '../form/form.module.css';
import { DiagnosticsState, SendOutcomeNotice } from './DiagnosticsState.tsx';
import styles from './diagnostics.module.css';
import { diagnosticsQuery, sendMessage, useSending } from './diagnostics-calls.ts';

export default function BotDiagnostics() {
  return (
    <AdminPage>
      <Diagnostics />
    </AdminPage>
  );
}

function Diagnostics() {
  return (
    <div className={styles.columns}>
      <DiagnosticsState reading={useQuery(diagnosticsQuery())} />
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
  const { isSending, lastOutcome, run } = useSending();
  const isBlank = message.trim() === '';
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isBlank || isSending) return;
    const outcome = await run(() => sendMessage(username.trim(), message));
    if (outcome.kind === 'sent') setMessage('');
  };
  return (
    <form
      className={`${form.form} ${styles.sendForm}`}
      onSubmit={submit}
      aria-labelledby="send-test"
      noValidate
    >
      <Field
        id="test-username"
        name="username"
        value={username}
        onValue={setUsername}
        label="Username"
        hint="Someone who has messaged the bot. Leave empty to send to the team’s chat."
        prefix="@"
        maxLength={33}
        autoComplete="off"
        optional
      />
      <Field
        id="test-message"
        name="message"
        value={message}
        onValue={setMessage}
        label="Message"
        rows={4}
        maxLength={3_000}
      />
      <p className={form.actions}>
        <button type="submit" className="button gold" disabled={isBlank || isSending}>
          {isSending ? 'Sending...' : 'Send test message'}
        </button>
      </p>
      <SendOutcomeNotice outcome={lastOutcome} />
    </form>
  );
}
