import { useStore } from '@nanostores/react';
import type { ReactNode } from 'react';
import { formatAge } from '../../../data/model/format.ts';
import { $now } from '../../data/ticking-clock.ts';
import { Bone } from '../figure/Bone.tsx';
import styles from './diagnostics.module.css';
import type { Diagnosis } from './diagnostics-calls.ts';

function Row({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={styles.answer}>{children}</dd>
    </div>
  );
}

/** One test: whether it passed, what it found, and why it did not. */
function Test({
  name,
  test,
  found,
}: {
  readonly name: string;
  readonly test: { readonly success: boolean; readonly error: string | null };
  readonly found?: string | null;
}) {
  return (
    <Row name={name}>
      <span className={styles.verdict} data-passed={test.success}>
        {test.success ? 'Passed' : 'Failed'}
      </span>
      {found ? <span className={styles.found}>{found}</span> : null}
      {test.error === null ? null : <span className={styles.error}>{test.error}</span>}
    </Row>
  );
}

function statusWords({ connectionTest, messageTest, updatesTest }: Diagnosis): string {
  const failed = [connectionTest, messageTest, updatesTest].filter(({ success }) => !success).length;
  return failed === 0 ? 'All tests passed' : `${failed} of 3 tests failed`;
}

const NOT_READ = ['Status', 'Bot token', 'Chat', 'Connection test', 'Message test', 'Updates test'];

/** The places of the tests while they are being made. */
export function ChecksPlaces() {
  return (
    <dl className="definitions" aria-busy="true">
      {NOT_READ.map((name) => (
        <Row key={name} name={name}>
          <Bone width={12} />
          <span className="visually-hidden">Testing...</span>
        </Row>
      ))}
    </dl>
  );
}

const UPDATE_WORDS = { command: 'a command', message: 'a message', other: 'something else' } as const;

/** What the tests of the bot found, and what to do about it. */
export function Checks({ diagnosis }: { readonly diagnosis: Diagnosis }) {
  const now = useStore($now);
  const { botToken, chatId, connectionTest, messageTest, updatesTest, recommendations } = diagnosis;
  const { botInfo } = connectionTest;
  const age = (at: string) => formatAge(now - Date.parse(at));
  return (
    <>
      <dl className="definitions">
        <Row name="Status">{statusWords(diagnosis)}</Row>
        <Row name="Bot token">{botToken}</Row>
        <Row name="Chat">{chatId ?? 'None'}</Row>
        <Test
          name="Connection test"
          test={connectionTest}
          found={botInfo && `${botInfo.first_name} (@${botInfo.username})`}
        />
        <Test
          name="Message test"
          test={messageTest}
          found={messageTest.success ? messageTest.chatId : null}
        />
        <Test name="Updates test" test={updatesTest} />
        <Row name="Tested">
          <time dateTime={diagnosis.checkedAt}>{age(diagnosis.checkedAt)}</time>
        </Row>
      </dl>
      {updatesTest.updates.length === 0 ? null : (
        <>
          <h3 className={styles.minor}>Newest updates</h3>
          <ul className={styles.list}>
            {updatesTest.updates.map(({ updateId, kind, at }) => (
              <li key={updateId}>
                {updateId}: {UPDATE_WORDS[kind]}, {age(at)}
              </li>
            ))}
          </ul>
        </>
      )}
      <h3 className={styles.minor}>Recommendations</h3>
      {recommendations.length === 0 ? (
        <p className={styles.quiet}>Nothing to do.</p>
      ) : (
        <ol className={styles.list}>
          {recommendations.map((words) => (
            <li key={words}>{words}</li>
          ))}
        </ol>
      )}
    </>
  );
}
