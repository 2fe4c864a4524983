import { useStore } from '@nanostores/react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { formatAge } from '../../../data/model/format.ts';
import { errorText } from '../../data/call-error.ts';
import { $now } from '../../data/ticking-clock.ts';
import form from '../form/form.module.css';
import { Definition } from '../ui/Definition.tsx';
import { Skeleton } from '../ui/ReadStates.tsx';
import styles from './diagnostics.module.css';
import { type Diagnosis, type SendOutcome, TEST_INTERVAL_MS } from './diagnostics-calls.ts';

function Row(props: { readonly name: string; readonly children: ReactNode }) {
  return <Definition {...props} className={styles.answer} />;
}

interface TestProps {
  readonly name: string;
  readonly test: { readonly success: boolean; readonly error: string | null };
  /** What the test found: the bot's name, or the id of the chat that received the message. */
  readonly detail?: string | false | null;
}

function TestResult({ name, test, detail }: TestProps) {
  return (
    <Row name={name}>
      <span className={styles.verdict} data-passed={test.success}>
        {test.success ? 'Passed' : 'Failed'}
      </span>
      {detail ? <span className={styles.detail}>{detail}</span> : null}
      {test.error === null ? null : <span className={styles.error}>{test.error}</span>}
    </Row>
  );
}

function statusText({ connectionTest, messageTest, updatesTest }: Diagnosis): string {
  const failedCount = [connectionTest, messageTest, updatesTest].filter(({ success }) => !success).length;
  return failedCount === 0 ? 'All tests passed' : `${failedCount} of 3 tests failed`;
}

const ROW_NAMES = ['Status', 'Bot token', 'Chat', 'Connection test', 'Message test', 'Updates test'];

function ChecksSkeleton() {
  return (
    <dl className="definitions" aria-busy="true">
      {ROW_NAMES.map((name) => (
        <Row key={name} name={name}>
          <Skeleton width={12} />
          <span className="visually-hidden">Testing...</span>
        </Row>
      ))}
    </dl>
  );
}

const UPDATE_LABELS = { command: 'a command', message: 'a message', other: 'something else' } as const;

function Checks({ diagnosis }: { readonly diagnosis: Diagnosis }) {
  const now = useStore($now);
  const { botToken, chatId, connectionTest, messageTest, updatesTest, recommendations } = diagnosis;
  const { botInfo } = connectionTest;
  const age = (at: string) => formatAge(now - Date.parse(at));
  return (
    <>
      <dl className="definitions">
        <Row name="Status">{statusText(diagnosis)}</Row>
        <Row name="Bot token">{botToken}</Row>
        <Row name="Chat">{chatId ?? 'None'}</Row>
        <TestResult
          name="Connection test"
          test={connectionTest}
          detail={botInfo && `${botInfo.first_name} (@${botInfo.username})`}
        />
        <TestResult
          name="Message test"
          test={messageTest}
          detail={messageTest.success && messageTest.chatId}
        />
        <TestResult name="Updates test" test={updatesTest} />
        <Row name="Tested">
          <time dateTime={diagnosis.checkedAt}>{age(diagnosis.checkedAt)}</time>
        </Row>
      </dl>
      {updatesTest.updates.length === 0 ? null : (
        <>
          <h3 className={styles.subheading}>Newest updates</h3>
          <ul className={styles.list}>
            {updatesTest.updates.map(({ updateId, kind, at }) => (
              <li key={updateId}>
                {updateId}: {UPDATE_LABELS[kind]}, {age(at)}
              </li>
            ))}
          </ul>
        </>
      )}
      <h3 className={styles.subheading}>Recommendations</h3>
      {recommendations.length === 0 ? (
        <p className={styles.quiet}>No action needed.</p>
      ) : (
        <ol className={styles.list}>
          {recommendations.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ol>
      )}
    </>
  );
}

interface DiagnosticsStateProps {
  readonly reading: UseQueryResult<Diagnosis>;
  /** Whether the page repeats the tests automatically. If not, a button repeats them. */
  readonly isPolled?: boolean;
}

export function DiagnosticsState({ reading, isPolled = false }: DiagnosticsStateProps) {
  const { data, error, isFetching, refetch } = reading;
  return (
    <section aria-labelledby="state">
      <div className={styles.head}>
        <h2 id="state">State</h2>
        {isPolled ? (
          <p className={styles.note}>Tested every {TEST_INTERVAL_MS / 1_000} seconds</p>
        ) : (
          <button
            type="button"
            className="button"
            aria-disabled={isFetching}
            onClick={() => void (isFetching || refetch())}
          >
            {isFetching ? 'Testing...' : 'Test again'}
          </button>
        )}
      </div>
      {error === null ? null : (
        <p className={styles.error} role="alert">
          {errorText(error, 'Something went wrong on our side. Try again.')}
        </p>
      )}
      {data === undefined ? error === null && <ChecksSkeleton /> : <Checks diagnosis={data} />}
    </section>
  );
}

export function SendOutcomeNotice({ outcome }: { readonly outcome: SendOutcome | null }) {
  if (outcome === null) return null;
  if (outcome.kind === 'failed') {
    return (
      <div className={form.failure} role="alert">
        <p className={form.title}>Request Failed</p>
        <p>{outcome.message}</p>
      </div>
    );
  }
  return (
    <p className={form.banner} role="status">
      <strong>Sent</strong>
      {outcome.chatId === null ? null : <span>to chat {outcome.chatId}</span>}
    </p>
  );
}
