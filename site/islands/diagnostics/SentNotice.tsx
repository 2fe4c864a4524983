import form from '../form/form.module.css';
import type { Sent } from './diagnostics-calls.ts';

/** What came of sending a test. */
export function SentNotice({ sent }: { readonly sent: Sent | null }) {
  if (sent === null) return null;
  if (sent.kind === 'failed') {
    return (
      <div className={form.failure} role="alert">
        <p className={form.title}>Request Failed</p>
        <p>{sent.words}</p>
      </div>
    );
  }
  return (
    <p className={form.banner} role="status">
      <strong>Sent</strong>
      {sent.chatId === null ? null : <span>to the chat {sent.chatId}</span>}
    </p>
  );
}
